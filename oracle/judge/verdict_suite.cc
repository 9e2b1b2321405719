// Reading::kSuite where it is not the texts' with other limits.
//
// Source: OpenCL-CTS, test_conformance/math_brute_force (unary_float.cpp, binary_float.cpp,
// unary_two_results_i_float.cpp, binary_two_results_i_float.cpp) and test_conformance/conversions
// (basic_test_conversions.cpp, conversions_data_info.h), at commit b8f8906.
#include <cmath>
#include <limits>

#include "numerics/function.h"
#include "oracle/judge/verdict.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::OperationKind;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

namespace {

using numerics::kInfinity;

double RoundToInteger(double value, Rounding mode) {
  switch (mode) {
    case Rounding::kRte:
      return std::nearbyint(value);  // the host's mode is to nearest
    case Rounding::kRtz:
      return std::trunc(value);
    case Rounding::kRtp:
      return std::ceil(value);
    case Rounding::kRtn:
      return std::floor(value);
  }
  return value;
}

// The integer that an operand beyond the range of `to` rounds to, where that is in range: it is the
// end of the range.
std::optional<Bits> RoundsIntoRange(double operand, ScalarType to, Rounding mode) {
  if (!std::isfinite(operand)) return std::nullopt;
  const int width = numerics::WidthOf(to);
  const int bits = numerics::IsSigned(to) ? width - 1 : width;
  const double beyond = std::ldexp(1.0, bits);
  const double lowest = numerics::IsSigned(to) ? -beyond : 0;
  const double rounded = RoundToInteger(operand, mode);
  if (rounded < lowest || rounded >= beyond) return std::nullopt;
  const Bits value = rounded < 0 ? static_cast<Bits>(static_cast<std::int64_t>(rounded))
                                 : static_cast<Bits>(rounded);
  return value & (~Bits{0} >> (64 - width));
}

}  // namespace

std::optional<Outcome> Judge::JudgeAsSuite(std::span<const Bits> args, const Exact& exact,
                                           Bits observed, int index) const {
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  const Outcome open{Rule::kUnspecified, kNotApplicable};
  if (operation_.kind == OperationKind::kConvert && !numerics::IsFloating(type) &&
      numerics::IsFloating(argument_types_[0])) {
    const Format from = numerics::FormatOf(argument_types_[0]);
    // NaN becomes any integer, also by _sat.
    if (numerics::IsNan(from, args[0])) return open;
    if (exact.kind != ResultKind::kUnspecified) return std::nullopt;
    const auto due = RoundsIntoRange(numerics::ToDouble(from, args[0]), type,
                                     operation_.suffix.value_or(Rounding::kRtz));
    if (!due || observed == *due) return open;
    return Outcome{Rule::kWrongInteger, kInfinity};
  }
  if (operation_.kind != OperationKind::kBuiltin || index != 1) {
    // An error of any size is below lgamma's limit, also that of a number in place of an infinity.
    const bool pole = is_lgamma_ && index == 0 && exact.kind == ResultKind::kInfinite &&
                      observed != exact.below &&
                      !numerics::IsNan(numerics::FormatOf(type), observed);
    return pole ? std::optional(open) : std::nullopt;
  }
  if (operation_.function == Function::lgamma_r) return open;  // so is its sign
  if (operation_.function == Function::remquo) {
    const Format f = operation_.format;
    const bool no_quotient = numerics::IsNan(f, args[0]) || numerics::IsInfinite(f, args[0]) ||
                             numerics::IsNan(f, args[1]) || numerics::IsZero(f, args[1]);
    if (no_quotient) return open;
  }
  return std::nullopt;
}

}  // namespace assay::oracle
