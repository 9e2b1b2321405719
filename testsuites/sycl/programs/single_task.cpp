// A kernel of one work-item.
// run: k 1 0
// arg: shared ulong [0] * 50
// expect 0: [(lambda f: [f.append(f[-1] + f[-2]) or 0 for _ in range(48)] and f)([0, 1])[i] for i in range(50)]
#include "device.h"

SINGLE_TASK void k(unsigned long* out) {
  out[1] = 1;
  for (int i = 2; i < 50; ++i) out[i] = out[i - 1] + out[i - 2];
}
