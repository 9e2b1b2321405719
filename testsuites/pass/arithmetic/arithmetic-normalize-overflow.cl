// run: -g 1 -a 'float[1]=0' -a float=1e20
kernel void k(global float* out, float x) {
  out[0] = normalize((float2)(x, x)).x;
}
