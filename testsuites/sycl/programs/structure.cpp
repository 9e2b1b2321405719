// Structures with members of several sizes, copied.
// run: k 16 4
// arg: shared int range(16)
// expect 0: [i + 2 * i + i // 2 + 3 + i + (7 if i > 3 else 0) for i in range(16)]
#include "device.h"

struct Mixed { char a; short b; double c; int d[3]; bool e; };
KERNEL void k(int* data) {
  const int i = data[Global()];
  const Mixed first{static_cast<char>(i), static_cast<short>(2 * i), i * 0.5, {1, 2, i}, i > 3};
  Mixed second = first;
  if (second.e) second.d[i % 3] += 7;
  data[Global()] = second.a + second.b + static_cast<int>(second.c) + second.d[0] + second.d[1] + second.d[2];
}
