#include "oracle/judge/math_options.h"

#include "base/build_words.h"

namespace assay::oracle {
MathOptions ParseMathOptions(std::string_view build_options) {
  const base::BuildWords words(build_options);
  MathOptions options;
  options.single_precision_constant = words.Has("-cl-single-precision-constant");
  options.denorms_are_zero = words.Has("-cl-denorms-are-zero");
  options.correctly_rounded_divide_sqrt = words.Has("-cl-fp32-correctly-rounded-divide-sqrt");
  options.mad_enable = words.Has("-cl-mad-enable");
  options.no_signed_zeros = words.Has("-cl-no-signed-zeros");
  options.finite_math_only = words.AssumesFiniteMath();
  if (words.AllowsUnsafeMath()) options.SetUnsafeMath();
  return options;
}

MathOptions MathOptionsOf(MathMode math, std::string_view build_options) {
  MathOptions options = ParseMathOptions(build_options);
  if (math == MathMode::kRelaxed) options.SetFastRelaxedMath();
  return options;
}

}  // namespace assay::oracle
