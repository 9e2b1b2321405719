// Arithmetic on 128 bits from 64-bit pieces: carries, borrows, and mul_hi against long multiplication.
kernel void wide_products(global const ulong *x, global const ulong *y, global ulong *out) {
  size_t i = get_global_id(0);
  ulong a = x[i];
  ulong b = y[i];
  ulong a0 = a & 0xffffffff, a1 = a >> 32;
  ulong b0 = b & 0xffffffff, b1 = b >> 32;
  ulong low = a0 * b0;
  ulong middle = a1 * b0 + (low >> 32);
  ulong middle2 = a0 * b1 + (middle & 0xffffffff);
  ulong high = a1 * b1 + (middle >> 32) + (middle2 >> 32);
  ulong sum = a + b;
  ulong carry = sum < a;
  out[i * 6] = high;
  out[i * 6 + 1] = high == mul_hi(a, b);
  out[i * 6 + 2] = sum;
  out[i * 6 + 3] = carry;
  out[i * 6 + 4] = a - b;
  out[i * 6 + 5] = (a < b) ^ (mul_hi(a, b) > mul_hi(~a, ~b));
}

// Fixed-point exponentiation modulo 2^32 and modulo a prime, by squaring.
kernel void powers(global const uint *x, global const uint *y, global uint *out) {
  size_t i = get_global_id(0);
  uint base = x[i];
  uint wrapped = 1;
  ulong residue = 1;
  ulong square = base % 1000003u;
  for (uint e = y[i] & 0xff; e != 0; e >>= 1) {
    if (e & 1) {
      wrapped *= base;
      residue = residue * square % 1000003u;
    }
    base *= base;
    square = square * square % 1000003u;
  }
  out[2 * i] = wrapped;
  out[2 * i + 1] = (uint)residue;
}

kernel void divisors(global const uint *x, global const uint *y, global uint *out) {
  size_t i = get_global_id(0);
  uint a = x[i], b = y[i];
  uint steps = 0;
  while (b != 0) {
    uint r = a % b;
    a = b;
    b = r;
    ++steps;
  }
  out[2 * i] = a;
  out[2 * i + 1] = steps;
}
