#include "interp/execute/fuel.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace assay::interp {

namespace {

// Until others have their turn: instructions of all work-items of a thread, and what a block costs
// beside them where few work-items are in it.  Some milliseconds.
constexpr std::uint64_t kShare = std::uint64_t{1} << 24;
// Between two looks at the clock: some microseconds of plain instructions, and under a tenth of a
// second of the slowest ones.
constexpr std::int64_t kLook = std::int64_t{1} << 16;

}  // namespace

bool Fuel::CheckLimits() {
  share_->left -= share_->given - left_;
  share_->gives_way = share_->left < 0;
  if (share_->gives_way) BeginShare();
  share_->given = left_ = std::min(share_->left, kLook);
  if (!share_->launch.stop) LookAtTime();
  return !share_->launch.stop;
}

bool Fuel::MayGoOnInside() {
  if (IsSpent() && !share_->launch.stop) LookAtTime();
  return !share_->launch.stop;
}

void Fuel::BeginShare() {
  LaunchState& launch = share_->launch;
  const std::uint64_t total = launch.instructions += used_;
  used_ = 0;
  const std::uint64_t limit = launch.options.max_instructions;
  share_->left =
      static_cast<std::int64_t>(limit >= total ? std::min(kShare, limit - total) : kShare);
  if (launch.options.progress) {
    launch.options.progress({total, launch.GroupsBegun(), launch.GroupCount()});
  }
  if (launch.IsOverLimit()) launch.StopAtLimit();
}

void Fuel::LookAtTime() {
  LaunchState& launch = share_->launch;
  if (launch.budget.IsExceeded()) {
    launch.Stop(launch.budget.IsMemoryExceeded() ? LaunchEnd::kMemoryLimit : LaunchEnd::kTimeLimit,
                launch.budget.Reached().value().message);
  } else if (launch.options.timeout_seconds > 0 &&
             std::chrono::steady_clock::now() > launch.deadline) {
    launch.Stop(LaunchEnd::kTimeLimit,
                fmt::format("the kernel ran for more than {:g} s (--timeout)",
                            launch.options.timeout_seconds));
  } else if (launch.options.should_stop && launch.options.should_stop()) {
    launch.Stop(LaunchEnd::kStopped, "stopped on request");
  }
}

void Fuel::TakeCounts() {
  share_->launch.instructions += used_;
  used_ = 0;
}

}  // namespace assay::interp
