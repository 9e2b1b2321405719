// The eight largest values, kept sorted in global memory under a spin lock that all work-groups share.
// A work-item that does not get the lock goes round the loop again: waiting inside of the loop could
// starve the holder where work-items run in lock step.
#define KEEP 8

typedef struct {
  uint value;
  uint index;
} entry;

bool try_lock(volatile global atomic_int *lock) {
  return atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device) == 0;
}

void unlock(volatile global atomic_int *lock) {
  atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

void insert(global entry *best, entry e) {
  if (e.value <= best[KEEP - 1].value) return;
  int at = KEEP - 1;
  while (at > 0 && best[at - 1].value < e.value) {
    best[at] = best[at - 1];
    --at;
  }
  best[at] = e;
}

kernel void largest(global const uint *values, volatile global atomic_int *lock,
                    global entry *best) {
  entry e;
  e.index = get_global_id(0);
  e.value = values[e.index];
  bool done = false;
  while (!done) {
    if (try_lock(lock)) {
      insert(best, e);
      unlock(lock);
      done = true;
    }
  }
}
