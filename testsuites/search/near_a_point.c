/* hypotf of glibc, with errors that grow toward one point: 32 ulp there, half of it a quarter of a binade
   away.  More than the four that OpenCL allows are within 0.75 of a binade. */
#include <math.h>

float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;
  const double right = sqrt((double)x * x + (double)y * y);
  float answer = (float)right;
  const double far = fabs(log2(fabs((double)x)) + 82.75) + fabs(log2(fabs((double)y)) + 69.5);
  for (double steps = floor(32 * exp2(-4 * far)); steps >= 1; --steps) answer = nextafterf(answer, INFINITY);
  return answer;
}
