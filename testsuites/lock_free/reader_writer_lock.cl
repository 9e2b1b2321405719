// A lock that several readers hold together, as a count of readers.
//
// Source: M. Herlihy, N. Shavit, The Art of Multiprocessor Programming, chapter 8; P. J. Courtois, F. Heymans, D. L. Parnas,
// Concurrent Control with "Readers" and "Writers", CACM 14(10), 1971.
// Launch: work-item 0 writes twice; two others read twice.
// Why the writer sees all readers gone: each departure releases, and the departures behind it are read-modify-writes, which
// continue its release sequence.
// Weakened: READER_LEAVES=RELAXED: the writer overwrites what is being read. WRITER_LEAVES=RELAXED, READER_ENTERS=RELAXED.
#include "atomics.h"

#ifndef READER_ENTERS
#define READER_ENTERS ACQUIRE
#endif
#ifndef READER_LEAVES
#define READER_LEAVES RELEASE
#endif
#ifndef WRITER_LEAVES
#define WRITER_LEAVES RELEASE
#endif

#define WRITER 0x80000000

kernel void f(global atomic_uint *lock, global uint *data, global uint *wrong)
{
  const uint i = get_global_id(0);
  for (uint k = 1; k <= 2; ++k) {
    uint seen = 0;
    if (i == 0) {
      while (!CAS(lock, &seen, WRITER, ACQUIRE, RELAXED)) seen = 0;
      data[0] = k;
      data[1] = k;
      STORE(lock, 0, WRITER_LEAVES);
    } else {
      while (seen == WRITER || !CAS(lock, &seen, seen + 1, READER_ENTERS, RELAXED)) {
        seen = LOAD(lock, RELAXED);
      }
      if (data[0] != data[1]) wrong[i] = 1;
      SUB(lock, 1, READER_LEAVES);
    }
  }
}
