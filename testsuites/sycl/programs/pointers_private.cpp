// A list of nodes in private memory.
// run: k 16 4
// arg: shared int range(16)
// expect 0: [sum(i + j for j in range(8)) for i in range(16)]
#include "device.h"

struct Node { int value; Node* next; };
KERNEL void k(int* data) {
  Node nodes[8];
  for (int i = 0; i < 8; ++i) nodes[i] = {data[Global()] + i, i > 0 ? &nodes[i - 1] : nullptr};
  int sum = 0;
  for (const Node* node = &nodes[7]; node != nullptr; node = node->next) sum += node->value;
  data[Global()] = sum;
}
