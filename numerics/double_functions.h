// Correctly rounded functions of double, to nearest: most operands in nanoseconds.
//
// A function of LLVM libc that is correctly rounded gives the result itself. All others compute the
// value as a sum of two doubles with a bound of its error, and answer where the whole interval
// rounds to one number (Ziv, "Fast evaluation of elementary mathematical functions with correctly
// rounded last bit", 1991). What they leave open is MPFR's.
#pragma once

#include "numerics/functions.h"

namespace assay::numerics {

// Arguments are finite and not zero; integers (pown, rootn) are doubles, too, zero included. False:
// the result is left open. The processor rounds to nearest and does not flush.
using DoubleFunction = bool (*)(const double* arguments, double* result);

// Null for a function that has none.
DoubleFunction FindDoubleFunction(Function function);

}  // namespace assay::numerics
