#include "oracle/judge/point_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "numerics/evaluate.h"
#include "numerics/function.h"

namespace assay::oracle {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

namespace {}  // namespace

PointRanges::PointRanges(const Operation& wanted, const Limit& known, const JudgeOptions& given)
    : operation(wanted),
      options(given),
      limit(&known),
      result_types(wanted.ResultTypes()),
      judge(wanted, known, given) {
  const std::vector<Bits> zeros(wanted.ArgumentTypes().size());
  const LimitKind kind = KindOf(*limit);
  if (kind == LimitKind::kUlp && !given.build.unsafe_math) {
    const double ulp = ToleranceAt(*limit, wanted, zeros, 0).ulp;
    if (2 * ulp == std::floor(2 * ulp)) constant_ulp = ulp;
  }
  is_rounded = (kind == LimitKind::kCorrectlyRounded || kind == LimitKind::kExact) &&
               given.rounding == Rounding::kRte && given.build == MathOptions{};
}

// Of most answers the place says all: the exact value's neighbours, counted in its binade.
std::optional<Range> PointRanges::Quick(const Exact& exact, int index) const {
  const ScalarType type = result_types[static_cast<std::size_t>(index)];
  if (!numerics::IsFloating(type)) {
    if (exact.kind != ResultKind::kInteger || exact.has_alternative || exact.low_seven_bits) {
      return std::nullopt;
    }
    return Range::Point(exact.below & numerics::WidthMask(type));
  }
  const Format format = numerics::FormatOf(type);
  if (is_rounded && (exact.kind == ResultKind::kFinite || exact.kind == ResultKind::kInfinite) &&
      !exact.any_zero_sign) {
    return Range::Point(Round(exact, format, Rounding::kRte));
  }
  if (exact.kind != ResultKind::kFinite || exact.prescribed || !constant_ulp) return std::nullopt;
  const auto room = static_cast<Bits>(*constant_ulp) + 3;
  const Bits magnitude = numerics::Magnitude(format, exact.below);
  const Bits mantissa = magnitude & numerics::MantissaMask(format);
  if (magnitude < numerics::MinNormal(format) || mantissa < room ||
      mantissa + room > numerics::MantissaMask(format)) {
    return std::nullopt;
  }
  // `fraction` is on the right side of each multiple of a half (exact.h), and so are the sums.
  const auto below = static_cast<std::int64_t>(magnitude);
  const std::int64_t outer =
      below + static_cast<std::int64_t>(std::floor(exact.fraction + *constant_ulp));
  const std::int64_t inner =
      below + static_cast<std::int64_t>(std::ceil(exact.fraction - *constant_ulp));
  return numerics::IsNegative(format, exact.below) ? NumbersBetween(type, -outer, -inner)
                                                   : NumbersBetween(type, inner, outer);
}

Range PointRanges::Slow(std::span<const Bits> point, int index) const {
  std::array<Exact, numerics::kMaxResults> exact;
  const auto all = std::span(exact).first(result_types.size());
  EvaluateExact(operation, point, all);
  const Accepted accepted = judge.AcceptedAnswers(point, all, index);
  const ScalarType type = result_types[static_cast<std::size_t>(index)];
  switch (accepted.kind) {
    case Accepted::Kind::kNoLimit:
    case Accepted::Kind::kAnything:
    case Accepted::Kind::kLowSevenBits: {
      const Exact& answer = all[static_cast<std::size_t>(index)];
      const bool is_sum = answer.kind == ResultKind::kUnspecified && answer.has_alternative;
      return Range::Anything(is_sum ? Open::kOverflow : Open::kNoLimit);
    }
    case Accepted::Kind::kNan:
      return Range::Point(numerics::QuietNan(numerics::FormatOf(type)));
    case Accepted::Kind::kIntegers:
      return accepted.low == accepted.high
                 ? Range::Point(accepted.low)
                 : Hull(type, Range::Point(accepted.low), Range::Point(accepted.high));
    case Accepted::Kind::kRange:
      break;
  }
  Range range = accepted.low == accepted.high ? Range::Point(accepted.low)
                                              : Range::Numbers(accepted.low, accepted.high);
  // An exact zero whose sign is open.
  if (range.IsPoint() && exact[static_cast<std::size_t>(index)].any_zero_sign) {
    range.kind = Range::Kind::kNumbers;
  }
  return judge.AllowsOtherComputations() ? OtherComputations(point, range) : range;
}

// Other computations that the table allows (Judge::IsDerivation, IsDefinition).
Range PointRanges::OtherComputations(std::span<const Bits> point, const Range& plain) const {
  if (KindOf(*limit) == LimitKind::kDerivedOrUlp) return Range::Anything(Open::kNoLimit);
  const Format f = operation.format;
  const ScalarType type = numerics::ScalarTypeOf(f);
  const auto apply = [&](Function function, std::initializer_list<Bits> operands) {
    std::array<Exact, 1> exact;
    EvaluateExact(Operation::Builtin(function, f), std::vector<Bits>(operands), exact);
    return Round(exact[0], f, options.rounding);
  };
  Range range = plain;
  const auto add = [&](Bits result) { range = Hull(type, range, Range::Point(result)); };
  if (KindOf(*limit) == LimitKind::kOneOf) {
    const Bits product = apply(Function::mul, {point[0], point[1]});
    add(apply(Function::add, {product, point[2]}));
    if (flushes() && numerics::IsSubnormal(f, product)) add(point[2]);
    return range;
  }
  if (operation.function == Function::mix) {
    const Bits x = point[0], a = point[2];
    const Bits difference = apply(Function::sub, {point[1], x});
    add(apply(Function::add, {x, apply(Function::mul, {difference, a})}));
    add(apply(Function::fma, {difference, a, x}));
  } else if (operation.function == Function::smoothstep) {
    const Bits one = numerics::One(f);
    const Bits two = one + numerics::MinNormal(f), three = two + numerics::MinNormal(f) / 2;
    const Bits quotient = apply(Function::div, {apply(Function::sub, {point[2], point[0]}),
                                                apply(Function::sub, {point[1], point[0]})});
    const Bits t = apply(Function::fmin, {apply(Function::fmax, {quotient, 0}), one});
    add(apply(Function::mul, {apply(Function::mul, {t, t}),
                              apply(Function::sub, {three, apply(Function::mul, {two, t})})}));
  }
  return range;
}

Range PointRanges::At(std::span<const Bits> point, std::span<const Exact> exact, int index) const {
  const auto quick = Quick(exact[static_cast<std::size_t>(index)], index);
  return quick ? *quick : Slow(point, index);
}

}  // namespace assay::oracle
