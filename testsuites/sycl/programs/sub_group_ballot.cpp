// A mask of the work-items of a sub-group.
// run: k 32 32
// arg: shared int range(32)
// expect 0: [sum(1 << (j - b) for j in range(b, b + 16) if j % 3 == 0) for b in (0, 16) for _ in range(16)]
#include "device.h"
#include <sycl/ext/oneapi/sub_group_mask.hpp>

KERNEL SUB_GROUPS_OF(16) void k(int* data) {
  const oneapi::sub_group_mask mask = oneapi::group_ballot(this_item::get_sub_group(), data[Global()] % 3 == 0);
  unsigned bits = 0;
  mask.extract_bits(bits);
  data[Global()] = bits;
}
