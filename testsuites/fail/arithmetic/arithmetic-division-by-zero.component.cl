// run: -g 1 -a 'uint4[1]=0' -a uint4=1,2,0,4
kernel void divide(global uint4* out, uint4 b) {
  out[0] = (uint4)(8) % b;  // one component is enough
}
