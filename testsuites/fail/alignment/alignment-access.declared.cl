// run: -g 1 -a 'uint[3]=0' -a int=0
kernel void load(global uint* out, int i) {
  uchar bytes[8] = {1, 2, 3, 4};
  out[0] = *(uint*)bytes;  // of which nobody says that they stand at a multiple of four
  uint words[5] = {1, 2, 3, 4, 5};
  const uint4 v = *(uint4*)words;
  out[1] = v.w;
  local uchar shared[8];
  for (int j = 0; j < 8; ++j) shared[j] = i;
  out[2] = *(local uint*)shared;
}
