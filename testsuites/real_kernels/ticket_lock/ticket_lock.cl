// A ticket lock around a running checksum and a journal in global memory.  First come, first served:
// the journal lists the holders in the order of their tickets.
typedef struct {
  atomic_uint next;
  atomic_uint serving;
} ticket_lock;

uint take_ticket(global ticket_lock *lock) {
  return atomic_fetch_add_explicit(&lock->next, 1u, memory_order_relaxed, memory_scope_device);
}

bool is_my_turn(global ticket_lock *lock, uint ticket) {
  return atomic_load_explicit(&lock->serving, memory_order_acquire, memory_scope_device) == ticket;
}

void release(global ticket_lock *lock, uint ticket) {
  atomic_store_explicit(&lock->serving, ticket + 1, memory_order_release, memory_scope_device);
}

kernel void journal(global ticket_lock *lock, global const uint *amount, global ulong *balance,
                    global uint *entries, global uint *used) {
  const uint id = get_global_id(0);
  const uint ticket = take_ticket(lock);
  bool done = false;
  while (!done) {
    if (is_my_turn(lock, ticket)) {
      const uint at = *used;
      entries[at] = id;
      *used = at + 1;
      *balance += amount[id];
      release(lock, ticket);
      done = true;
    }
  }
}

// Every work-item must stand in the journal once: counts how often each does.
kernel void audit(global const uint *entries, global const uint *used, global atomic_uint *times) {
  const uint i = get_global_id(0);
  if (i < *used) atomic_fetch_add_explicit(&times[entries[i]], 1u, memory_order_relaxed, memory_scope_device);
}
