// Long chains in a fixed order: one wrong rounding anywhere shows.
#pragma OPENCL FP_CONTRACT OFF
kernel void kahan(global const float *x, global float *out, int count) {
  size_t i = get_global_id(0);
  float sum = 0.0f;
  float compensation = 0.0f;
  float plain = 0.0f;
  for (int k = 0; k < count; ++k) {
    float term = x[(i * 3 + (size_t)k) % 48];
    plain += term;
    float y = term - compensation;
    float t = sum + y;
    compensation = (t - sum) - y;
    sum = t;
  }
  out[3 * i] = sum;
  out[3 * i + 1] = compensation;
  out[3 * i + 2] = plain;
}

kernel void horner(global const float *x, global float *out) {
  size_t i = get_global_id(0);
  float a = x[i];
  float separate = 0.3f;
  float fused = 0.3f;
  for (int k = 0; k < 12; ++k) {
    separate = separate * a + 0.7f;
    fused = fma(fused, a, 0.7f);
    if (fabs(separate) > 1.0e6f) separate *= 0x1p-20f;
    if (fabs(fused) > 1.0e6f) fused *= 0x1p-20f;
  }
  out[2 * i] = separate;
  out[2 * i + 1] = fused;
}

// The product and the sum of two numbers without error, as pairs (Dekker, Knuth).
kernel void error_free(global const float *x, global const float *y, global float *out) {
  size_t i = get_global_id(0);
  float a = x[i];
  float b = y[i];
  float product = a * b;
  float sum = a + b;
  float rest = sum - a;
  out[4 * i] = product;
  out[4 * i + 1] = fma(a, b, -product);
  out[4 * i + 2] = sum;
  out[4 * i + 3] = (a - (sum - rest)) + (b - rest);
}
