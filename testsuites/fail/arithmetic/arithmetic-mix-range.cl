// run: -g 1 -a 'float[1]=0' -a float=1.5
kernel void k(global float* out, float t) {
  out[0] = mix(1.0f, 2.0f, t);  // t is above 1
}
