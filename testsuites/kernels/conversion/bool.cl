// Conversions to and from bool (C99 6.3.1.2), and what true is as a number.
kernel void booleans(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  size_t k = i * 8;
  bool nonzero = x[i];
  bool large = x[i] > 100;
  float f = (float)(x[i] % 3) * 0.25f;
  out[k++] = nonzero;
  out[k++] = large + nonzero;
  out[k++] = (bool)f;
  out[k++] = (int)((float)large * 2.5f);
  out[k++] = -(int)nonzero;
  out[k++] = (bool)(x[i] & 0x100);
  out[k++] = nonzero ^ large;
  int4 mask = (int4)(x[i]) > (int4)(0, 10, -10, 100);
  out[k++] = any(mask) + 2 * all(mask) + 4 * any(mask.zw);
}
