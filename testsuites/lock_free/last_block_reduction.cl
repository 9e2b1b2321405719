// A sum in one pass: the work-group that is counted last adds up what the others have left.
//
// Source: the threadfence reduction of NVIDIA's CUDA samples, described in the CUDA C++ Programming Guide, Memory Fence
// Functions; here one acquire-release counter takes the place of its fences.
// Launch: three work-groups of two work-items. All of the last group read: a barrier for global memory hands on to them what
// the first one has acquired.
// Weakened: COUNT=RELAXED, COUNT=ACQUIRE, COUNT=RELEASE. FLAGS=CLK_LOCAL_MEM_FENCE: nothing is handed on.
#include "atomics.h"

#ifndef COUNT
#define COUNT ACQ_REL
#endif
#ifndef FLAGS
#define FLAGS (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

kernel void f(global const uint *in, global uint *part, global atomic_uint *done, global atomic_uint *sum)
{
  local uint values[2];
  local uint is_last;
  const uint l = get_local_id(0);
  const uint groups = get_num_groups(0);
  values[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    part[get_group_id(0)] = values[0] + values[1];
    is_last = ADD(done, 1, COUNT) == groups - 1;
  }
  barrier(FLAGS);
  if (!is_last) return;
  for (uint g = l; g < groups; g += 2) ADD(sum, part[g], RELAXED);
}
