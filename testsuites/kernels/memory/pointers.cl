kernel void arithmetic(global const int *x, global long *out) {
  size_t i = get_global_id(0);
  global const int *p = x + 5;
  global const int *q = &x[i % 40];
  global const int *r = p;
  size_t k = i * 8;
  out[k++] = q - p;
  out[k++] = p < q;
  out[k++] = p == q;
  out[k++] = *(q + 1) + q[2];
  out[k] = *r++;
  out[k++] += *++r;
  out[k++] = r - x;
  r -= 3;
  r += i % 4;
  out[k] = *r--;
  out[k++] -= *r;
  out[k++] = (global const char *)q - (global const char *)x;
}

// Pointers kept in private memory, pointers to them, and a choice between objects.
kernel void indirection(global int *data, global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int a = 10, b = 20, c[3] = {1, 2, 3};
  int *table[4] = {&a, &b, c, c + 2};
  int **cursor = table + i % 4;
  **cursor += 100;
  *table[(i + 1) % 4] *= 3;
  int *which = x[i] & 1 ? table[0] : *(table + 1);
  *which -= 7;
  int ***deep = &cursor;
  ***deep += 1;
  global int *slots[2] = {data + 2 * i, data + 2 * i + 1};
  *slots[x[i] & 1] = a;
  *slots[!(x[i] & 1)] = b;
  out[i] = a + 1000 * b + c[0] + 10 * c[1] + 100 * c[2];
}

// Through an integer and back; the distance between two addresses of one object.
kernel void as_integers(global const int *x, global int *data, global ulong *out) {
  size_t i = get_global_id(0);
  uintptr_t base = (uintptr_t)data;
  uintptr_t address = base + i * sizeof(int);
  *(global int *)address = x[i] + 1;
  size_t also = (size_t)&data[i];
  intptr_t distance = (intptr_t)(data + i) - (intptr_t)data;
  out[4 * i] = also - base;
  out[4 * i + 1] = (ulong)distance;
  out[4 * i + 2] = also == address;
  // Tag bits in the unused low end of an aligned address.
  uintptr_t tagged = address | (i & 3);
  global int *untagged = (global int *)(tagged & ~(uintptr_t)3);
  out[4 * i + 3] = (ulong)(*untagged ^ x[i]) + (tagged & 3) * 1000;
}

// Character pointers may look at anything.
kernel void punning(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint words[4] = {x[i], x[i] + 1, ~x[i], 0x01020304};
  private uchar *bytes = (private uchar *)words;
  uint sum = 0;
  for (int k = 0; k < 16; ++k) sum = sum * 257 + bytes[(k * 5 + i) % 16];
  bytes[5] = 0xab;
  bytes[i % 16] = 0xcd;
  float f = 1.5f;
  private const uchar *of_float = (private const uchar *)&f;
  global const uchar *of_x = (global const uchar *)(x + i);
  out[4 * i] = sum;
  out[4 * i + 1] = words[1] ^ words[3];
  out[4 * i + 2] = of_float[3] * 256 + of_float[2];
  out[4 * i + 3] = of_x[0] | of_x[3] << 8;
}

// Bytes of one word written by different work-items do not disturb each other.
kernel void neighbours(global uchar *bytes, global ushort *shorts) {
  size_t i = get_global_id(0);
  bytes[i] = (uchar)(i * 7);
  shorts[i] = (ushort)(i * 1000);
}

kernel void null_pointers(global const int *x, global int *out, global int *nothing) {
  size_t i = get_global_id(0);
  global const int *p = x[i] & 1 ? x + i : 0;
  int here = 0;
  int *q = i % 3 ? &here : 0;
  out[i] = (p == 0) + 2 * (nothing == 0) + 4 * (q == 0) + 8 * (p ? 1 : 0) + 16 * !nothing;
}
