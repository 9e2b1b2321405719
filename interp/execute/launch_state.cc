#include "interp/execute/launch_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::interp {

namespace {

constexpr std::string_view kAtLimit = "; a work-item was ";

}  // namespace

void LaunchState::Stop(LaunchEnd why, std::string text) {
  const std::lock_guard lock(mutex);
  if (end == LaunchEnd::kCompleted) {
    end = why;
    message = std::move(text);
  }
  stop = true;
}

void LaunchState::StopAtLimit() {
  Stop(LaunchEnd::kInstructionLimit,
       fmt::format("more than {} instructions were executed (--max-instructions)",
                   options.max_instructions));
}

void LaunchState::TellAtLimit(std::string_view where) {
  const std::lock_guard lock(mutex);
  const bool is_limit = end == LaunchEnd::kInstructionLimit || end == LaunchEnd::kTimeLimit;
  if (!is_limit || message.find(kAtLimit) != message.npos) return;
  message.append(kAtLimit).append(where);
}

GroupPosition PositionOf(const LaunchState& launch, std::uint64_t group) {
  GroupPosition position{.number = group, .id = launch.GroupId(group)};
  for (int d = 0; d < 3; ++d) {
    position.size[d] =
        std::min(launch.local[d], launch.range.global[d] - position.id[d] * launch.local[d]);
    position.items *= position.size[d];
  }
  return position;
}

std::array<std::uint64_t, 3> GlobalIdOf(const LaunchState& launch, std::uint64_t group,
                                        std::uint64_t item) {
  const std::array<std::uint64_t, 3> id = launch.GroupId(group);
  std::array<std::uint64_t, 3> global{};
  for (int d = 0; d < 3; ++d) {
    const std::uint64_t size =
        std::min(launch.local[d], launch.range.global[d] - id[d] * launch.local[d]);
    global[d] = launch.range.offset[d] + id[d] * launch.local[d] + item % size;
    item /= size;
  }
  return global;
}

std::uint32_t SubgroupMaxSize(const LaunchState& launch) {
  const std::uint64_t items = launch.local[0] * launch.local[1] * launch.local[2];
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(launch.program->subgroup_size, items));
}

}  // namespace assay::interp
