// run: -g 1 -a 'int[8]=6' -a int=6
typedef struct {
  int count;
  int data[1];  // and as many more as the host has made room for
} Block;
kernel void sum(global Block* block, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += block->data[i];
  block->count = all;
}
