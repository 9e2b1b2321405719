// run: -g 1 -a 'int[1]=0' --build-options -Wno-uninitialized
kernel void choose(global int* out) {
  bool chosen;
  if (out[0] > 0) chosen = true;  // and otherwise?
  if (chosen) out[0] = 2;
}
