float deviation(float sum, float squares, int n) {
  float mean = sum / n;
  float variance = squares / n - mean * mean;
  return sqrt(variance);
}
kernel void score(global const float* x, global float* y, int n) {
  float sum = 0, squares = 0;
  for (int k = 0; k < n; ++k) {
    sum += x[k];
    squares += x[k] * x[k];
  }
  size_t i = get_global_id(0);
  y[i] = (x[i] - sum / n) / deviation(sum, squares, n);
}
