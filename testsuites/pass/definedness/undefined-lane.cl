// run: -g 1 -a 'int[1]=0' -a int3=1,2,3
kernel void widen(global int* out, int3 three) {
  int4 four = as_int4(three);
  if (four.z == 3) out[0] = 1;
}
