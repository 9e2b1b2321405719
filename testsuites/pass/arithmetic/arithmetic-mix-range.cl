// run: -g 1 -a 'float[1]=0' -a float=1.5
kernel void k(global float* out, float t) {
  out[0] = mix(1.0f, 2.0f, clamp(t, 0.0f, 1.0f));
}
