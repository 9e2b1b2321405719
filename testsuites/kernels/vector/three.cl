// Three components take the place of four: in arrays, structures, pointers and as elements of a buffer.
typedef struct {
  char3 small;
  short tail;
  float3 place;
  int last;
} Mixed;

kernel void three(global int3 *data, global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int3 v = data[i];
  v.y += x[i];
  data[i].z = v.x + v.y;
  data[i].x = -v.z;
  Mixed m[2];
  m[i & 1].small = (char3)(1, 2, 3);
  m[i & 1].place = (float3)(4.0f, 5.0f, 6.0f);
  m[i & 1].last = 77;
  m[i & 1].tail = -5;
  size_t k = i * 4;
  out[k++] = (int)sizeof(Mixed) * 100 + (int)sizeof(m[0].small);
  out[k++] = (int)((private char *)&m[1].place - (private char *)&m[0]);
  out[k++] = m[i & 1].small.z + (int)m[i & 1].place.y + m[i & 1].last + m[i & 1].tail;
  global const int3 *threes = (global const int3 *)x;
  out[k++] = threes[i % 8].z;
}

kernel void packed_loads(global const uchar *x, global uchar *out) {
  size_t i = get_global_id(0);
  uchar3 v = vload3(i, x);
  vstore3(v.zyx + (uchar3)(1, 2, 3), i, out);
}

// What lies between the elements of an int3 buffer is not defined after a store, so they are compared
// through this.
kernel void without_padding(global const int3 *data, global int *out) {
  size_t i = get_global_id(0);
  vstore3(data[i], i, out);
}
