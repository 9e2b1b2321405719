// The certified fast path of double results: double-double approximations with a stated error bound,
// and Ziv's test.
//
// The exact value lies within the bound of the approximation.  Where that interval holds no number of
// the format and no midpoint, its place on the grid is certain; else MPFR answers.  The fraction of a
// gap is then known to 2^-16 and better.  `assay certify` compares with MPFR.
#pragma once

#include "numerics/exact.h"
#include "numerics/functions.h"

namespace assay::numerics {

struct FastPath;

// The path of one result of a function of double operands; nullptr where it has none.
const FastPath* FindDoublePath(Function function, int result);

namespace dd {

struct Dd;

// A real number near (value.hi + value.lo) 2^scale.  hi NaN: NaN is the exact answer.
struct Approximation {
  double hi = 0, lo = 0;
  int scale = 0;
  double error = 0;  // relative; 0: the number itself; negative: ask MPFR
};

// The bound of the compositions in double_*.cc that do not say another.
inline constexpr double kError = 0x1p-70;

// Places it on the grid of double, or answers false where the error leaves a doubt, and for zero.
bool Place(const Approximation& approximation, Exact* exact);

}  // namespace dd
}  // namespace assay::numerics
