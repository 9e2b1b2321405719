// Private arrays indexed by data: sorting, queues, two dimensions, arrays of vectors.
kernel void sort_private(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int a[12];
  for (int k = 0; k < 12; ++k) a[k] = x[(i * 5 + k) % 48];
  for (int k = 1; k < 12; ++k) {
    int v = a[k];
    int j = k;
    while (j > 0 && a[j - 1] > v) {
      a[j] = a[j - 1];
      --j;
    }
    a[j] = v;
  }
  for (int k = 0; k < 12; ++k) out[i * 12 + k] = a[k];
}

kernel void matrix(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  short m[4][5];
  short t[5][4];
  int product[4][4];
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 5; ++c) {
      m[r][c] = (short)((x[(i + r * 5 + c) % 48] & 0xff) - 128);
      t[c][r] = m[r][c];
    }
  }
  short(*row)[5] = m;
  ++row;
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      product[r][c] = 0;
      for (int k = 0; k < 5; ++k) product[r][c] += m[r][k] * t[k][c];
    }
  }
  out[3 * i] = product[i % 4][x[i] & 3];
  out[3 * i + 1] = (*row)[i % 5] + row[1][2];
  out[3 * i + 2] = (int)sizeof(m) + (int)(&m[3][2] - &m[1][1]);
}

kernel void vectors_by_index(global const int *x, global int4 *out) {
  size_t i = get_global_id(0);
  int4 a[3] = {(int4)(1, 2, 3, 4), (int4)(5), (int4)(x[i] % 1000)};
  a[i % 3].y += 7;
  a[(i + 1) % 3].zw = a[i % 3].xy;
  int3 b[2] = {(int3)(1, 2, 3), (int3)(4, 5, 6)};
  b[i & 1].z = 60;
  private int *flat = (private int *)a;
  flat[x[i] & 7] = -1;
  out[2 * i] = a[0] + a[1] * 3 + a[2];
  out[2 * i + 1] = (int4)(b[0].z, b[1].z, (int)sizeof(b), flat[i % 12]);
}

kernel void initialisers(global int *out) {
  size_t i = get_global_id(0);
  int partial[6] = {1, 2};
  int designated[5] = {[3] = 9, [1] = 7};
  char text[] = "kernel";
  struct {
    int a;
    int b[3];
    char c;
  } s = {.b = {4, 5}, .c = 'x'};
  out[4 * i] = partial[i % 6] + (int)sizeof(text);
  out[4 * i + 1] = designated[i % 5];
  out[4 * i + 2] = text[i % 7];
  out[4 * i + 3] = s.a + s.b[i % 3] * 10 + s.c * 100;
}
