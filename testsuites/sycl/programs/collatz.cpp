// A loop whose length depends on data.
// run: k 32 8
// arg: shared int range(1, 33)
// expect 0: [(lambda n: sum(1 for _ in iter(lambda: n.append(n[-1] // 2 if n[-1] % 2 == 0 else 3 * n[-1] + 1) or n[-2], 1)))([i]) for i in range(1, 33)]
#include "device.h"

KERNEL void k(int* data) {
  int value = data[Global()], steps = 0;
  for (; value != 1; ++steps) value = value % 2 == 0 ? value / 2 : 3 * value + 1;
  data[Global()] = steps;
}
