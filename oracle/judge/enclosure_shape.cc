#include "oracle/judge/enclosure_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace assay::oracle {

using numerics::Format;
using numerics::Function;
using Kind = BoxShape::Kind;

namespace {

// An operand as doubles, which every number of the formats is.
struct Ends {
  double low = 0, high = 0;
  bool Contains(double x) const { return low <= x && x <= high; }
  bool IsPositive() const { return low > 0; }
  bool HasOneSign() const { return low > 0 || high < 0; }
  bool IsPoint() const { return low == high; }
  bool HasNan() const { return std::isnan(low) || std::isnan(high); }
};

Ends EndsOf(numerics::ScalarType type, const Range& range) {
  if (!numerics::IsFloating(type)) {
    // Exponents and roots: int.
    return {static_cast<double>(static_cast<std::int32_t>(range.low)),
            static_cast<double>(static_cast<std::int32_t>(range.high))};
  }
  const Format format = numerics::FormatOf(type);
  return {numerics::ToDouble(format, range.low), numerics::ToDouble(format, range.high)};
}

BoxShape Corners() { return {.kind = Kind::kCorners}; }
BoxShape Opened(Open why) { return {.kind = Kind::kOpen, .open = why}; }
BoxShape Bounded(double low, double high) {
  return {.kind = Kind::kBounded, .bounds = {{{low, high}, {low, high}}}};
}

// The multiples of `period`, shifted by `shift`, between the ends, where doubles are sure of it.
// 0: none, 1: one or more, -1: not sure.
int Multiples(const Ends& x, double period, double shift) {
  constexpr double kSure = 0x1p20;
  if (!(std::fabs(x.low) < kSure * period) || !(std::fabs(x.high) < kSure * period)) return -1;
  const double low = (x.low - shift) / period, high = (x.high - shift) / period;
  constexpr double kMargin = 0x1p-30;
  if (std::floor(low - kMargin) == std::floor(high + kMargin)) return 0;
  return std::floor(low + kMargin) == std::floor(high - kMargin) ? -1 : 1;
}

// A wave between -1 and 1 whose maxima lie at `top` + n * period and minima half a period further.
BoxShape Wave(const Ends& x, double period, double top) {
  const int tops = Multiples(x, period, top);
  const int bottoms = Multiples(x, period, top + period / 2);
  BoxShape shape = Corners();
  shape.has_top = tops != 0;
  shape.has_bottom = bottoms != 0;
  return shape;
}

BoxShape Tangent(const Ends& x, double period) {
  return Multiples(x, period, period / 2) == 0 ? Corners() : Opened(Open::kPole);
}

BoxShape Even(const Ends& x) {
  BoxShape shape = Corners();
  shape.of_magnitudes = !x.HasOneSign();
  return shape;
}

BoxShape Remainder(const Ends& x, const Ends& y, bool nearest) {
  if (y.Contains(0) || std::isinf(x.low) || std::isinf(x.high)) return Opened(Open::kPole);
  const double most = std::max(std::fabs(y.low), std::fabs(y.high)) / (nearest ? 2 : 1);
  const double all = std::max(std::fabs(x.low), std::fabs(x.high));
  const double bound = std::min(most, all);
  if (nearest) return Bounded(-bound, bound);
  return Bounded(x.low < 0 ? -bound : 0, x.high > 0 ? bound : 0);
}

BoxShape PowerOf(const Ends& x, const Ends& y) {
  if (x.IsPositive()) return Corners();
  // Of whole exponents, on one side of zero.
  if (x.high < 0 && y.IsPoint() && y.low == std::floor(y.low)) return Corners();
  return {};
}

BoxShape ShapeOfUnary(Function function, const Ends& x) {
  using enum Function;
  constexpr double kPi = std::numbers::pi;
  switch (function) {
    case sin:
    case half_sin:
      return Wave(x, 2 * kPi, kPi / 2);
    case cos:
    case half_cos:
      return Wave(x, 2 * kPi, 0);
    case sinpi:
      return Wave(x, 2, 0.5);
    case cospi:
      return Wave(x, 2, 0);
    case tan:
    case half_tan:
      return Tangent(x, kPi);
    case tanpi:
      return Tangent(x, 1);
    case cosh:
    case fabs:
      return Even(x);
    case recip_div:
    case half_recip:
      return x.Contains(0) ? Opened(Open::kPole) : Corners();
    case rsqrt:
    case half_rsqrt:
      return x.IsPositive() ? Corners() : Opened(Open::kPole);
    case tgamma:
      // The only minimum of positive operands lies at 1.4616.
      if (x.low >= 1.5 || (x.low > 0 && x.high <= 1.4375)) return Corners();
      return x.low > 0 ? BoxShape{} : Opened(Open::kPole);
    case ilogb:
    case logb:
      return x.HasOneSign() ? Corners() : BoxShape{};
    case fract:
    case modf:
      if (std::isinf(x.low) || std::isinf(x.high)) return {};
      if (function == fract && std::floor(x.low) == std::floor(x.high)) return Corners();
      if (function == modf && x.HasOneSign() && std::trunc(x.low) == std::trunc(x.high)) {
        return Corners();
      }
      return function == fract
                 ? BoxShape{.kind = Kind::kBounded,
                            .bounds = {{{0, 1}, {std::floor(x.low), std::floor(x.high)}}}}
                 : BoxShape{.kind = Kind::kBounded,
                            .bounds = {{{x.low < 0 ? -1.0 : 0, x.high > 0 ? 1.0 : 0},
                                        {std::trunc(x.low), std::trunc(x.high)}}}};
    case frexp:
    case nan:
    case lgamma:
    case lgamma_r:
      return {};
    default:
      // What is left of one operand grows or falls wherever it is defined.
      return Corners();
  }
}

BoxShape ShapeOfBinary(Function function, const Ends& x, const Ends& y) {
  using enum Function;
  switch (function) {
    case div:
    case half_divide:
      return y.Contains(0) ? Opened(Open::kPole) : Corners();
    case hypot: {
      BoxShape shape = Corners();
      shape.of_magnitudes = true;
      return shape;
    }
    case pow:
    case powr:
    case half_powr:
    case pown:
      return PowerOf(x, y);
    case rootn:
      return y.IsPoint() ? PowerOf(x, y) : BoxShape{};
    case atan2:
    case atan2pi:
      // The names: atan2(y, x).  Beside the cut, and not at the origin.
      return (y.high <= 0 && x.Contains(0)) || (y.Contains(0) && x.Contains(0)) ||
                     (y.low <= 0 && x.Contains(0))
                 ? BoxShape{}
                 : Corners();
    case fmod:
      return Remainder(x, y, false);
    case remainder:
      return Remainder(x, y, true);
    case remquo:
    case maxmag:
    case minmag:
    case copysign:
    case nextafter:
      return {};
    default:
      return Corners();
  }
}

}  // namespace

BoxShape ShapeOf(const numerics::Operation& operation, std::span<const numerics::ScalarType> types,
                 std::span<const Range> args) {
  if (operation.kind != numerics::OperationKind::kBuiltin) return Corners();
  const auto ends = [&](std::size_t i) { return EndsOf(types[i], args[i]); };
  for (std::size_t i = 0; i < args.size(); ++i) {
    // A NaN beside ranges.
    if (numerics::IsFloating(types[i]) && ends(i).HasNan()) return {};
    // Integers that wrap around are no interval of numbers.
    if (!numerics::IsFloating(types[i]) && ends(i).low > ends(i).high) return {};
  }
  if (args.size() == 1) return ShapeOfUnary(operation.function, ends(0));
  if (args.size() == 2) return ShapeOfBinary(operation.function, ends(0), ends(1));
  if (operation.function == Function::smoothstep) {
    return args[0].IsPoint() && args[1].IsPoint() && ends(0).low < ends(1).low ? Corners()
                                                                               : BoxShape{};
  }
  // clamp, fma, mad, mul_add, mix: linear in each operand, or a choice among them.
  return Corners();
}

}  // namespace assay::oracle
