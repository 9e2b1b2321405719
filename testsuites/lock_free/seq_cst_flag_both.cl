// Local and global data published through one flag in local memory: sequentially consistent operations that synchronize in one kind
// of memory do so in both.
//
// Source: OpenCL API 3.3.6: "Let X and Y be two memory_order_seq_cst operations. If X local-synchronizes-with or
// global-synchronizes-with Y then X both local-synchronizes-with Y and global-synchronizes-with Y."
// Launch: work-item 0 sends, the others of the group wait.
// Weakened: SEND=RELEASE, RECEIVE=ACQUIRE: a local flag orders local memory only.
#define SCOPE memory_scope_work_group
#include "atomics.h"

#ifndef SEND
#define SEND SEQ_CST
#endif
#ifndef RECEIVE
#define RECEIVE SEQ_CST
#endif

kernel void f(global uint *data, global uint *out)
{
  local atomic_uint flag;
  local uint own;
  const uint i = get_local_id(0);
  if (i == 0) atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    *data = 40;
    own = 2;
    STORE(&flag, 1, SEND);
  } else {
    while (LOAD(&flag, RECEIVE) == 0) {
    }
    out[i] = *data + own;
  }
}
