// Complex FFT of 64 points in local memory, radix 2, decimation in time: one transform a work-group, its
// input taken in bit-reversed order.  The host provides the roots of unity.
#pragma OPENCL FP_CONTRACT OFF
#define POINTS 64
#define LOG_POINTS 6

uint reverse_bits(uint x) {
  uint r = 0;
  for (int i = 0; i < LOG_POINTS; ++i) {
    r = (r << 1) | (x & 1);
    x >>= 1;
  }
  return r;
}

float2 multiply(float2 a, float2 b) {
  return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

kernel void fft(global const float2 *restrict in, constant float2 *roots,
                global float2 *restrict out) {
  local float2 data[POINTS];
  const uint lid = get_local_id(0);  // of POINTS / 2
  const size_t base = get_group_id(0) * POINTS;

  data[reverse_bits(lid)] = in[base + lid];
  data[reverse_bits(lid + POINTS / 2)] = in[base + lid + POINTS / 2];

  for (uint half_size = 1; half_size < POINTS; half_size *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);  // before a stage
    const uint k = lid % half_size;
    const uint top = (lid / half_size) * 2 * half_size + k;
    const float2 w = roots[k * (POINTS / 2 / half_size)];
    const float2 a = data[top];
    const float2 b = multiply(w, data[top + half_size]);
    data[top] = a + b;
    data[top + half_size] = a - b;
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // transformed

  out[base + lid] = data[lid];
  out[base + lid + POINTS / 2] = data[lid + POINTS / 2];
}
