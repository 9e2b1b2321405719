// Ranges of functions of double, by numbers rounded toward zero.
#include <bit>
#include <cstdint>

#include "interp/envelope/columns.h"
#include "numerics/double_truncated.h"
#include "numerics/float_environment.h"
#include "numerics/format.h"
#include "numerics/function.h"

namespace assay::interp {

namespace {

constexpr auto kDouble = numerics::Format::kDouble;

struct DoubleEnds {
  std::uint64_t low = 0, high = 0;
};

// What an error of `steps` ulp allows around a value whose place toward zero is `below`, and which
// is no number of the format; false: it is too near to a power of two, or not normal.
bool Around(double below, std::uint64_t steps, DoubleEnds* ends) {
  const auto bits = std::bit_cast<std::uint64_t>(below);
  const std::uint64_t magnitude = numerics::Magnitude(kDouble, bits);
  const std::uint64_t mantissa = magnitude & numerics::MantissaMask(kDouble);
  const std::uint64_t room = steps + 3;
  if (magnitude < numerics::MinNormal(kDouble) || magnitude >= numerics::Infinity(kDouble) ||
      mantissa < room || mantissa + room > numerics::MantissaMask(kDouble)) {
    return false;
  }
  const std::uint64_t sign = bits & numerics::SignMask(kDouble);
  const std::uint64_t outer = (magnitude + steps) | sign, inner = (magnitude + 1 - steps) | sign;
  *ends = sign != 0 ? DoubleEnds{outer, inner} : DoubleEnds{inner, outer};
  return true;
}

// Just above a power of two twice as many numbers below it are allowed (oracle/judge/enclosure.cc).
bool CrossesBinade(const DoubleEnds& ends) { return (ends.low ^ ends.high) >> 52 != 0; }

template <typename T>
T At(const std::byte* column, std::uint32_t lane) {
  return reinterpret_cast<const T*>(column)[lane];
}

// A function that grows with its operand.
void RunTruncated(const numerics::TruncatedDouble& of, EnvelopeColumns* columns) {
  const numerics::FloatEnvironmentScope toward_zero(
      numerics::MakeFloatEnvironment(numerics::Rounding::kRtz, false));
  columns->special = columns->open = columns->made[0] = 0;
  const auto takes = [&](double x) {
    const std::uint64_t magnitude = numerics::Magnitude(kDouble, std::bit_cast<std::uint64_t>(x));
    return magnitude - numerics::MinNormal(kDouble) <
               numerics::Infinity(kDouble) - numerics::MinNormal(kDouble) &&
           x != of.exact_at && (x > 0 || !of.needs_positive);
  };
  for (std::uint64_t rest = columns->lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t own = rest & -rest;
    const bool is_wide = (columns->wide[0] & own) != 0;
    const auto low = At<double>(is_wide ? columns->low[0] : columns->value[0], lane);
    const auto high = At<double>(is_wide ? columns->high[0] : columns->value[0], lane);
    DoubleEnds first, last;
    bool known = takes(low) && Around(of.function(low), columns->error, &first);
    last = first;
    if (is_wide) known = known && takes(high) && Around(of.function(high), columns->error, &last);
    const DoubleEnds made = {first.low, last.high};
    if (!known || (is_wide && CrossesBinade(made))) {
      columns->special |= own;
      continue;
    }
    reinterpret_cast<std::uint64_t*>(columns->result_low[0])[lane] = made.low;
    reinterpret_cast<std::uint64_t*>(columns->result_high[0])[lane] = made.high;
    columns->made[0] |= own;
  }
}

}  // namespace

EnvelopeFunction FindDoubleEnds(numerics::Function function) {
  using enum numerics::Function;
  if (function == exp) {
    return
        [](EnvelopeColumns* columns) { RunTruncated(numerics::FindTruncatedDouble(exp), columns); };
  }
  if (function == log) {
    return
        [](EnvelopeColumns* columns) { RunTruncated(numerics::FindTruncatedDouble(log), columns); };
  }
  return nullptr;
}

}  // namespace assay::interp
