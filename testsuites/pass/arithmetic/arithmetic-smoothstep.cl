// run: -g 1 -a 'float[1]=0' -a float=0.5
kernel void k(global float* out, float x) {
  out[0] = smoothstep(0.0f, 1.0f, x);
}
