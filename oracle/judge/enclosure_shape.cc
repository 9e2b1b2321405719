#include "oracle/judge/enclosure_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "numerics/shape.h"

namespace assay::oracle {

using numerics::Format;
using numerics::Function;
using numerics::Pieces;
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

// A wave between -1 and 1 whose maxima lie at `top` + n * period and minima half a period further.
BoxShape Wave(const Ends& x, double period, double top) {
  BoxShape shape = Corners();
  const auto may_have = [&](double shift) {
    return numerics::MultiplesBetween(x.low, x.high, period, shift) != numerics::Multiples::kNone;
  };
  shape.has_top = may_have(top);
  shape.has_bottom = may_have(top + period / 2);
  return shape;
}

BoxShape Even(bool of_magnitudes) {
  BoxShape shape = Corners();
  shape.of_magnitudes = of_magnitudes;
  return shape;
}

// fract and modf: a part between 0 and 1, with the sign of x for modf, and the rest.
BoxShape Parts(const Ends& x, bool is_floor) {
  if (std::isinf(x.low) || std::isinf(x.high)) return {};
  if (is_floor) {
    return {.kind = Kind::kBounded, .bounds = {{{0, 1}, {std::floor(x.low), std::floor(x.high)}}}};
  }
  return {.kind = Kind::kBounded,
          .bounds = {{{x.low < 0 ? -1.0 : 0, x.high > 0 ? 1.0 : 0},
                      {std::trunc(x.low), std::trunc(x.high)}}}};
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

// `ends`: of each operand.
BoxShape ShapeOfFunction(Function function, std::span<const Ends> ends) {
  const numerics::Shape& shape = numerics::ShapeOf(function);
  const Ends& x = ends[0];
  const bool is_monotone = ends.size() == 1 && IsMonotone(function, x.low, x.high);
  switch (shape.pieces) {
    case Pieces::kMonotone:
      return Corners();
    case Pieces::kEven:
      return Even(ends.size() > 1 || !x.HasOneSign());
    case Pieces::kSides:
      return is_monotone ? Corners() : BoxShape{};
    case Pieces::kPole:
      return is_monotone && !(x.low < shape.domain.low) ? Corners() : Opened(Open::kPole);
    case Pieces::kWave:
      return Wave(x, shape.period, shape.top);
    case Pieces::kTangent:
      return is_monotone ? Corners() : Opened(Open::kPole);
    case Pieces::kGamma:
      if (is_monotone) return Corners();
      return x.IsPositive() ? BoxShape{} : Opened(Open::kPole);
    case Pieces::kFloorPart:
    case Pieces::kTruncPart:
      return is_monotone && !std::isinf(x.low) ? Corners()
                                               : Parts(x, shape.pieces == Pieces::kFloorPart);
    case Pieces::kQuotient:
      return ends[1].Contains(0) ? Opened(Open::kPole) : Corners();
    case Pieces::kPower:
      return PowerOf(x, ends[1]);
    case Pieces::kRoot:
      return ends[1].IsPoint() ? PowerOf(x, ends[1]) : BoxShape{};
    case Pieces::kAngleOfTwo:
      return x.Contains(0) && ends[1].low <= 0 ? BoxShape{} : Corners();
    case Pieces::kRemainder:
    case Pieces::kNearestRemainder:
      return Remainder(x, ends[1], shape.pieces == Pieces::kNearestRemainder);
    case Pieces::kSmoothstep:
      return x.IsPoint() && ends[1].IsPoint() && x.low < ends[1].low ? Corners() : BoxShape{};
    case Pieces::kNotStated:
    case Pieces::kNone:
      return {};
  }
  return {};
}

}  // namespace

BoxShape ShapeOf(const numerics::Operation& operation, std::span<const numerics::ScalarType> types,
                 std::span<const Range> args) {
  if (operation.kind != numerics::OperationKind::kBuiltin) return Corners();
  std::array<Ends, 3> ends;
  for (std::size_t i = 0; i < args.size(); ++i) {
    // A NaN beside ranges.
    ends[i] = EndsOf(types[i], args[i]);
    if (numerics::IsFloating(types[i]) && ends[i].HasNan()) return {};
    // Integers that wrap around are no interval of numbers.
    if (!numerics::IsFloating(types[i]) && ends[i].low > ends[i].high) return {};
  }
  return ShapeOfFunction(numerics::BaseOf(operation.function), std::span(ends).first(args.size()));
}

}  // namespace assay::oracle
