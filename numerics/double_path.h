// Double results: double-double approximations with a stated error bound, and Ziv's test ("Fast
// evaluation of elementary mathematical functions with correctly rounded last bit", 1991).
//
// The exact value lies within the bound of the approximation.  The first step (double_quick.inc)
// is known to some 2^-60, which tells the nearest double of all but a few operands, and how far an
// answer is off.  The second step is known to 2^-70: where its interval holds no number of the
// format and no midpoint, the place on the grid is certain, and the fraction of a gap is known to
// 2^-16 and better.  All else is MPFR's.  `assay certify` compares with MPFR.
#pragma once

#include <cstddef>

#include "numerics/exact.h"
#include "numerics/functions.h"

namespace assay::numerics {

struct FastPath;

// The path of one result of a function of double operands; nullptr where it has none.
const FastPath* FindDoublePath(Function function, int result);

// The double nearest to the value.  Arguments are finite and not zero; integers (pown, rootn) are
// doubles, too, zero included.  False: the result is left open. The processor rounds to nearest and
// does not flush.
using DoubleFunction = bool (*)(const double* arguments, double* result);

// Null for a function that has none.
DoubleFunction FindDoubleFunction(Function function);

// The values of the first step, as arrays: |exact - (high + low)| <= error, |low| at most half an
// ulp of high.  An infinite error, or NaN: nothing is known, as of operands that are not finite or
// zero. `high` NaN: NaN is the exact answer.  Infinite: the value is beyond every finite number, by
// any amount. Zero: less than a sixteenth of the least number, with that sign.
struct DoubleNear {
  double* high;
  double* low;
  double* error;
};
using DoubleBatch = void (*)(const double* const* arguments, std::size_t count, DoubleNear* near);

// Null for a function that has none.
DoubleBatch FindDoubleBatch(Function function);

}  // namespace assay::numerics
