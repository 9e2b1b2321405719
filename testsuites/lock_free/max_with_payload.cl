// The largest value and what belongs to it: an index in the low bits of an atomic maximum publishes the record.
//
// Source: OpenCL API 3.3.6: a maximum that changes nothing is a read-modify-write all the same, and continues the release sequence.
// Launch: each work-item offers a record, and then reads the best one so far; the best of all is left.
// Weakened: OFFER=RELAXED, READ=RELAXED.
#include "atomics.h"

#ifndef OFFER
#define OFFER RELEASE
#endif
#ifndef READ
#define READ ACQUIRE
#endif

kernel void f(global atomic_uint *best, global uint *records, global uint *wrong)
{
  const uint i = get_global_id(0);
  const uint score = 100 - (i * 7 + 3) % 10;
  records[i] = score;
  MAX(best, score << 8 | i, OFFER);
  const uint found = LOAD(best, READ);
  if (records[found & 255] != found >> 8) wrong[i] = 1;
}
