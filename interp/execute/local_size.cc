// The work-group size where nobody gives one.
#include <algorithm>

#include "interp/execute/launch_options.h"

namespace assay::interp {

std::array<std::uint64_t, 3> ChooseLocalSize(const NdRange& range) {
  // As many work-items as a batch holds, in the first dimensions; at most half of them wasted.
  std::array<std::uint64_t, 3> local = {1, 1, 1};
  std::uint64_t room = 64;
  for (int d = 0; d < 3 && room > 1; ++d) {
    const std::uint64_t global = std::max<std::uint64_t>(range.global[d], 1);
    std::uint64_t best = 1;
    for (std::uint64_t size = std::min(room, global); size > 1; --size) {
      if (global % size == 0) {
        best = size;
        break;
      }
    }
    // A prime number of work-items: the last group is smaller.
    local[d] = best < std::min(room, global) / 2 ? std::min(room, global) : best;
    room /= local[d];
  }
  return local;
}

}  // namespace assay::interp
