#include "numerics/shape.h"

#include <cmath>

namespace assay::numerics {

bool IsOutsideDomain(Function function, double low, double high) {
  const Interval& domain = ShapeOf(function).domain;
  return high < domain.low || low > domain.high;
}

bool IsMonotone(Function function, double low, double high) {
  const Shape& shape = ShapeOf(function);
  switch (shape.pieces) {
    case Pieces::kMonotone:
      return true;
    case Pieces::kEven:
    case Pieces::kSides:
    case Pieces::kPole:
      return low > 0 || high < 0;
    case Pieces::kWave:
      return MultiplesBetween(low, high, shape.period / 2, shape.top) == Multiples::kNone;
    case Pieces::kTangent:
      return MultiplesBetween(low, high, shape.period, shape.period / 2) == Multiples::kNone;
    case Pieces::kGamma:
      return low > 0 && (high <= 1.4375 || low >= 1.5);
    case Pieces::kFloorPart:
      return std::floor(low) == std::floor(high);
    case Pieces::kTruncPart:
      return (low > 0 || high < 0) && std::trunc(low) == std::trunc(high);
    case Pieces::kNotStated:
    case Pieces::kNone:
    case Pieces::kQuotient:
    case Pieces::kPower:
    case Pieces::kRoot:
    case Pieces::kAngleOfTwo:
    case Pieces::kRemainder:
    case Pieces::kNearestRemainder:
    case Pieces::kSmoothstep:
      return false;
  }
  return false;
}

Multiples MultiplesBetween(double low, double high, double period, double shift) {
  constexpr double kSure = 0x1p20;
  if (!(std::fabs(low) < kSure * period) || !(std::fabs(high) < kSure * period)) {
    return Multiples::kNotCertain;
  }
  const double first = (low - shift) / period, last = (high - shift) / period;
  constexpr double kMargin = 0x1p-30;
  if (std::floor(first - kMargin) == std::floor(last + kMargin)) return Multiples::kNone;
  return std::floor(first + kMargin) == std::floor(last - kMargin) ? Multiples::kNotCertain
                                                                   : Multiples::kSome;
}

}  // namespace assay::numerics
