// Derived computations of the unsafe-math table, in interval arithmetic.
//
// "Derived implementations may implement as exp2(x * log2(10))", and "the operations used in the
// derivation may themselves be relaxed": so every step may have the error that the same table
// allows for it.  Evaluated over intervals that enclose all such steps, the formula encloses every
// answer that a derived implementation may give.
#pragma once

#include <span>

#include "oracle/judge/bound.h"

namespace assay::oracle {

// A closed range of real numbers; an infinite end includes that infinity, as an overflow gives.
struct Interval {
  double low = 0, high = 0;
  bool anything = false;  // NaN too: some step is undefined somewhere in its operands' ranges

  static Interval Anything();
  static Interval Hull(const Interval& a, const Interval& b);
  bool Contains(double v) const;
};

// Everything that the derivations of `function` (kDerivedOrUlp in relaxed mode, float) give at
// these operands, or nothing where the table has no formula for them.
std::optional<Interval> EvaluateDerivations(numerics::Function function, Profile profile,
                                            std::span<const double> args);

}  // namespace assay::oracle
