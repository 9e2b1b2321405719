// Eight bytes and eight shorts a work-item: saturated conversions and sums, averages, differences
kernel void packed(global const uchar *a, global const short *b, global uchar *out, global short *more)
{
    const size_t i = get_global_id(0);
    const uchar8 x = vload8(i, a);
    const short8 y = vload8(i, b);
    const short8 s = convert_short8(x) * (short8)(3) + (y >> (short8)(4));
    const uchar8 r = convert_uchar8_sat(s);
    uchar8 t = add_sat(r, rotate(x, (uchar8)(3)));
    t = hadd(t, x);
    vstore8(abs_diff(t, r), i, out);
    short8 u = mad_sat(y, (short8)(7), s);
    u = sub_sat(u, convert_short8_sat(convert_int8(s) * 300));
    vstore8(max(u, -y), i, more);
}
