// mul24 and mad24 with operands of 24 bits; beyond those the result is implementation-defined.
#define INT24(v) (((v) << 8) >> 8)
#define UINT24(v) ((v) & 0xffffffu)

kernel void fast24(global const int *x, global const int *y, global int *products,
                   global uint *unsigned_products) {
  size_t i = get_global_id(0);
  // Factors of 15 and 16 bits: the signed product must fit.
  int a = x[i] >> 17;
  int b = y[i] >> 16;
  int c = x[i] / 2 % 1000;
  products[2 * i] = mul24(a, b);
  products[2 * i + 1] = mad24(a, b, c);
  uint ua = UINT24((uint)x[i]);
  uint ub = UINT24((uint)y[i]);
  unsigned_products[2 * i] = mul24(ua, ub);
  unsigned_products[2 * i + 1] = mad24(ua, ub, (uint)c);
}

kernel void fast24_vectors(global const int4 *x, global const int4 *y, global int4 *products,
                           global uint4 *unsigned_products) {
  size_t i = get_global_id(0);
  int4 a = x[i] >> 17;
  int4 b = y[i] >> 16;
  products[2 * i] = mul24(a, b);
  products[2 * i + 1] = mad24(a, b, (int4)(1, -2, 3, -4));
  uint4 ua = UINT24(as_uint4(x[i]));
  uint4 ub = UINT24(as_uint4(y[i]));
  unsigned_products[2 * i] = mul24(ua, ub);
  unsigned_products[2 * i + 1] = mad24(ua, ub, (uint4)(7));
}
