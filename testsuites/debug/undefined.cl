// Halves of vectors that nothing defines: at -O2 all of them have one register.
kernel void undefined(global float* out, global const float* in, int n) {
  float2 a, b;
  a.x = in[0];
  b.y = in[1];
  for (int i = 0; i < n; ++i) {
    a.x *= 2;
    b.y += a.x;
    out[i] = b.y;
  }
  out[0] = a.x;
  out[1] = b.y;
}
