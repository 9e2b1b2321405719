#include "numerics/exact.h"

#include <cmath>
#include <limits>

namespace assay::numerics {
namespace {

// The gap that the format's numbers have from `below` on, away from zero.
double GapAbove(Format format, Bits below) {
  return std::ldexp(1.0, GridExponent(format, below) - Traits(format).mantissa_bits());
}

bool RoundsAway(const Exact& exact, Rounding rounding, bool negative) {
  switch (rounding) {
    case Rounding::kRte:
      return exact.fraction > 0.5 || (exact.fraction == 0.5 && (exact.below & 1) != 0);
    case Rounding::kRtz:
      return false;
    case Rounding::kRtp:
      return !negative;
    case Rounding::kRtn:
      return negative;
  }
  return false;
}

}  // namespace

Bits Round(const Exact& exact, Format format, Rounding rounding) {
  switch (exact.kind) {
    case ResultKind::kNan:
      return QuietNan(format);
    case ResultKind::kUnspecified:
      if (!exact.has_alternative) return QuietNan(format);
      break;
    case ResultKind::kInfinite:
    case ResultKind::kInteger:
      return exact.below;
    case ResultKind::kFinite:
      break;
  }
  if (exact.fraction == 0) {
    return exact.cancelled && rounding == Rounding::kRtn ? SignMask(format) : exact.below;
  }
  // Consecutive magnitudes have consecutive bits; beyond the largest finite number is infinity.
  const bool away = RoundsAway(exact, rounding, IsNegative(format, exact.below));
  return exact.below + (away ? 1 : 0);
}

double UlpError(const Exact& exact, Format format, Bits observed) {
  if (IsNan(format, observed)) return std::numeric_limits<double>::quiet_NaN();
  const FormatTraits& traits = Traits(format);
  const bool negative = IsNegative(format, exact.below);
  const double sign = negative ? -1 : 1;
  const Bits below = Magnitude(format, exact.below);
  // In units of the gap above `below`; observed is measured from `below` in the same direction.
  double distance;
  if (IsInfinite(format, observed)) {
    if (IsNegative(format, observed) != negative) return std::numeric_limits<double>::infinity();
    if (below == MaxFinite(format)) {
      // Infinity stands for 2^(emax+1), one gap beyond the largest finite number; it is what a
      // larger value rounds to.
      return exact.fraction >= 1 ? 0 : 1 - exact.fraction;
    }
    const double max_in_gaps =
        std::ldexp(1.0, traits.emax + 1 - GridExponent(format, below) + traits.mantissa_bits());
    const auto units = static_cast<double>((below & MantissaMask(format)) |
                                           (below >= MinNormal(format) ? MinNormal(format) : 0));
    distance = max_in_gaps - units;
  } else {
    // Halving keeps the difference of two large doubles finite; it is exact wherever the numbers
    // are large enough for that to matter.
    const double a = ToDouble(format, observed) * sign;
    const double b = ToDouble(format, below);
    const double gap = GapAbove(format, below);
    const bool large = std::fabs(a) > 1 || b > 1;
    distance = large ? (a / 4 - b / 4) / (gap / 4) : (a - b) / gap;
  }
  // At a representable power of two the nearer neighbour is the one below: half the gap, except
  // where the binade below has the same spacing.
  const bool power_of_two =
      exact.fraction == 0 && (below & MantissaMask(format)) == 0 && below > MinNormal(format);
  const double error = DifferenceUp(distance, exact.fraction);
  return power_of_two ? 2 * error : error;
}

bool IsSubnormalBeforeRounding(const Exact& exact, Format format) {
  if (exact.kind != ResultKind::kFinite) return false;
  const Bits below = Magnitude(format, exact.below);
  return below < MinNormal(format) && (below != 0 || exact.fraction != 0);
}

}  // namespace assay::numerics
