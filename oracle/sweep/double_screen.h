// Judges answers of double functions by the first step of the reference (numerics/double_path.h),
// which tells within a small part of an ulp how far an answer is off. Internal to the sweep.
//
// Items whose error might matter beside that doubt are left to the reference: those that may be
// refused, that are near a threshold, or that may be the worst of their place. All others only
// count, so that the statistics are what the reference gives for every item, to the bit.
#pragma once

#include <cstdint>
#include <optional>

#include "numerics/double_path.h"
#include "numerics/evaluate.h"
#include "oracle/judge/panel.h"
#include "oracle/sweep/screen_columns.h"

namespace assay::oracle {

class DoubleScreen {
 public:
  static constexpr double kNoError = -1;  // right, and no error is measured
  static constexpr double kOpen = -2;

  // Nothing for an operation that has no such step, or whose answers are not judged by one number
  // of ulp.
  static std::optional<DoubleScreen> Find(const JudgePanel& panel);

  // Items [begin, begin + count) of the columns, count <= kScreenItems. `known`: the errors, item
  // by item, below which an item cannot be the worst of its places. `errors` gets the error of each
  // item in ulp, or kNoError, or kOpen where the reference is needed; answers the number of these.
  std::size_t Look(std::span<const numerics::ConstColumn> operands,
                   const numerics::ConstColumn& answers, std::size_t begin, std::size_t count,
                   const double* known, double* errors) const;

 private:
  double AtEnd(double high, double doubt, double observed, double known) const;

  numerics::DoubleBatch batch_ = nullptr;
  double limit_ = 0;
  bool accepts_overflow_ = false;
};

}  // namespace assay::oracle
