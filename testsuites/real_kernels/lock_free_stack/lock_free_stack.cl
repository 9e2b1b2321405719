// A stack without locks after Treiber: nodes are elements of an array, the head is a node's number and a tag
// that changes with every pop, in one 32-bit word.  Every work-item pushes a node and then pops one.
#define NONE 0xffffu

typedef struct {
  uint payload;
  uint next;
} node;

void push(global node *nodes, global atomic_uint *head, uint n, uint payload) {
  nodes[n].payload = payload;
  uint old = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
  uint new;
  do {
    nodes[n].next = old & 0xffffu;
    new = (old & 0xffff0000u) | n;
  } while (!atomic_compare_exchange_weak_explicit(head, &old, new, memory_order_release,
                                                  memory_order_relaxed, memory_scope_device));
}

uint pop(global node *nodes, global atomic_uint *head) {
  uint old = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
  for (;;) {
    const uint n = old & 0xffffu;
    if (n == NONE) return NONE;
    const uint new = ((old & 0xffff0000u) + 0x10000u) | nodes[n].next;
    if (atomic_compare_exchange_strong_explicit(head, &old, new, memory_order_acq_rel,
                                                memory_order_acquire, memory_scope_device)) {
      return n;
    }
  }
}

// `taken` counts how often each node was popped and keeps what its popper found in it.
kernel void exchange(global node *nodes, global atomic_uint *head, global const uint *payload,
                     global uint2 *taken) {
  const uint id = get_global_id(0);
  push(nodes, head, id, payload[id]);
  // So that a group's nodes change hands: all are there before the first is popped.  It is the head that
  // orders them; this barrier says nothing about global memory.
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  const uint n = pop(nodes, head);
  if (n != NONE) {
    taken[n].x += 1;
    taken[n].y = nodes[n].payload;
  }
}
