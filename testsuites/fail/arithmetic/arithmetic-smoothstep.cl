// run: -g 1 -a 'float[1]=0' -a float=0.5
kernel void k(global float* out, float x) {
  out[0] = smoothstep(1.0f, 0.0f, x);  // the edges are exchanged
}
