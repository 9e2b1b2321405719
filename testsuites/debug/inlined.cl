// What the debugger's scripts look at where the compiler has inlined a function.
__attribute__((always_inline)) float weight(float x, int k) {
  float w = x * k;
  return w + 1;
}

kernel void blend(global float* out, global const float* in, int n) {
  int i = get_global_id(0);
  float total = 0;
  for (int k = 0; k < n; ++k) {
    total += weight(in[k], k);
    if (total > 100) total -= in[i];
  }
  out[i] = total;
}
