// (t) a filter of 16 taps over half numbers in memory, computed in float
kernel void half_filter(global const half *in, global half *out, constant float *taps)
{
    const size_t i = get_global_id(0), n = get_global_size(0);
    float sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += taps[k] * vload_half((i + k) % n, in);
    vstore_half(sum, i, out);
}
