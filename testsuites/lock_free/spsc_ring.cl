// A bounded queue of one producer and one consumer, by loads and stores.
//
// Source: L. Lamport, Specifying Concurrent Program Modules, ACM TOPLAS 5(2), 1983.
// Launch: four values go through two places.
// Weakened: PUT=RELAXED, SEE_PUT=RELAXED: the value is not published. GET=RELAXED, SEE_GET=RELAXED: it is overwritten
// while it is read.
#include "atomics.h"

#ifndef PUT
#define PUT RELEASE
#endif
#ifndef SEE_PUT
#define SEE_PUT ACQUIRE
#endif
#ifndef GET
#define GET RELEASE
#endif
#ifndef SEE_GET
#define SEE_GET ACQUIRE
#endif

#define PLACES 2

kernel void f(global atomic_uint *put, global atomic_uint *got, global uint *data, global uint *out)
{
  for (uint k = 0; k < 4; ++k) {
    if (get_global_id(0) == 0) {
      while (k - LOAD(got, SEE_GET) == PLACES) {
      }
      data[k % PLACES] = k + 1;
      STORE(put, k + 1, PUT);
    } else {
      while (LOAD(put, SEE_PUT) == k) {
      }
      out[k] = data[k % PLACES];
      STORE(got, k + 1, GET);
    }
  }
}
