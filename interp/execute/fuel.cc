#include "interp/execute/fuel.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::interp {

namespace {

// Between two looks at the limits: instructions of all work-items of a thread, and what a block
// costs beside them where few work-items are in it.  Some milliseconds.
constexpr std::uint64_t kFuel = std::uint64_t{1} << 24;

}  // namespace

bool Fuel::CheckLimits() {
  const std::uint64_t total = launch_.instructions += used_;
  used_ = 0;
  const std::uint64_t limit = launch_.options.max_instructions;
  left_ = static_cast<std::int64_t>(limit >= total ? std::min(kFuel, limit - total) : kFuel);
  if (launch_.options.progress) {
    const std::uint64_t groups = launch_.GroupCount();
    launch_.options.progress({total, std::min<std::uint64_t>(launch_.next_group, groups), groups});
  }
  if (launch_.IsOverLimit()) {
    launch_.StopAtLimit();
  } else if (launch_.budget.IsExceeded()) {
    launch_.Stop(
        launch_.budget.IsMemoryExceeded() ? LaunchEnd::kMemoryLimit : LaunchEnd::kTimeLimit,
        launch_.budget.Reached().value().message);
  } else if (launch_.options.timeout_seconds > 0 &&
             std::chrono::steady_clock::now() > launch_.deadline) {
    launch_.Stop(LaunchEnd::kTimeLimit,
                 fmt::format("the kernel ran for more than {:g} s (--timeout)",
                             launch_.options.timeout_seconds));
  } else if (launch_.options.should_stop && launch_.options.should_stop()) {
    launch_.Stop(LaunchEnd::kStopped, "stopped on request");
  }
  return !launch_.stop;
}

void Fuel::TakeCounts() {
  launch_.instructions += used_;
  used_ = 0;
}

}  // namespace assay::interp
