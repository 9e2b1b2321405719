// Readers announce which record they read, and a record that is announced is not used again.
//
// Source: M. M. Michael, Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects, IEEE TPDS 15(6), 2004.
// Launch: work-item 0 publishes record 1 and then uses record 0 again when nobody reads it; the others read
// the present record.
// Why it is right: either the reader's second look sees the new index, or the writer sees the announcement (seq_cst fences,
// third rule); an announcement that was taken back was released after the reading.
// Both looks at the index are relaxed: the first one is before the fence, which acquires, too.
// Weakened: READ_FENCE=ACQ_REL, WRITE_FENCE=ACQ_REL: both may miss the other's store. DONE=RELAXED: the reading is
// not released.
#include "atomics.h"

#ifndef READ_FENCE
#define READ_FENCE SEQ_CST
#endif
#ifndef WRITE_FENCE
#define WRITE_FENCE SEQ_CST
#endif
#ifndef DONE
#define DONE RELEASE
#endif

kernel void f(global atomic_uint *present, global atomic_uint *hazard, global uint *records, global uint *out)
{
  const uint me = get_global_id(0);
  if (me == 0) {
    records[1] = 42;
    STORE(present, 1, RELEASE);
    FENCE(WRITE_FENCE);
    for (uint i = 1; i < get_global_size(0); ++i) {
      while (LOAD(&hazard[i], ACQUIRE) == 1) {
      }
    }
    records[0] = 7;
    return;
  }
  uint index = LOAD(present, RELAXED);
  for (;;) {
    STORE(&hazard[me], index + 1, RELAXED);
    FENCE(READ_FENCE);
    const uint again = LOAD(present, RELAXED);
    if (again == index) break;
    index = again;
  }
  out[me] = records[index];
  STORE(&hazard[me], 0, DONE);
}
