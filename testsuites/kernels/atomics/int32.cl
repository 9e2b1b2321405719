// Atomic functions of OpenCL C 1.2 with results that do not depend on the order of the work-items.
kernel void global_counters(global const int *x, volatile global int *c, volatile global uint *u) {
  int v = x[get_global_id(0)] % 1000;
  uint w = (uint)v;
  atomic_add(&c[0], v);
  atomic_sub(&c[1], v);
  atomic_inc(&c[2]);
  atomic_dec(&c[3]);
  atomic_min(&c[4], v);
  atomic_max(&c[5], v);
  atomic_and(&c[6], v | 0x40);
  atomic_or(&c[7], v & 0x5555);
  atomic_xor(&c[8], v);
  atomic_add(&u[0], w);
  atomic_sub(&u[1], w);
  atomic_inc(&u[2]);
  atomic_dec(&u[3]);
  atomic_min(&u[4], w);
  atomic_max(&u[5], w);
  atomic_and(&u[6], ~(w & 0xf0));
  atomic_or(&u[7], w & 0xaaaa);
  atomic_xor(&u[8], w);
}

kernel void local_counters(global const int *x, global int *out) {
  volatile local int c[9];
  size_t l = get_local_id(0);
  size_t group = get_group_id(0);
  for (size_t k = l; k < 9; k += get_local_size(0)) c[k] = k == 6 ? -1 : (int)k;
  barrier(CLK_LOCAL_MEM_FENCE);
  int v = x[get_global_id(0)] % 1000;
  atomic_add(&c[0], v);
  atomic_sub(&c[1], v);
  atomic_inc(&c[2]);
  atomic_dec(&c[3]);
  atomic_min(&c[4], v);
  atomic_max(&c[5], v);
  atomic_and(&c[6], v | 0x40);
  atomic_or(&c[7], v & 0x5555);
  atomic_xor(&c[8], v);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t k = l; k < 9; k += get_local_size(0)) out[group * 9 + k] = c[k];
}

// Every ticket is drawn once, whoever draws it; old values are those of single steps.
kernel void tickets(volatile global uint *next, global uint *drawn, volatile global uint *sums) {
  uint ticket = atomic_inc(next);
  drawn[ticket] += 1;
  uint before = atomic_add(next + 1, 3u);
  atomic_add(&sums[0], before % 3u);
  atomic_xor(&sums[1], ticket * 2654435761u);
}

// An exchange keeps everything that was ever put in: nothing is lost or doubled.
kernel void exchanges(volatile global uint *slot, volatile global uint *sum,
                      volatile global float *float_slot, volatile global uint *float_sum) {
  uint mine = (uint)get_global_id(0) + 1;
  uint got = atomic_xchg(slot, mine);
  atomic_add(sum, mine - got);
  float taken = atomic_xchg(float_slot, (float)mine);
  atomic_add(float_sum, mine - (uint)taken);
}

// Sums and products through compare-and-swap loops.
kernel void compare_and_swap(global const uint *x, volatile global uint *cells) {
  uint v = x[get_global_id(0)];
  uint seen = cells[0];
  while (true) {
    uint was = atomic_cmpxchg(&cells[0], seen, (seen & 0xffff0000) | ((seen + v) & 0xffff));
    if (was == seen) break;
    seen = was;
  }
  uint old = atomic_or(&cells[1], 0);
  uint assumed;
  do {
    assumed = old;
    old = atomic_cmpxchg(&cells[1], assumed, assumed * (2 * v + 1));
  } while (old != assumed);
}

kernel void histogram(global const uint *x, volatile global uint *bins, uint count) {
  local uint mine[16];
  size_t l = get_local_id(0);
  for (size_t k = l; k < 16; k += get_local_size(0)) mine[k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t k = get_global_id(0); k < count; k += get_global_size(0)) atomic_inc(&mine[x[k] & 15]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t k = l; k < 16; k += get_local_size(0)) atomic_add(&bins[k], mine[k]);
}

// One work-item of each group takes the lock; groups of a device that runs one at a time never wait.
kernel void spin_lock(volatile global int *lock, volatile global uint *shared_sum) {
  local uint group_sum;
  if (get_local_id(0) == 0) group_sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&group_sum, (uint)get_global_id(0));
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) {
    }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    uint v = atomic_add(shared_sum, 0);
    atomic_xchg(shared_sum, v + group_sum);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
  }
}
