// Several levels of functions, with pointers to every address space, structures and vectors.
typedef struct {
  int x, y;
} Pair;

Pair swapped(Pair p) {
  Pair q = {p.y, p.x};
  return q;
}

void accumulate(private int *sum, int v) { *sum = *sum * 3 + v; }

int level3(private int *sum, local int *cells, constant int *table, int k) {
  accumulate(sum, table[k & 3]);
  cells[0] += 1;
  return *sum & 0xff;
}

int level2(private int *sum, local int *cells, constant int *table, global const int *x, int n) {
  int r = 0;
  for (int k = 0; k < n; ++k) {
    r += level3(sum, cells + 1, table, k);
    if (r > 600) return -r;
    accumulate(sum, x[k] % 50);
    *sum &= 0xfffff;
  }
  return r;
}

int4 level1(private int *sum, local int *cells, constant int *table, global const int *x) {
  int n = 3 + (int)(get_global_id(0) % 5);
  int first = level2(sum, cells, table, x, n);
  Pair p = {first, n};
  p = swapped(swapped(swapped(p)));
  return (int4)(p.x, p.y, *sum, cells[1]);
}

constant int kTable[4] = {4, -3, 9, 1};

kernel void levels(global const int *x, global int *out, local int *cells) {
  size_t i = get_global_id(0);
  size_t l = get_local_id(0);
  int sum = 1;
  local int *mine = cells + 2 * l;
  mine[0] = 0;
  mine[1] = 0;
  vstore4(level1(&sum, mine, kTable, x + i % 16), i, out);
}

// A kernel may call another kernel as a function.
kernel void callee(global int *out, int v) { out[get_global_id(0)] += v; }

kernel void caller(global int *out) {
  callee(out, 5);
  if (get_global_id(0) & 1) callee(out, 100);
}

// Scalars of every size as arguments and results.
char c_of(char v) { return v / 2; }
uchar uc_of(uchar v) { return v + 200; }
short s_of(short v) { return v * 3; }
ushort us_of(ushort v) { return v ^ 0xff00; }
long l_of(long v, bool negate) { return negate ? -v : v; }
float f_of(float v) { return v * 0.5f; }
uchar3 v_of(uchar3 v) { return v.zyx; }
bool b_of(int v) { return v & 2; }

kernel void scalars(global const int *x, global long *out) {
  size_t i = get_global_id(0);
  int v = x[i] % 1000;
  size_t k = i * 8;
  out[k++] = c_of((char)v);
  out[k++] = uc_of((uchar)v);
  out[k++] = s_of((short)v);
  out[k++] = us_of((ushort)v);
  out[k++] = l_of((long)v * 5000000000l, b_of(v));
  out[k++] = (long)f_of((float)v);
  out[k++] = v_of((uchar3)((uchar)v, 2, 3)).z;
  out[k++] = b_of(v) + b_of(v / 2) * 2;
}
