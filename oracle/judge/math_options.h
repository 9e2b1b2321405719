// The build options of a program that affect floating-point arithmetic, and so the allowed answers
// (OpenCL API, "Math Intrinsics Options" and "Optimization Options").
#pragma once

#include <string_view>

#include "oracle/judge/limits.h"

namespace assay::oracle {

struct MathOptions {
  // Affects only literals, which the test kernels do not have: it changes no verdict.
  bool single_precision_constant = false;
  bool denorms_are_zero = false;  // float and double; the text does not name half
  bool correctly_rounded_divide_sqrt = false;
  bool mad_enable = false;
  bool no_signed_zeros = false;
  // -cl-unsafe-math-optimizations: the limits of the unsafe-math table, and prescribed values of
  // edge cases need not be met.  Never set without mad_enable, no_signed_zeros and
  // denorms_are_zero, which it includes.
  bool unsafe_math = false;
  bool finite_math_only = false;  // no operand and no result is a NaN or an infinity

  bool operator==(const MathOptions&) const = default;

  void SetUnsafeMath() { unsafe_math = no_signed_zeros = mad_enable = denorms_are_zero = true; }
  // -cl-fast-relaxed-math: -cl-finite-math-only and -cl-unsafe-math-optimizations.
  void SetFastRelaxedMath() {
    SetUnsafeMath();
    finite_math_only = true;
  }
  bool IsFastRelaxedMath() const { return unsafe_math && finite_math_only; }
};

// Everything else in `build_options` (-D, -I, -O2, ...) changes no verdict.
MathOptions ParseMathOptions(std::string_view build_options);

// The options that `math` and the build options set together.
MathOptions MathOptionsOf(MathMode math, std::string_view build_options);

}  // namespace assay::oracle
