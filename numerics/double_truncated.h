// Functions of double that grow with their operand, rounded toward zero: the number of the format
// next to the exact value toward zero, which is never the value itself but for the operands below.
//
// LLVM libc says that they are correctly rounded in each rounding mode of the processor;
// double_truncated_test.cc asks MPFR.
#pragma once

#include "numerics/functions.h"

namespace assay::numerics {

// Of a positive, for exp of any, normal number for which the result is normal.  To be called while
// the processor rounds toward zero.
using TruncatedFunction = double (*)(double);
struct TruncatedDouble {
  TruncatedFunction function = nullptr;  // null: there is none
  bool needs_positive = false;
  double exact_at = 0;  // the only operand with a result that is a number of the format
};
TruncatedDouble FindTruncatedDouble(Function function);

}  // namespace assay::numerics
