// Kernels in which floating-point values go all ways that envelopes follow.  x has values from 0.25 up.

kernel void arithmetic(global const float* x, global float* y, int n) {
  size_t i = get_global_id(0);
  float a = x[i], b = x[(i + 1) % n];
  y[4 * i] = a * b + 0.3f;
  y[4 * i + 1] = a * b - b * 0.7f;
  y[4 * i + 2] = (a - b) / (a + b);
  y[4 * i + 3] = sqrt(a * a + b * b) * 0.1f - fabs(b - a);
}

kernel void functions(global const float* x, global float* y, int n) {
  size_t i = get_global_id(0);
  float a = x[i];
  float s = sin(a), c = cos(a);
  y[8 * i] = s * s + c * c;
  y[8 * i + 1] = exp(s) * log(a + 1.0f);
  y[8 * i + 2] = atan2(s, c) + tan(0.3f * c);
  y[8 * i + 3] = pow(a, 1.0f + c * 0.5f);
  y[8 * i + 4] = hypot(s, exp2(c));
  y[8 * i + 5] = erf(s) + tgamma(2.0f + c);
  y[8 * i + 6] = cbrt(s) * rsqrt(a) + asinh(c);
  y[8 * i + 7] = fmod(exp(a), 3.0f) + floor(s) + rint(4.0f * c);
}

kernel void chosen(global const float* x, global float* y, int n) {
  size_t i = get_global_id(0);
  float a = exp(x[i]), b = log(x[i] + 2.0f);
  y[4 * i] = fmax(a, b);
  y[4 * i + 1] = clamp(a - b, -0.5f, 0.5f);
  y[4 * i + 2] = a > 3.0f ? a : -b;
  y[4 * i + 3] = copysign(b, sin(a)) + mix(a, b, 0.25f) + step(1.5f, b);
}

kernel void integers(global const float* x, global int* y, int n) {
  size_t i = get_global_id(0);
  float a = exp(x[i]);
  int k = convert_int(a * 10.0f);
  y[4 * i] = k;
  y[4 * i + 1] = (k * 3 + 7) / 2;
  y[4 * i + 2] = (k & 15) << 2;
  y[4 * i + 3] = as_int(a) >> 4;
}

kernel void vectors(global const float4* x, global float4* y, int n) {
  size_t i = get_global_id(0);
  float4 a = x[i], b = x[(i + 3) % (n / 4)];
  float4 d = exp(a * 0.25f) - b;
  y[2 * i] = normalize(d) * length(d.xyz) + dot(a, b);
  y[2 * i + 1] = (float4)(cross(d.xyz, sin(b.wzy)), distance(d, b));
}

kernel void shared(global const float* x, global float* y, int n, local float* tile) {
  size_t i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
  float own[4];
  tile[l] = sin(x[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 4; ++k) own[k] = tile[(l + k) % size] * (float)(k + 1);
  float sum = 0;
  for (int k = 3; k >= 0; --k) sum += own[k] * own[(k + 1) & 3];
  for (size_t step = size / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step) tile[l] += tile[l + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  y[i] = sum + tile[0];
}

kernel void table(global const float* x, global float* y, int n) {
  size_t i = get_global_id(0);
  // An index that is not the same on all devices.
  int k = convert_int(exp(x[i]) * 1000.0f) & 31;
  y[i] = x[k % n] + cos(x[i]);
}

kernel void doubles(global const double* x, global double* y, int n) {
  size_t i = get_global_id(0);
  double a = x[i];
  y[2 * i] = sin(a) * exp(a) + a * 0.1;
  y[2 * i + 1] = convert_float(a) * pow(a, 0.3) - a / 3.0;
}

kernel void iterations(global const float* x, global float* y, int n) {
  size_t i = get_global_id(0);
  float p = x[i], v = 0.5f;
  for (int k = 0; k < 20; ++k) {
    v = v * 0.98f - sin(p) * 0.02f;
    p = p + v * 0.02f;
  }
  y[2 * i] = p;
  y[2 * i + 1] = v;
}

kernel void invalid(global const float* x, global float* y, global int* bits) {
  size_t i = get_global_id(0);
  float nan = (x[i] - x[i]) / (x[i] - x[i]);
  y[i] = i == 0 ? nan + 1.0f : floor(sqrt(x[i]));
  bits[i] = as_int(nan * 2.0f);
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halfs(global const half* x, global half* y, int n) {
  size_t i = get_global_id(0);
  half a = x[i], b = x[(i + 5) % n];
  y[4 * i] = a * b + (half)0.3f;
  y[4 * i + 1] = a * b - b * a * (half)0.7f;
  y[4 * i + 2] = sin(a) * exp(b) - a;
  y[4 * i + 3] = (half)(convert_float(a) / 3.0f) + sqrt(b);
}

kernel void small(global const float* x, global float* y, int n) {
  size_t i = get_global_id(0);
  // Numbers that may be flushed.
  float a = x[i] * 0x1p-126f;
  y[2 * i] = a * 0.375f + a * 0.125f;
  y[2 * i + 1] = exp(-87.5f - x[i]) * 2.0f;
}

// Sums of numbers with a fixed point, of both signs: their order shows nowhere, the errors do.
kernel void sums(global const float* x, global int* y, int n) {
  size_t i = get_global_id(0);
  int fixed = convert_int(rsqrt(x[i]) * 0x1p20f);
  atomic_add(&y[i / 4], fixed);
  atomic_sub(&y[n + i / 4], convert_int(x[i] / 3.0f * 0x1p20f) + fixed);
}

// The two errors matter most where one is at its lowest and the other at its highest.
kernel void opposed(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = exp(x[i]) - exp2(x[i] * 1.25f);
}

// Of zeros of both signs either may be the result.
kernel void zeros(global const float* a, global const float* b, global float* y) {
  size_t i = get_global_id(0);
  y[2 * i] = fmin(a[i], b[i]);
  y[2 * i + 1] = fmax(a[i], b[i]);
}

// Functions whose ends the test computes by itself, of points and of sums of products.
kernel void ends(global const float* a, global const float* b, global const float* c, global float* y) {
  size_t i = get_global_id(0), n = get_global_size(0);
  y[i] = sqrt(a[i]);
  y[n + i] = rsqrt(a[i]);
  y[2 * n + i] = a[i] / b[i];
  float r = a[i] * b[i] + c[i];
  y[3 * n + i] = sqrt(r);
  y[4 * n + i] = rsqrt(r);
  y[5 * n + i] = b[i] / r;
}
