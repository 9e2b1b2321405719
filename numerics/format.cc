#include "numerics/format.h"

#include <cmath>

namespace assay::numerics {

double ToDouble(Format f, Bits bits) {
  if (f == Format::kDouble) return std::bit_cast<double>(bits);
  if (f == Format::kFloat) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const FormatTraits& traits = Traits(f);
  const Bits sign = IsNegative(f, bits) ? SignMask(Format::kDouble) : 0;
  const Bits magnitude = Magnitude(f, bits);
  if (magnitude >= Infinity(f)) {
    const Bits payload = (magnitude & MantissaMask(f))
                         << (Traits(Format::kDouble).mantissa_bits() - traits.mantissa_bits());
    return std::bit_cast<double>(sign | Infinity(Format::kDouble) | payload);
  }
  const int exponent = GridExponent(f, bits);
  Bits significand = magnitude & MantissaMask(f);
  if (magnitude >= MinNormal(f)) significand |= MinNormal(f);
  const double value =
      std::ldexp(static_cast<double>(significand), exponent - traits.mantissa_bits());
  return sign != 0 ? -value : value;
}

Bits FromDouble(Format f, double value) {
  const Bits wide = std::bit_cast<Bits>(value);
  if (f == Format::kDouble) return wide;
  // The host converts under round to nearest even.
  if (f == Format::kFloat && value == value) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  const FormatTraits& traits = Traits(f);
  const Bits sign = IsNegative(Format::kDouble, wide) ? SignMask(f) : 0;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | QuietNan(f);
  if (std::isinf(value)) return sign | Infinity(f);
  if (magnitude == 0) return sign;
  // Scaled to the grid, the number is rounded once by nearbyint-like arithmetic on exact doubles.
  int exponent = std::ilogb(magnitude);
  if (exponent < traits.emin()) exponent = traits.emin();
  const double scaled = std::ldexp(magnitude, traits.mantissa_bits() - exponent);
  const double floor = std::floor(scaled);
  const double rest = scaled - floor;
  auto units = static_cast<Bits>(floor);
  if (rest > 0.5 || (rest == 0.5 && (units & 1) != 0)) ++units;
  // Consecutive magnitudes are consecutive integers, so a carry moves into the exponent by itself.
  const Bits base = static_cast<Bits>(exponent - traits.emin()) << traits.mantissa_bits();
  const Bits result = base + units;
  return sign | (result >= Infinity(f) ? Infinity(f) : result);
}

}  // namespace assay::numerics
