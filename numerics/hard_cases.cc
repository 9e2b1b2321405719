#include "numerics/hard_cases.h"

#include <string_view>

#include "numerics/evaluate_builtin.h"
#include "numerics/hard_cases_data.h"

namespace assay::numerics {

Function CasesOf(Function function) {
  std::string_view name = Info(function).name;
  for (std::string_view prefix : {"half_", "native_"}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    if (name == "divide") return Function::div;
    if (name == "recip") return Function::recip_div;
    return CasesOf(FunctionFromName(name).value_or(function));
  }
  switch (function) {
    case Function::sincos:  // both results are hard where either function is
      return Function::sin;
    case Function::lgamma_r:
      return Function::lgamma;
    case Function::powr:
      return Function::pow;
    case Function::mad:
    case Function::mul_add:
      return Function::fma;
    default:
      return function;
  }
}

bool HasHardCases(Function function) {
  switch (function) {
    case Function::fmod:
    case Function::remainder:
    case Function::remquo:
    case Function::fract:
    case Function::ldexp:
      return false;
    default:
      return CasesOf(function) == function && !Info(function).IsGeometric() &&
             NeedsMpfr(Operation::Builtin(function, Format::kFloat));
  }
}

std::span<const HardCase> HardCaseRows(Function function, Format format) {
  return EmbeddedHardCases(CasesOf(function), format);
}

std::vector<Bits> HardCases(Function function, Format format) {
  std::vector<Bits> flattened;
  const auto arity = static_cast<std::size_t>(Info(function).Arity());
  for (const HardCase& hard : HardCaseRows(function, format)) {
    flattened.insert(flattened.end(), hard.args.begin(),
                     hard.args.begin() + static_cast<std::ptrdiff_t>(arity));
  }
  return flattened;
}

}  // namespace assay::numerics
