// A lock of a work-group by the functions of OpenCL C 1.2: relaxed atomics, and fences.
//
// Source: OpenCL C 6.15.12.8, legacy atomics (relaxed), and mem_fence: a fence of acquire-release order and work-group scope.
// Launch: the work-items of one group enter twice and increment a plain counter.
// Weakened: FLAGS=CLK_LOCAL_MEM_FENCE: the counter is in global memory.
#ifndef FLAGS
#define FLAGS CLK_GLOBAL_MEM_FENCE
#endif

kernel void f(volatile global uint *lock, global uint *count)
{
  for (uint k = 0; k < 2; ++k) {
    while (atomic_cmpxchg(lock, 0, 1) != 0) {
    }
    mem_fence(FLAGS);
    *count += 1;
    mem_fence(FLAGS);
    atomic_xchg(lock, 0);
  }
}
