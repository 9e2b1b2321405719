// Code behind characters of two, three and four bytes.
kernel void columns(global float* out, float scale) {
  /* Größe € 😀 */ out[0] = scale * 2.0f;
}
