// run: -g 1 -a 'int[1]=0'
kernel void choose(global int* out) {
  bool chosen = false;
  if (out[0] > 0) chosen = true;
  if (chosen) out[0] = 2;
}
