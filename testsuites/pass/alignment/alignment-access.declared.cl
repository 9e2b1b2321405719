// run: -g 1 -a 'uint[3]=0' -a int=0
kernel void load(global uint* out, int i) {
  uchar bytes[8] __attribute__((aligned(4))) = {1, 2, 3, 4};
  out[0] = *(uint*)bytes;
  uint words[5] __attribute__((aligned(16))) = {1, 2, 3, 4, 5};
  const uint4 v = *(uint4*)words;
  out[1] = v.w;
  local uchar shared[8] __attribute__((aligned(4)));
  for (int j = 0; j < 8; ++j) shared[j] = i;
  out[2] = *(local uint*)shared;
  struct __attribute__((packed)) { uchar tag; uint value; } packed = {1, 2};
  out[2] += packed.value;
}
