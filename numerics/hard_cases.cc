#include "numerics/hard_cases.h"

#include <string_view>

namespace assay::numerics {
namespace {

// native_sin -> sin; operators and others are their own.
Function Computed(Function function) {
  std::string_view name = Info(function).name;
  for (std::string_view prefix : {"half_", "native_"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (name == "divide") return Function::div;
    if (name == "recip") return Function::recip_div;
    return FunctionFromName(name).value_or(function);
  }
  // Both results of sincos are hard where either function is; sin's list serves.
  return function == Function::sincos     ? Function::sin
         : function == Function::lgamma_r ? Function::lgamma
         : function == Function::powr     ? Function::pow
                                          : function;
}

}  // namespace

std::vector<Bits> HardCases(Function function, Format format) {
  const Function computed = Computed(function);
#define ASSAY_HARD_CASES(id, cases_format, ...) \
  if (computed == Function::id && format == Format::cases_format) return {__VA_ARGS__};
#include "numerics/hard_cases.def"
#undef ASSAY_HARD_CASES
  return {};
}

}  // namespace assay::numerics
