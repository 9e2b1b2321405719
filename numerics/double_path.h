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
#include <cstdint>

#include "numerics/exact.h"
#include "numerics/functions.h"

namespace assay::numerics {

struct FastPath;

// The path of one result of a function of double operands; nullptr where it has none.
const FastPath* FindDoublePath(Function function, int result);

// The doubles nearest to the values of up to 64 tuples of operands, of which each operand is an
// array; integers (pown, rootn, ldexp) are doubles, too, also where they are results. Bit i of the
// answer: results[i] is the one of tuple i. Others are left open, as are operands that are not
// finite, or zero. The processor rounds to nearest and does not flush.
using DoubleFunction = std::uint64_t (*)(const double* const* arguments, std::size_t count,
                                         double* results);

// Of one result of a function; null where it has none.
DoubleFunction FindDoubleFunction(Function function, int result = 0);

// The values of the first step, as arrays: |exact * scale - (high + low)| <= error, |low| at most
// half an ulp of high; scale is 1, or kDoubleLifted of tiny values, of which `high` need not be a
// number of the format when it is divided by it.  An infinite error, or NaN: nothing is known, as
// of operands that are not finite or zero. `high` NaN: NaN is the exact answer.  Infinite: the
// magnitude is at least 2^1024; or, if `low` is infinite, too, the value is that infinity. Zero,
// with the sign of the value: |low| is its magnitude in units of the least number, as the exact
// evaluation gives it; 0 or 1: it is less than a sixteenth, and no more is known.  An error of -0:
// the value is exactly (high + low) / scale.
struct DoubleNear {
  double* high;
  double* low;
  double* error;
  double* scale;
};
inline constexpr double kDoubleLifted = 0x1p200;
using DoubleBatch = void (*)(const double* const* arguments, std::size_t count, DoubleNear* near);

// Of one result of a function; null where it has none.
DoubleBatch FindDoubleBatch(Function function, int result = 0);
// Of both results of a function, near[0] and near[1], by one reduction: what the two give, to the
// bit. Null where nothing is gained.
DoubleBatch FindDoublePairBatch(Function function);
// Whether the values are numbers of the format, or integers: `high` is then the value itself, zero,
// too, wherever the error is 0.
bool IsExactDouble(Function function, int result);

}  // namespace assay::numerics
