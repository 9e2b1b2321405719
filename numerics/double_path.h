// The certified fast path of double results: double-double approximations with a stated error
// bound, and Ziv's test.
//
// The exact value lies within the bound of the approximation.  Where that interval holds no number
// of the format and no midpoint, its place on the grid is certain; else MPFR answers.  The fraction
// of a gap is then known to 2^-16 and better.  `assay certify` compares with MPFR.
#pragma once

#include "numerics/exact.h"
#include "numerics/functions.h"

namespace assay::numerics {

struct FastPath;

// The path of one result of a function of double operands; nullptr where it has none.
const FastPath* FindDoublePath(Function function, int result);

}  // namespace assay::numerics
