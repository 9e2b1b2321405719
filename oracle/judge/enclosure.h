// The answers that conforming devices may give where operands are known only to lie in ranges, for
// envelopes of kernels (interp/envelope).
//
// An enclosure contains every answer that Judge accepts for any operands in the ranges, with the
// allowances of 7.5.3 (flushing) and of other computations.  It may contain more, and does not
// where it matters: for operands that are known, and for ranges in which the function is monotonic
// in each operand, its ends are answers that conform.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "numerics/operation.h"
#include "oracle/judge/range.h"
#include "oracle/judge/verdict.h"

namespace assay::oracle {

class Enclosure {
 public:
  // `options` as for Judge.  An operation without a limit there encloses nothing.
  Enclosure(const numerics::Operation& operation, const JudgeOptions& options);
  ~Enclosure();
  Enclosure(Enclosure&&) noexcept;

  // `count` items; operand i of an item is args[i * count + item], and so are the results.
  void Evaluate(std::span<const Range> args, std::size_t count, std::span<Range> results) const;

  // What is allowed to all results alike, with results that are no whole floats and far from
  // subnormal numbers and powers of two.
  struct Facts {
    bool is_open = false;            // nothing is known of any result
    bool is_rounded = false;         // every device rounds the exact value alike
    std::optional<double> ulp;       // the error in ulp
    std::optional<double> absolute;  // the error, where the largest operand is 1 (limits.h)
  };
  Facts FactsOf() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::oracle
