// as_T between types of the same size; scalars and vectors in any combination.
kernel void reinterpret(global const uint4 *x, global uint4 *out) {
  size_t i = get_global_id(0);
  uint4 a = x[i];
  size_t k = i * 9;
  uchar16 bytes = as_uchar16(a);
  out[k++] = as_uint4(bytes.s3210765498badcfe);
  ushort8 halves = as_ushort8(a);
  out[k++] = as_uint4(halves.s10325476);
  ulong2 longs = as_ulong2(a);
  out[k++] = as_uint4(longs.yx + 1ul);
  char16 negative = as_char16(a) >> (char)7;
  out[k++] = as_uint4(negative);
  uint scalar = as_uint(bytes.s4567);
  uchar4 back = as_uchar4(scalar);
  out[k++] = (uint4)(scalar, back.x, back.y, back.w);
  // Three components have the size of four.
  uint3 three = as_uint3(a);
  out[k++] = (uint4)(three, 0);
  int3 signed_three = as_int3(as_float3(three));
  out[k++] = as_uint4((int4)(signed_three.zyx, -1));
  ulong l = as_ulong(a.zw);
  out[k++] = (uint4)(as_uint2(l), convert_uint2(as_ushort2(a.x)));
  // Not arithmetic: bits of any pattern pass through a float untouched.
  float4 f = as_float4(a & 0x7f7fffffu);
  out[k++] = as_uint4(f);
}
