// The inner loop of the screen (screen.h): the errors of 1024 answers beside a polynomial. Internal
// to the sweep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/vector_set.h"
#include "oracle/sweep/statistics.h"

namespace assay::oracle {

inline constexpr int kScreenItems = 1024;
inline constexpr int kScreenNodes = 8;
inline constexpr int kScreenThresholds = static_cast<int>(kThresholds.size());

// The function at item i is within `error` of
//   base + c[0] + c[1] t + ... + c[7] t^7 with t = (i - 511.5) / 511.5.
struct ScreenTask {
  const float* observed = nullptr;
  double base = 0;
  double coefficients[kScreenNodes] = {};
  double error = 0;
  double limit = 0;                           // ulp, accepted under every reading
  double known = 0;                           // the largest error of this place so far, in ulp
  double thresholds[kScreenThresholds] = {};  // ulp
};

struct Screened {
  // 1: the item needs the reference: its error may be over the limit, on either side of a threshold
  // or a whole number, or the largest; or nothing is certain of it.
  alignas(64) std::uint8_t is_open[kScreenItems];
  // Of the other items: those with an error over each threshold.
  std::uint32_t over[kScreenThresholds];
};

using ScreenColumns = void (*)(const ScreenTask& task, Screened* screened);
ScreenColumns ScreenColumnsOf(numerics::VectorSet set);

}  // namespace assay::oracle
