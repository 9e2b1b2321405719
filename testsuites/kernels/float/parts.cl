// Exponents and significands.
#pragma OPENCL FP_CONTRACT OFF
kernel void parts(global const float *x, global float *out, global int *exponents) {
  size_t i = get_global_id(0);
  float a = x[i];
  int e;
  float whole;
  size_t k = i * 7;
  out[k++] = frexp(a, &e);
  out[k++] = modf(a, &whole);
  out[k++] = whole;
  out[k++] = ldexp(a, (int)(i % 9) - 4);
  out[k++] = logb(a);
  out[k++] = fract(fabs(a), &whole);
  out[k++] = whole;
  exponents[2 * i] = e;
  exponents[2 * i + 1] = ilogb(a);
}

kernel void parts_of_vectors(global const float *x, global float *out, global int *exponents) {
  size_t i = get_global_id(0);
  float4 a = vload4(i, x);
  int4 e;
  float4 whole;
  size_t k = i * 5;
  vstore4(frexp(a, &e), k++, out);
  vstore4(modf(a, &whole), k++, out);
  vstore4(whole, k++, out);
  vstore4(ldexp(a, (int4)(1, -1, 3, 0)), k++, out);
  vstore4(ldexp(a, 2), k++, out);
  vstore4(e, 2 * i, exponents);
  vstore4(ilogb(a), 2 * i + 1, exponents);
}

kernel void bits(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  float a = as_float(x[i]);
  size_t k = i * 8;
  out[k++] = (uint)isnan(a);
  out[k++] = (uint)isinf(a);
  out[k++] = (uint)isfinite(a);
  out[k++] = (uint)isnormal(a);
  out[k++] = (uint)(signbit(a) != 0);
  // A NaN may lose its payload on the way, and a subnormal may be flushed.
  bool kept = !isnan(a) && (isnormal(a) || isinf(a));
  out[k++] = kept ? as_uint(fabs(a)) : 0;
  out[k++] = kept ? as_uint(copysign(a, -1.0f)) : 0;
  out[k++] = (uint)(a != a) + 2u * (uint)isunordered(a, 1.0f);
}
