// run: -g 1 -a 'int[1]=0' -a int3=1,2,3
kernel void widen(global int* out, int3 three) {
  int4 four = as_int4(three);
  if (four.w == 0) out[0] = 1;  // as_int4 of three leaves w open
}
