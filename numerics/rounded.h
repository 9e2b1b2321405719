// Correctly rounded results for many inputs at once, as bits.  The interpreter uses them.
#pragma once

#include <cstddef>
#include <memory>

#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "numerics/rounding.h"

namespace assay::numerics {

// The same results as Round(EvaluateExact(...)): NaN is canonical; a result that the specification
// does not define is NaN (an integer: 0), but half_sin, half_cos and half_tan go on beyond 2^16; a
// signaling NaN behaves as a quiet one. Where a certified fast path answers and the mode is rte,
// one rounding of its double does, unless the double lies within its error of a midpoint.
//
// Thread-safe after construction.
class RoundedEvaluator {
 public:
  RoundedEvaluator(const Operation& operation, Rounding rounding, bool flush_to_zero);
  ~RoundedEvaluator();
  RoundedEvaluator(RoundedEvaluator&&) noexcept;

  // Arrays of `count` elements: one for each scalar operand (ArgumentTypes) and, written, one for
  // each scalar result (ResultTypes).
  void Evaluate(const void* const* arguments, void* const* results, std::size_t count) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::numerics
