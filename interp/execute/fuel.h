// How much a thread may do until it looks at the limits again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "interp/execute/launch_state.h"

namespace assay::interp {

class Fuel {
 public:
  explicit Fuel(LaunchState* launch) : launch_(*launch) {}

  // Counts work that an instruction does beyond its own, so that a limit on time is met soon.
  void Spend(std::uint64_t work) {
    left_ -= static_cast<std::int64_t>(std::min(work, std::uint64_t{1} << 40));
  }
  // Counts instructions, which cost something beside themselves.
  void Count(std::uint64_t instructions, std::uint64_t cost) {
    left_ -= static_cast<std::int64_t>(instructions + cost);
    used_ += instructions;
  }
  bool IsSpent() const { return left_ < 0; }
  // False: the launch is to stop.
  bool MayGoOn() { return !IsSpent() || CheckLimits(); }
  bool CheckLimits();
  // Adds what was counted to the launch's instructions.
  void TakeCounts();

 private:
  LaunchState& launch_;
  std::int64_t left_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace assay::interp
