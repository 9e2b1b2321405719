// Copies between address spaces, and a list linked by index and by pointer.
typedef struct {
  int value;
  int next;
} Link;

typedef struct PrivateLink {
  int value;
  struct PrivateLink *next;
} PrivateLink;

kernel void lists(global const Link *links, global int *out) {
  size_t i = get_global_id(0);
  int sum = 0;
  int at = (int)(i % 32);
  for (int k = 0; k < 10 && at >= 0; ++k) {
    sum = sum * 3 + links[at].value % 1000;
    sum &= 0xffffff;
    at = links[at].next % 32;
  }
  PrivateLink nodes[5];
  PrivateLink *head = 0;
  for (int k = 0; k < 5; ++k) {
    nodes[k].value = k * k + (int)i;
    nodes[k].next = head;
    head = &nodes[k];
  }
  // Turned around.
  PrivateLink *reversed = 0;
  while (head) {
    PrivateLink *next = head->next;
    head->next = reversed;
    reversed = head;
    head = next;
  }
  int order = 0;
  for (PrivateLink *n = reversed; n; n = n->next) order = order * 7 + n->value % 7;
  out[2 * i] = sum;
  out[2 * i + 1] = order;
}

typedef struct {
  uchar bytes[13];
  int number;
} Block;

kernel void through_local(global const Block *in, global Block *out, local Block *scratch) {
  size_t i = get_global_id(0);
  size_t l = get_local_id(0);
  scratch[l].number = in[i].number;
  for (int k = 0; k < 13; ++k) scratch[l].bytes[k] = in[i].bytes[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t from = get_local_size(0) - 1 - l;
  for (int k = 0; k < 13; ++k) out[i].bytes[k] = scratch[from].bytes[12 - k];
  out[i].number = scratch[from].number;
}
