// The answers that conform at operands that are known, as ranges.  Internal to enclosure.cc.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "numerics/exact.h"
#include "oracle/judge/range.h"
#include "oracle/judge/verdict.h"

namespace assay::oracle {

class PointRanges {
 public:
  // The operation must have this limit.
  PointRanges(const numerics::Operation& wanted, const Limit& known, const JudgeOptions& given);

  // `exact` of all results, of the fast path or not.
  Range At(std::span<const numerics::Bits> point, std::span<const numerics::Exact> exact,
           int index) const;
  // The same where the place of the exact value says all.
  std::optional<Range> Quick(const numerics::Exact& exact, int index) const;
  Range Slow(std::span<const numerics::Bits> point, int index) const;

  bool flushes() const { return judge.AllowsFlushing(); }

  const numerics::Operation operation;
  const JudgeOptions options;
  const Limit* const limit;
  const std::vector<numerics::ScalarType> result_types;
  const Judge judge;
  std::optional<double> constant_ulp;  // a multiple of a half
  bool is_rounded = false;             // every device rounds the exact value alike

 private:
  Range OtherComputations(std::span<const numerics::Bits> point, const Range& plain) const;
};

}  // namespace assay::oracle
