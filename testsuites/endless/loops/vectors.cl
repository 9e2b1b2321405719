// Vectors of 16, and shuffles.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  float16 v = (float16)(mine);
  for (;;) {
    v = native_sin(v) * v.s0123456789abcdef + fma(v, v, v);
    vstore16(v, mine & 1, (global float*)(o + 32));
    v = shuffle(v, (uint16)(3));
  }
}
