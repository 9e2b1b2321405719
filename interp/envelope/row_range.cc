#include "interp/envelope/row_range.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "interp/envelope/integer_range.h"
#include "interp/execute/row_operation.h"
#include "numerics/convert.h"

namespace assay::interp {

using numerics::Format;
using numerics::ScalarType;
using oracle::Open;
using oracle::Range;

ScalarType ScalarOf(Kind kind) {
  switch (kind) {
    case Kind::kBool:
    case Kind::kI8:
      return ScalarType::kUchar;
    case Kind::kI16:
      return ScalarType::kUshort;
    case Kind::kI32:
      return ScalarType::kUint;
    case Kind::kI64:
      return ScalarType::kUlong;
    case Kind::kF16:
    case Kind::kF32:
    case Kind::kF64:
      break;
  }
  return numerics::ScalarTypeOf(FormatOf(kind));
}

namespace {

bool IsNan(Kind kind, std::uint64_t bits) {
  return IsFloat(kind) && numerics::IsNan(FormatOf(kind), bits);
}
std::int64_t Index(Kind kind, std::uint64_t bits) {
  return numerics::OrderedIndex(FormatOf(kind), bits);
}
bool HasZero(Kind kind, const Range& range) {
  return Index(kind, range.low) <= 0 && Index(kind, range.high) >= 0;
}
bool HasInfinity(Kind kind, const Range& range) {
  const Format format = FormatOf(kind);
  return numerics::IsInfinite(format, range.low) || numerics::IsInfinite(format, range.high);
}

// As a point where it is one value; a zero of a range has any sign.
Range Tidy(Kind kind, const Range& range) {
  if (range.kind != Range::Kind::kNumbers || range.low != range.high) return range;
  return numerics::IsZero(FormatOf(kind), range.low) ? range : Range::Point(range.low);
}

// At the ends of all operands.
template <typename Function>
Range AtCorners(Kind kind, std::span<const Range> operands, const Function& function) {
  std::optional<Range> range;
  std::array<std::uint64_t, 4> point{};
  for (std::uint32_t corner = 0; corner < 1u << operands.size(); ++corner) {
    bool repeats = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool high = (corner >> i & 1) != 0;
      repeats = repeats || (high && operands[i].low == operands[i].high);
      point[i] = high ? operands[i].high : operands[i].low;
    }
    if (repeats) continue;
    const Range one = Range::Point(function(std::span(point).first(operands.size())));
    range = range ? Hull(ScalarOf(kind), *range, one) : one;
  }
  bool any = false;
  for (const Range& operand : operands) any = any || !operand.IsPoint();
  // One value, but of operands with zeros of any sign.
  if (any && range->IsPoint() && numerics::IsZero(FormatOf(kind), range->low)) {
    range->kind = Range::Kind::kNumbers;
  }
  return *range;
}

// 0 * infinity between the ends, or infinity - infinity.
bool MayBeNan(Opcode opcode, Kind kind, std::span<const Range> operands) {
  const auto product = [&](const Range& a, const Range& b) {
    return (HasZero(kind, a) && HasInfinity(kind, b)) || (HasZero(kind, b) && HasInfinity(kind, a));
  };
  // Of operands that are known the sum is, too.
  bool are_points = true;
  for (const Range& operand : operands) are_points = are_points && operand.IsPoint();
  const auto has = [&](const Range& range, bool negative) {
    const std::uint64_t infinity =
        numerics::Infinity(FormatOf(kind)) | (negative ? numerics::SignMask(FormatOf(kind)) : 0);
    return range.low == infinity || range.high == infinity;
  };
  switch (opcode) {
    case Opcode::kFAdd:
    case Opcode::kFSub: {
      const bool subtracts = opcode == Opcode::kFSub;
      return !are_points && ((has(operands[0], false) && has(operands[1], !subtracts)) ||
                             (has(operands[0], true) && has(operands[1], subtracts)));
    }
    case Opcode::kFMul:
      return product(operands[0], operands[1]);
    case Opcode::kMultiplyAdd:
    case Opcode::kMad:
    case Opcode::kFusedMultiplyAdd: {
      const bool is_infinite = HasInfinity(kind, operands[0]) || HasInfinity(kind, operands[1]);
      return product(operands[0], operands[1]) ||
             (!are_points && is_infinite && HasInfinity(kind, operands[2]));
    }
    case Opcode::kFDiv:
      return HasZero(kind, operands[1]) ||
             (HasInfinity(kind, operands[0]) && HasInfinity(kind, operands[1]));
    default:
      return false;
  }
}

Range Both() { return Range::Integers(0, 1); }
Range Truth(bool may_be_true, bool may_be_false) {
  if (may_be_true && may_be_false) return Both();
  return Range::Point(may_be_true ? 1 : 0);
}

bool Overlap(Kind kind, const Range& a, const Range& b) {
  return Index(kind, a.low) <= Index(kind, b.high) && Index(kind, b.low) <= Index(kind, a.high);
}
bool AreSame(Kind kind, const Range& a, const Range& b) {
  return Index(kind, a.low) == Index(kind, a.high) && Index(kind, b.low) == Index(kind, b.high) &&
         Index(kind, a.low) == Index(kind, b.low);
}

// Comparisons of numbers, none of them a NaN.
Range CompareNumbers(Opcode opcode, Kind kind, const Range& a, const Range& b) {
  const std::int64_t a_low = Index(kind, a.low), a_high = Index(kind, a.high);
  const std::int64_t b_low = Index(kind, b.low), b_high = Index(kind, b.high);
  switch (opcode) {
    case Opcode::kFOrdEqual:
    case Opcode::kFUnordEqual:
      return Truth(Overlap(kind, a, b), !AreSame(kind, a, b));
    case Opcode::kFOrdNotEqual:
    case Opcode::kFUnordNotEqual:
    case Opcode::kLessOrGreater:
      return Truth(!AreSame(kind, a, b), Overlap(kind, a, b));
    case Opcode::kFOrdLessThan:
    case Opcode::kFUnordLessThan:
      return Truth(a_low < b_high, a_high >= b_low);
    case Opcode::kFOrdGreaterThan:
    case Opcode::kFUnordGreaterThan:
      return Truth(a_high > b_low, a_low <= b_high);
    case Opcode::kFOrdLessThanEqual:
    case Opcode::kFUnordLessThanEqual:
      return Truth(a_low <= b_high, a_high > b_low);
    case Opcode::kFOrdGreaterThanEqual:
    case Opcode::kFUnordGreaterThanEqual:
      return Truth(a_high >= b_low, a_low < b_high);
    case Opcode::kOrdered:
      return Range::Point(1);
    case Opcode::kUnordered:
      return Range::Point(0);
    default:
      return Both();
  }
}

Range TestNumbers(Opcode opcode, Kind kind, const Range& a) {
  const Format format = FormatOf(kind);
  const bool infinite = HasInfinity(kind, a);
  const bool only_infinite = infinite && a.low == a.high;
  const auto normal = static_cast<std::int64_t>(numerics::MinNormal(format));
  switch (opcode) {
    case Opcode::kIsNan:
      return Range::Point(0);
    case Opcode::kIsInf:
      return Truth(infinite, !only_infinite);
    case Opcode::kIsFinite:
      return Truth(!only_infinite, infinite);
    case Opcode::kIsNormal: {
      const bool small = Index(kind, a.low) < normal && Index(kind, a.high) > -normal;
      const bool inside = !small && !infinite;
      return inside ? Range::Point(1) : Both();
    }
    case Opcode::kSignBitSet:
      return Truth(Index(kind, a.low) <= 0, Index(kind, a.high) >= 0);
    default:
      return Both();
  }
}

bool IsComparison(Opcode opcode) {
  return opcode >= Opcode::kFOrdEqual && opcode <= Opcode::kUnordered;
}
bool IsTest(Opcode opcode) { return opcode >= Opcode::kIsNan && opcode <= Opcode::kSignBitSet; }

Range MagnitudeRange(Kind kind, const Range& a) {
  const Format format = FormatOf(kind);
  const std::int64_t low = Index(kind, a.low), high = Index(kind, a.high);
  const std::int64_t least = low > 0 ? low : high < 0 ? -high : 0;
  return Range::Numbers(numerics::FromOrderedIndex(format, least),
                        numerics::FromOrderedIndex(format, std::max(-low, high)));
}

Range CopySignRange(Kind kind, const Range& a, const Range& b) {
  const Format format = FormatOf(kind);
  const Range magnitude = MagnitudeRange(kind, a);
  const Range negative = Range::Numbers(numerics::Negate(format, magnitude.high),
                                        numerics::Negate(format, magnitude.low));
  if (Index(kind, b.low) > 0 || (b.IsPoint() && !numerics::IsNegative(format, b.low))) {
    return magnitude;
  }
  if (Index(kind, b.high) < 0 || (b.IsPoint() && numerics::IsNegative(format, b.low))) {
    return negative;
  }
  return Hull(ScalarOf(kind), magnitude, negative);
}

Range FloatRow(Opcode opcode, Kind kind, std::span<const Range> operands) {
  bool has_nan = false;
  for (const Range& operand : operands) has_nan = has_nan || IsNan(kind, operand.low);
  if (IsComparison(opcode) || IsTest(opcode)) {
    // Of a NaN the bits decide nothing: all other operands give the same.
    if (has_nan) {
      std::array<std::uint64_t, 4> point{};
      for (std::size_t i = 0; i < operands.size(); ++i) point[i] = operands[i].low;
      if (opcode == Opcode::kSignBitSet) return Both();
      return Range::Point(ComputeRow(opcode, kind, std::span(point).first(operands.size())));
    }
    return IsTest(opcode) ? TestNumbers(opcode, kind, operands[0])
                          : CompareNumbers(opcode, kind, operands[0], operands[1]);
  }
  if (opcode == Opcode::kCopysign && !has_nan) {
    return CopySignRange(kind, operands[0], operands[1]);
  }
  if (opcode == Opcode::kFabs && !has_nan) return MagnitudeRange(kind, operands[0]);
  if (opcode == Opcode::kCopysign || (has_nan && opcode == Opcode::kFabs)) {
    return has_nan && IsNan(kind, operands[0].low) ? operands[0] : Range::Anything(Open::kUnstated);
  }
  if (!has_nan && MayBeNan(opcode, kind, operands)) return Range::Anything(Open::kPole);
  // The others grow or fall with each operand.
  Range range = AtCorners(kind, operands, [&](std::span<const std::uint64_t> point) {
    return ComputeRow(opcode, kind, point);
  });
  const bool is_extreme = opcode == Opcode::kFmin || opcode == Opcode::kFmax ||
                          opcode == Opcode::kFminCommon || opcode == Opcode::kFmaxCommon;
  if (is_extreme && !has_nan && range.low == range.high && Index(kind, range.low) == 0 &&
      operands[0].low != operands[1].low && HasZero(kind, operands[0]) &&
      HasZero(kind, operands[1])) {
    range.kind = Range::Kind::kNumbers;  // a zero of any sign
  }
  return range;
}

}  // namespace

Range AsKind(const Range& range, bool is_float, Kind kind) {
  if (range.kind == Range::Kind::kAnything || range.IsPoint()) return range;
  if ((range.kind == Range::Kind::kNumbers) == is_float) return range;
  const Kind number = is_float ? kind : FloatKind(BitsOf(kind));
  if (BitsOf(kind) < 16) return Range::Anything(Open::kUnstated);
  const Format format = FormatOf(number);
  if (!is_float) {
    // The bits of negative numbers fall.
    if (IsNan(number, range.low)) return Range::Anything(Open::kUnstated);
    const std::int64_t low = numerics::OrderedIndex(format, range.low);
    const std::int64_t high = numerics::OrderedIndex(format, range.high);
    if (low > 0) return Range::Integers(range.low, range.high);
    if (high < 0) return Range::Integers(range.high, range.low);
    return Range::Anything(Open::kWide);
  }
  const bool wraps = range.low > range.high;
  const bool low_negative = numerics::IsNegative(format, range.low);
  if (wraps || low_negative != numerics::IsNegative(format, range.high) ||
      numerics::IsNan(format, range.high)) {
    return Range::Anything(Open::kWide);
  }
  return low_negative ? Range::Numbers(range.high, range.low)
                      : Range::Numbers(range.low, range.high);
}

bool IsContraction(Opcode opcode) {
  return opcode == Opcode::kMultiplyAdd || opcode == Opcode::kMultiplyAddTwo ||
         opcode == Opcode::kMad;
}

bool MakesNumbers(Opcode opcode) {
  switch (opcode) {
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFusedMultiplyAdd:
    case Opcode::kMultiplyAdd:
    case Opcode::kMultiplyAddTwo:
    case Opcode::kMad:
    case Opcode::kSqrt:
    case Opcode::kFConvert:
      return true;
    // Of zeros of both signs either.
    case Opcode::kFmin:
    case Opcode::kFmax:
    case Opcode::kFminCommon:
    case Opcode::kFmaxCommon:
      return true;
    default:
      return false;
  }
}

Range RowRange(Opcode opcode, Kind kind, std::span<const Range> operands, bool flushes) {
  std::array<Range, 4> taken;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].kind == Range::Kind::kAnything) {
      const bool truth = ResultKind(opcode, kind) == Kind::kBool;
      return truth ? Both() : Range::Anything(Open::kOperand);
    }
    taken[i] = flushes && IsFloat(kind) && opcode != Opcode::kFNegate && opcode != Opcode::kFabs &&
                       opcode != Opcode::kCopysign
                   ? WithFlushing(ScalarOf(kind), operands[i])
                   : operands[i];
  }
  const auto rest = std::span<const Range>(taken).first(operands.size());
  if (!IsFloat(kind)) return IntegerRow(opcode, kind, rest);
  const Range range = FloatRow(opcode, kind, rest);
  if (ResultKind(opcode, kind) == Kind::kBool) return range;
  return flushes ? WithFlushing(ScalarOf(kind), range) : Tidy(kind, range);
}

Range ContractedRange(Kind kind, std::span<const Range> operands, bool flushes) {
  const Range fused = RowRange(Opcode::kFusedMultiplyAdd, kind, operands, flushes);
  const Range factors[] = {operands[0], operands[1]};
  // A product that may be flushed is one of those of two roundings.
  const Range product = RowRange(Opcode::kFMul, kind, factors, flushes);
  const Range terms[] = {product, operands[2]};
  return Hull(ScalarOf(kind), fused, RowRange(Opcode::kFAdd, kind, terms, flushes));
}

Range ContractedSum(Kind kind, std::span<const Range> operands, bool flushes) {
  const Range first = RowRange(Opcode::kFMul, kind, operands.first(2), flushes);
  const Range second = RowRange(Opcode::kFMul, kind, operands.subspan(2), flushes);
  const Range left[] = {operands[0], operands[1], second};
  const Range right[] = {operands[2], operands[3], first};
  return Hull(ScalarOf(kind), ContractedRange(kind, left, flushes),
              ContractedRange(kind, right, flushes));
}

Range ConvertRange(ScalarType from, ScalarType to, const Range& range, numerics::Rounding rounding,
                   bool saturate, bool flushes) {
  if (range.kind == Range::Kind::kAnything) return Range::Anything(Open::kOperand);
  Range taken = flushes ? WithFlushing(from, range) : range;
  const bool numbers = numerics::IsFloating(from);
  if (!numbers && !taken.IsPoint()) {
    // An interval of the type's own numbers?
    const auto width = static_cast<unsigned>(numerics::WidthOf(from));
    const std::uint64_t sign =
        numerics::IsSigned(from) ? std::uint64_t{1} << (width - 1) : std::uint64_t{0};
    if ((taken.low ^ sign) > (taken.high ^ sign)) return Range::Anything(Open::kWide);
  }
  const auto at = [&](std::uint64_t bits) {
    return numerics::Convert(from, to, bits, rounding, saturate);
  };
  if (numerics::IsFloating(to)) {
    Range result = Hull(to, Range::Point(at(taken.low)), Range::Point(at(taken.high)));
    // A zero of a range has any sign, and so has what becomes of it.
    if (numbers && taken.kind == Range::Kind::kNumbers && result.IsPoint() &&
        numerics::IsZero(numerics::FormatOf(to), result.low)) {
      const Format format = numerics::FormatOf(from);
      const bool has_zero = numerics::OrderedIndex(format, taken.low) <= 0 &&
                            numerics::OrderedIndex(format, taken.high) >= 0;
      if (has_zero) result.kind = Range::Kind::kNumbers;
    }
    return flushes ? WithFlushing(to, result) : result;
  }
  // Of what the type cannot say the specification says nothing (OpenCL C 6.4.3.3).
  for (const std::uint64_t bits : {taken.low, taken.high}) {
    const numerics::Exact exact = numerics::ConvertExact(from, to, bits, saturate, rounding);
    if (exact.kind != numerics::ResultKind::kInteger) return Range::Anything(Open::kNoLimit);
  }
  if (!numbers && numerics::WidthOf(to) < numerics::WidthOf(from)) {
    return Range::Anything(Open::kWide);
  }
  const std::uint64_t low = at(taken.low), high = at(taken.high);
  return low == high ? Range::Point(low) : Range::Integers(low, high);
}

}  // namespace assay::interp
