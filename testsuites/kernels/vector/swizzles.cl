// Components by name and by number, as values and as places to assign to.
kernel void read2(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int2 a = vload2(i, x);
  size_t k = i * 5;
  vstore2(a.yx, k++, out);
  vstore2(a.xx, k++, out);
  vstore2(a.s10, k++, out);
  vstore2((int2)(a.lo, a.hi), k++, out);
  vstore2((int2)(a.odd, a.even), k++, out);
}

kernel void read4(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int4 a = vload4(i, x);
  int3 t = a.zyx;
  size_t k = i * 10;
  vstore4(a.wzyx, k++, out);
  vstore4(a.xxyy, k++, out);
  vstore4(a.s3210, k++, out);
  vstore4((int4)(a.lo, a.hi.yx), k++, out);
  vstore4((int4)(a.odd, a.even), k++, out);
  vstore4((int4)(t, a.y), k++, out);
  vstore4((int4)(t.zx, t.lo), k++, out);
  vstore4((int4)(t.hi.x, t.odd.x, t.even), k++, out);
  vstore4((int4)(a.xyz.yz, a.s012.s21), k++, out);
  vstore4(a.wwww.xyzw, k++, out);
}

kernel void read16(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int16 a = vload16(0, x + i % 24);
  size_t k = i * 7;
  vstore16(a.sfedcba9876543210, k++, out);
  vstore16((int16)(a.lo, a.hi), k++, out);
  vstore16((int16)(a.odd, a.even), k++, out);
  vstore16((int16)(a.s0246, a.hi.lo, a.odd.even, a.lo.hi.s3210), k++, out);
  vstore16(a.s0F0E0D0C1A1B2C3D, k++, out);
  vstore16((int16)(a.s89abcdef, a.even.s76543210), k++, out);
  vstore16((int16)(a.lo.lo.lo, a.hi.hi.hi, a.sA, a.sb, a.S3, a.S4, a.s01234567), k++, out);
}

kernel void write(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int8 a = vload8(0, x + i % 32);
  int8 b = a;
  b.lo = a.hi;
  b.s71 = a.s01;
  b.odd.xy = (int2)(1, 2);
  b.even += 3;
  int4 c = (int4)(0);
  c.xz = a.s12;
  c.wy = c.zx;
  c.hi.x *= 5;
  c.s2--;
  int3 d = (int3)(7);
  d.zx = d.xy + a.s34;
  ++d.y;
  vstore8(b, 2 * i, out);
  vstore8((int8)(c, d, c.x == d.x), 2 * i + 1, out);
}

kernel void exchange(global const float *x, global float *out) {
  size_t i = get_global_id(0);
  float4 a = vload4(i, x);
  a.xy = a.yx;
  a.zw = a.xy;
  a = a.wzyx;
  a.yz = (float2)(a.z, a.y);
  vstore4(a, i, out);
}
