// Sums and differences that lose digits, and ways around them.
float naive(global const float* x, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) {
    sum += x[i];
  }
  return sum;
}

// Kahan's: what each addition loses goes into the next one.
float compensated(global const float* x, int n) {
  float sum = 0.0f;
  float lost = 0.0f;
  for (int i = 0; i < n; ++i) {
    float term = x[i] - lost;
    float next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

// The smaller root of x^2 - 2 b x + 1, by the schoolbook's formula and without a difference.
float2 roots(float b) {
  float root = sqrt(b * b - 1.0f);
  float school = b - root;
  float stable = 1.0f / (b + root);
  return (float2)(school, stable);
}

kernel void shadow(global float* out, global const float* x, int n, float big, float one) {
  float sum = big + one;
  float back = sum - big;
  float plain = naive(x, n);
  float kahan = compensated(x, n);
  float2 both = roots(5000.25f);
  int steps = (int)(plain * 10.0f);
  bool reached = plain >= kahan;
  out[0] = back;
  out[1] = plain;
  out[2] = kahan;
  out[3] = both.x;
  out[4] = reached ? (float)steps : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
}
