#include "oracle/judge/math_options.h"

namespace assay::oracle {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Takes the next word off `rest`: quotation marks hold one together.
std::string_view TakeWord(std::string_view* rest) {
  const std::size_t begin = rest->find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    *rest = {};
    return {};
  }
  char quote = '\0';
  std::size_t end = begin;
  for (; end < rest->size(); ++end) {
    const char c = (*rest)[end];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (kBlanks.find(c) != std::string_view::npos) {
      break;
    }
  }
  const std::string_view word = rest->substr(begin, end - begin);
  rest->remove_prefix(end);
  return word;
}

}  // namespace

MathOptions ParseMathOptions(std::string_view build_options) {
  MathOptions options;
  while (!build_options.empty()) {
    const std::string_view word = TakeWord(&build_options);
    if (word == "-D" || word == "-I") {
      TakeWord(&build_options);  // its operand, whatever it looks like
    } else if (word == "-cl-single-precision-constant") {
      options.single_precision_constant = true;
    } else if (word == "-cl-denorms-are-zero") {
      options.denorms_are_zero = true;
    } else if (word == "-cl-fp32-correctly-rounded-divide-sqrt") {
      options.correctly_rounded_divide_sqrt = true;
    } else if (word == "-cl-mad-enable") {
      options.mad_enable = true;
    } else if (word == "-cl-no-signed-zeros") {
      options.no_signed_zeros = true;
    } else if (word == "-cl-unsafe-math-optimizations") {
      options.SetUnsafeMath();
    } else if (word == "-cl-finite-math-only") {
      options.finite_math_only = true;
    } else if (word == "-cl-fast-relaxed-math") {
      options.SetFastRelaxedMath();
    }
  }
  return options;
}

MathOptions MathOptionsOf(MathMode math, std::string_view build_options) {
  MathOptions options = ParseMathOptions(build_options);
  if (math == MathMode::kRelaxed) options.SetFastRelaxedMath();
  return options;
}

}  // namespace assay::oracle
