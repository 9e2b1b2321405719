#include "numerics/hard_cases.h"

#include <algorithm>
#include <iterator>

#include "numerics/evaluate_builtin.h"
#include "numerics/hard_cases_data.h"
#include "numerics/shape.h"

namespace assay::numerics {

Function CasesOf(Function function) {
  const Function base = BaseOf(function);
  return base == Function::powr ? Function::pow : base;
}

bool HasHardCases(Function function) {
  constexpr Function kExact[] = {Function::fmod, Function::remainder, Function::remquo,
                                 Function::fract, Function::ldexp};
  return std::ranges::find(kExact, function) == std::end(kExact) && CasesOf(function) == function &&
         !Info(function).IsGeometric() && NeedsMpfr(Operation::Builtin(function, Format::kFloat));
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
