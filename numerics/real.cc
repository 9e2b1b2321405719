#include "numerics/real.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::numerics {

using internal::IsHalves;
using internal::kBeyondLimits;
using internal::NearestHalves;

namespace {

constexpr double kHuge = 0x1p1000;   // "far beyond the largest finite number"
constexpr double kTiny = 0x1p-1000;  // "above the grid point by less than anything representable"

// fraction as a double that keeps its side of every multiple of 1/2.
double KeepSide(mpfr_srcptr fraction) {
  const double rounded = mpfr_get_d(fraction, MPFR_RNDN);
  if (!IsHalves(rounded)) return rounded;
  const int side = mpfr_cmp_d(fraction, rounded);
  return side == 0 ? rounded : std::nextafter(rounded, side < 0 ? -1.0 : kHuge);
}

// The place of a non-zero finite number: |value| = (units + fraction) gaps.
struct Place {
  Bits below;
  Real fraction;
  explicit Place(mpfr_prec_t precision) : below(0), fraction(precision) {}
};

void PlaceMagnitude(mpfr_srcptr value, Format format, Place* place) {
  const FormatTraits& traits = Traits(format);
  const auto exponent = static_cast<long>(mpfr_get_exp(value)) - 1;  // 2^exponent <= |value|
  const long grid = std::clamp<long>(exponent, traits.emin(), traits.emax);
  Real& fraction = place->fraction;
  mpfr_abs(fraction, value, MPFR_RNDN);
  mpfr_mul_2si(fraction, fraction, traits.mantissa_bits() - grid, MPFR_RNDN);
  Bits units = 0;
  if (exponent > traits.emax) {
    units = 2 * MinNormal(format) - 1;  // the significand of the largest finite number
  } else if (exponent >= grid - traits.mantissa_bits()) {
    units = mpfr_get_ui(fraction, MPFR_RNDZ);
  }
  mpfr_sub_ui(fraction, fraction, units, MPFR_RNDN);
  // Subnormals (units below MinNormal) stand at grid == emin, where the exponent field is zero.
  place->below = (static_cast<Bits>(grid - traits.emin()) << traits.mantissa_bits()) + units;
}

Bits SignBit(mpfr_srcptr value, Format format) {
  return mpfr_signbit(value) != 0 ? SignMask(format) : 0;
}

}  // namespace

void SetBits(Real& real, Format format, Bits bits) {
  mpfr_set_d(real, ToDouble(format, bits), MPFR_RNDN);
}

mpfr_prec_t WorkingPrecision(Format format) { return format == Format::kDouble ? 128 : 64; }

mpfr_prec_t ExactPrecision(Format format) {
  // A product of three numbers spans three times the exponent range, plus carries.
  const FormatTraits& traits = Traits(format);
  return 3 * (traits.emax - traits.tiny_exponent() + 2) + 64;
}

Exact PlaceRounded(mpfr_srcptr rounded, int ternary, Format format) {
  const Bits sign = SignBit(rounded, format);
  if (mpfr_nan_p(rounded) != 0) return Exact::Nan();
  if (mpfr_inf_p(rounded) != 0) {
    if (ternary == 0) return Exact::Infinite(format, sign != 0);
    return {.below = sign | MaxFinite(format), .fraction = kHuge, .kind = ResultKind::kFinite};
  }
  if (mpfr_zero_p(rounded) != 0) {
    return {.below = sign, .fraction = ternary == 0 ? 0 : kTiny, .kind = ResultKind::kFinite};
  }
  Place place(mpfr_get_prec(rounded));
  PlaceMagnitude(rounded, format, &place);
  Exact exact{.below = sign | place.below, .kind = ResultKind::kFinite};
  const double fraction = KeepSide(place.fraction);
  exact.fraction = fraction;
  if (ternary == 0) return exact;
  // Direction of the truth from the rounded value, in magnitude.
  const bool truth_is_larger = (ternary < 0) == (sign == 0);
  if (fraction == 0 && !truth_is_larger) {
    // Just below a grid point: the number next to it toward zero is the previous one.
    exact.below -= 1;
    exact.fraction = std::nextafter(1.0, 0.0);
  } else if (IsHalves(fraction)) {
    exact.fraction =
        fraction == 0 ? kTiny : std::nextafter(fraction, truth_is_larger ? kHuge : 0.0);
  }
  return exact;
}

bool PlaceApproximate(mpfr_srcptr value, double error_ulps, Format format, Exact* exact) {
  const FormatTraits& traits = Traits(format);
  if (mpfr_regular_p(value) == 0) return false;
  Place place(mpfr_get_prec(value));
  PlaceMagnitude(value, format, &place);
  const auto exponent = static_cast<long>(mpfr_get_exp(value));
  const long grid = std::clamp<long>(exponent - 1, traits.emin(), traits.emax);
  const double error = std::ldexp(
      error_ulps, static_cast<int>(std::max<long>(
                      exponent - mpfr_get_prec(value) - grid + traits.mantissa_bits(), -4000)));
  *exact = {.below = SignBit(value, format) | place.below,
            .fraction = KeepSide(place.fraction),
            .kind = ResultKind::kFinite};
  const double fraction = exact->fraction;
  return fraction > kBeyondLimits || std::fabs(fraction - NearestHalves(fraction)) > error;
}

}  // namespace assay::numerics
