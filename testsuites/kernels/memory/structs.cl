// Structures: nesting, padding, packing, arrays, unions, assignment, arguments and results by value.
typedef struct {
  char tag;
  short weight;
  int id;
  long total;
} Plain;

typedef struct __attribute__((packed)) {
  char tag;
  int id;
  short weight;
  long total;
} Packed;

typedef struct {
  Plain first;
  Plain more[3];
  uchar letters[5];
  float4 place;
  struct {
    int x, y;
  } corner[2][2];
} Nested;

typedef union {
  uint word;
  uchar bytes[4];
  ushort halves[2];
  struct {
    uchar low;
    uchar rest[3];
  } parts;
} Word;

Plain make(int id, long total) {
  Plain p = {(char)(id & 63), (short)(id * 3), id, total};
  return p;
}

long weigh(Plain p) {
  p.total += p.tag;  // a copy
  return p.total * 10 + p.weight;
}

Nested filled(int id) {
  Nested n;
  n.first = make(id, 1000l + id);
  for (int k = 0; k < 3; ++k) n.more[k] = make(id + k, -k);
  for (int k = 0; k < 5; ++k) n.letters[k] = (uchar)('a' + k + id % 7);
  n.place = (float4)(id, 2, 3, 4);
  for (int r = 0; r < 2; ++r) {
    for (int c = 0; c < 2; ++c) {
      n.corner[r][c].x = 10 * r + c;
      n.corner[r][c].y = id - r;
    }
  }
  return n;
}

kernel void layout(global int *out) {
  out[0] = sizeof(Plain);
  out[1] = sizeof(Packed);
  out[2] = sizeof(Nested);
  out[3] = sizeof(Word);
  Plain p;
  Packed q;
  Nested n;
  out[4] = (int)((private char *)&p.total - (private char *)&p);
  out[5] = (int)((private char *)&q.total - (private char *)&q);
  out[6] = (int)((private char *)&n.place - (private char *)&n);
  out[7] = (int)((private char *)&n.corner[1][1].y - (private char *)&n);
}

kernel void by_value(global const int *x, global long *out) {
  size_t i = get_global_id(0);
  Nested n = filled(x[i] % 1000);
  Nested copy = n;
  copy.more[i % 3].total += 5;
  copy.corner[1][i % 2].x = -9;
  copy.letters[i % 5]++;
  size_t k = i * 8;
  out[k++] = weigh(n.first);
  out[k++] = weigh(copy.more[i % 3]);
  out[k++] = weigh(copy.more[(i + 1) % 3]);
  out[k++] = n.corner[1][i % 2].x + 100 * copy.corner[1][i % 2].x;
  out[k++] = copy.letters[i % 5] * 256 + n.letters[i % 5];
  out[k++] = (long)(copy.place.x + n.place.w);
  Plain swapped = n.more[0];
  n.more[0] = n.more[2];
  n.more[2] = swapped;
  out[k++] = n.more[0].id * 1000l + n.more[2].id;
  out[k++] = make(5, 6).total;
}

kernel void packed(global const int *x, global Packed *table, global long *out) {
  size_t i = get_global_id(0);
  Packed p = table[i];
  p.tag = (char)(i & 0x7f);
  p.id = x[i];
  p.weight = (short)(x[i] >> 16);
  p.total = (long)x[i] * (1l << 21);
  table[i] = p;
  global Packed *q = table + i;
  q->total += q->weight;
  out[i] = q->total ^ q->id;
}

kernel void unions(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  Word w;
  w.word = x[i];
  w.bytes[i % 4] = 0xee;
  ushort high = w.halves[1];
  w.halves[1] = w.halves[0];
  w.halves[0] = high;
  w.parts.rest[i % 3] ^= w.parts.low;
  Word other = w;
  other.word += 1;
  out[2 * i] = w.word;
  out[2 * i + 1] = other.bytes[3] * 65536u + other.halves[0];
}

kernel void arrays_of_structs(global const Plain *in, global Plain *out, int wanted) {
  size_t i = get_global_id(0);
  Plain local_copy[4];
  for (int k = 0; k < 4; ++k) local_copy[k] = in[(i + k) % 32];
  int best = 0;
  for (int k = 1; k < 4; ++k) {
    if (local_copy[k].id % 97 > local_copy[best].id % 97) best = k;
  }
  out[i].tag = local_copy[best].tag;
  out[i].weight = local_copy[best].weight;
  out[i].id = local_copy[best].id;
  out[i].total = local_copy[best].total ^ wanted;
}
