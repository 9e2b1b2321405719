// The names of the ways to end, and of who makes progress.
#include "interp/execute/launch_options.h"

#include <algorithm>
#include <iterator>

namespace assay::interp {

std::string_view LaunchEndName(LaunchEnd end) {
  constexpr std::string_view kNames[] = {"completed",    "instruction-limit", "time-limit",
                                         "memory-limit", "stopped",           "finding-limit",
                                         "deadlock"};
  return kNames[static_cast<int>(end)];
}

namespace {

constexpr std::string_view kProgressNames[] = {"", "none", "sub-group", "work-item", "work-group"};

}  // namespace

std::string_view ForwardProgressName(ForwardProgress progress) {
  return kProgressNames[static_cast<int>(progress)];
}

std::optional<ForwardProgress> ForwardProgressFromName(std::string_view name) {
  const auto found = std::ranges::find(kProgressNames, name);
  if (found == std::end(kProgressNames)) return std::nullopt;
  return static_cast<ForwardProgress>(found - std::begin(kProgressNames));
}

}  // namespace assay::interp
