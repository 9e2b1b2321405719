// The usual arithmetic conversions of scalars (C99 6.3.1.8): what is promoted to what.
kernel void promotion(global const int *x, global long *out) {
  size_t i = get_global_id(0);
  size_t k = i * 16;
  char c = (char)x[i];
  uchar uc = (uchar)x[i];
  short s = (short)(x[i] >> 3);
  ushort us = (ushort)(x[i] >> 3);
  int n = x[i];
  uint un = (uint)x[i];
  long l = (long)x[i] * (1l << 20);
  out[k++] = c + uc;
  out[k++] = c * s;
  out[k++] = uc - us;
  out[k++] = us * uc;
  out[k++] = c < uc;
  out[k++] = n < un;
  out[k++] = (un > 5u) + (n > 5);
  out[k++] = un + l;
  out[k++] = (char)(uc + 1);
  out[k++] = (uchar)(c - 1);
  out[k++] = (short)(us ^ 0xff00);
  out[k++] = ~uc;
  out[k++] = -(int)us;
  out[k++] = uc << 9;
  out[k++] = (c >> 1) | (us >> 1);
  out[k++] = sizeof(c + s) + 10 * sizeof(un + l) + 100 * sizeof('x');
}
