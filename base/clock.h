// The clock that measures how long something takes.
#pragma once

#include <chrono>

namespace assay::base {

using Clock = std::chrono::steady_clock;

inline double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace assay::base
