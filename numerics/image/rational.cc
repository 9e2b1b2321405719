#include "numerics/image/rational.h"

#include <algorithm>

namespace assay::numerics::image {

Rational PowerOfTwo(long exponent) {
  Rational power = 1;
  if (exponent >= 0) {
    mpq_mul_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(power.get_mpq_t(), power.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return power;
}

mpz_class Floor(const Rational& value) {
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return floor;
}

mpz_class NearestInteger(const Rational& value) {
  mpz_class floor = Floor(value);
  const Rational rest = value - floor;
  const int side = cmp(rest, Ratio(1, 2));
  if (side > 0 || (side == 0 && mpz_odd_p(floor.get_mpz_t()))) floor += 1;
  return floor;
}

Rational ValueOf(Format format, Bits bits) {
  const FormatTraits& traits = Traits(format);
  const Bits magnitude = Magnitude(format, bits);
  Bits significand = magnitude & MantissaMask(format);
  if (magnitude >= MinNormal(format)) significand |= MinNormal(format);
  const Rational value = Rational(static_cast<unsigned long>(significand)) *
                         PowerOfTwo(GridExponent(format, bits) - traits.mantissa_bits());
  return IsNegative(format, bits) ? Rational(-value) : value;
}

long ExponentOf(const Rational& value) {
  const Rational magnitude = abs(value);
  const auto size = [](const mpz_class& z) {
    return static_cast<long>(mpz_sizeinbase(z.get_mpz_t(), 2));
  };
  const long exponent = size(magnitude.get_num()) - size(magnitude.get_den());
  return magnitude < PowerOfTwo(exponent) ? exponent - 1 : exponent;
}

namespace {

bool RoundsUp(int half, bool rest, bool odd, bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::kRte:
      return half > 0 || (half == 0 && odd);
    case Rounding::kRtz:
      return false;
    case Rounding::kRtp:
      return rest && !negative;
    case Rounding::kRtn:
      return rest && negative;
  }
  return false;
}

}  // namespace

Bits RoundTo(const Rational& value, Format format, Rounding rounding) {
  const FormatTraits& traits = Traits(format);
  if (value == 0) return 0;
  const bool negative = value < 0;
  const long exponent = ExponentOf(value);
  const Bits sign = negative ? SignMask(format) : 0;
  if (exponent > traits.emax) {
    const bool away =
        rounding == Rounding::kRte || rounding == (negative ? Rounding::kRtn : Rounding::kRtp);
    return sign | (away ? Infinity(format) : MaxFinite(format));
  }
  const long grid = std::max<long>(exponent, traits.emin());
  const Rational scaled = abs(value) * PowerOfTwo(traits.mantissa_bits() - grid);
  const mpz_class units = Floor(scaled);
  const Rational rest = scaled - units;
  Bits magnitude = (static_cast<Bits>(grid - traits.emin()) << traits.mantissa_bits()) +
                   mpz_get_ui(units.get_mpz_t());
  if (RoundsUp(cmp(rest, Ratio(1, 2)), rest != 0, (magnitude & 1) != 0, negative, rounding)) {
    ++magnitude;
  }
  return sign | magnitude;
}

Rational Ulp(const Rational& value, Format format) {
  const FormatTraits& traits = Traits(format);
  const Rational smallest = PowerOfTwo(traits.tiny_exponent());
  if (value == 0) return smallest;
  const long exponent = std::clamp<long>(ExponentOf(value), traits.emin(), traits.emax);
  const bool power = exponent > traits.emin() && abs(value) == PowerOfTwo(exponent);
  return PowerOfTwo(exponent - traits.mantissa_bits() - (power ? 1 : 0));
}

Enclosure RootOfPower(const Rational& value, unsigned power, unsigned root, unsigned bits) {
  // floor(2^bits * value^(power/root)) is the integer root of floor(value^power * 2^(bits*root)).
  mpz_class numerator, denominator, scaled;
  mpz_pow_ui(numerator.get_mpz_t(), value.get_num_mpz_t(), power);
  mpz_pow_ui(denominator.get_mpz_t(), value.get_den_mpz_t(), power);
  mpz_mul_2exp(numerator.get_mpz_t(), numerator.get_mpz_t(), mp_bitcnt_t{bits} * root);
  mpz_fdiv_q(scaled.get_mpz_t(), numerator.get_mpz_t(), denominator.get_mpz_t());
  mpz_class floor;
  const bool exact_root = mpz_root(floor.get_mpz_t(), scaled.get_mpz_t(), root) != 0;
  const bool exact = exact_root && scaled * denominator == numerator;
  const Rational unit = PowerOfTwo(-static_cast<long>(bits));
  Enclosure enclosure = {.low = floor * unit, .high = floor * unit};
  if (!exact) enclosure.high += unit;
  return enclosure;
}

}  // namespace assay::numerics::image
