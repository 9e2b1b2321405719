// Index spaces of launches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/launch/session_state.h"

namespace assay::interp {

Expected<void> SetIndexSpace(const LaunchRequest& request, const KernelInfo& info,
                             LaunchState* launch) {
  NdRange& range = launch->range;
  range = request.range;
  if (range.dimensions < 1 || range.dimensions > 3) {
    return Fail(ErrorKind::kUsage, "an index space has 1, 2 or 3 dimensions");
  }
  for (int d = range.dimensions; d < 3; ++d) {
    range.global[d] = 1;
    range.offset[d] = 0;
    if (range.local) (*range.local)[d] = 1;
  }
  std::uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    if (range.global[d] != 0 && items > (std::uint64_t{1} << 48) / range.global[d]) {
      return Fail(ErrorKind::kUsage, "an index space of more than 2^48 work-items");
    }
    items *= range.global[d];
    // clEnqueueNDRangeKernel: CL_INVALID_GLOBAL_OFFSET.
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - launch->module->PointerBytes() * 8);
    if (range.global[d] > most || range.offset[d] > most - range.global[d]) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("global ids beyond {}, the largest size_t: {} work-items from {} on",
                              most, range.global[d], range.offset[d]));
    }
  }
  if (info.required_local_size) {
    std::array<std::uint64_t, 3> required;
    std::copy(info.required_local_size->begin(), info.required_local_size->end(), required.begin());
    if (range.local && *range.local != required) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("kernel {} requires work-groups of {} (reqd_work_group_size), not {}",
                              info.name, fmt::join(required, ","), fmt::join(*range.local, ",")));
    }
    range.local = required;
  }
  launch->local = range.local ? *range.local : ChooseLocalSize(range);
  std::uint64_t local = 1;
  for (int d = 0; d < 3; ++d) {
    if (launch->local[d] == 0 || launch->local[d] > 65536 || (local *= launch->local[d]) > 65536) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("work-groups of {} work-items; 1 to 65536 are possible",
                              fmt::join(launch->local, "x")));
    }
    launch->groups[d] = (range.global[d] + launch->local[d] - 1) / launch->local[d];
  }
  return {};
}

Expected<void> CheckSubgroupCount(const KernelInfo& info, const LaunchState& launch) {
  if (!info.required_subgroups) return {};
  const std::uint64_t size = launch.program->subgroup_size;
  const std::uint64_t items = launch.local[0] * launch.local[1] * launch.local[2];
  const std::uint64_t count = (items + size - 1) / size;
  if (count == *info.required_subgroups) return {};
  return Fail(
      ErrorKind::kUsage,
      fmt::format("kernel {} requires work-groups of {} sub-groups (SubgroupsPerWorkgroup); "
                  "work-groups of {} work-items have {} of {}: choose another size of the "
                  "work-group (--local) or of the sub-group (--sub-group-size)",
                  info.name, *info.required_subgroups, items, count, size));
}

}  // namespace assay::interp
