// Bitonic sort of 128 records in local memory by one work-group, ascending by key.  Equal keys keep
// ascending payloads: the comparison is of both.
#define COUNT 128

typedef struct {
  ushort key;
  ushort payload;
} record;

int is_after(record a, record b) {
  return a.key != b.key ? a.key > b.key : a.payload > b.payload;
}

void put_in_order(local record *a, local record *b, int ascending) {
  const record x = *a;
  const record y = *b;
  if (is_after(x, y) == ascending) {
    *a = y;
    *b = x;
  }
}

kernel void sort_records(global record *records) {
  local record tile[COUNT];
  const uint lid = get_local_id(0);
  global record *mine = records + get_group_id(0) * COUNT;

  tile[lid] = mine[lid];
  tile[lid + COUNT / 2] = mine[lid + COUNT / 2];

  for (uint size = 2; size <= COUNT; size <<= 1) {
    const int ascending = (lid & (size / 2)) == 0;
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      barrier(CLK_LOCAL_MEM_FENCE);  // before a step
      const uint at = 2 * lid - (lid & (stride - 1));
      put_in_order(&tile[at], &tile[at + stride], ascending);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // sorted

  mine[lid] = tile[lid];
  mine[lid + COUNT / 2] = tile[lid + COUNT / 2];
}
