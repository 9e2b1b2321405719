#include "testsuites/independent/number.h"

namespace assay::independent {
namespace {

class Integer {
 public:
  Integer() { mpz_init(v_); }
  ~Integer() { mpz_clear(v_); }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  operator mpz_ptr() { return v_; }  // NOLINT(google-explicit-constructor)

 private:
  mpz_t v_;
};

std::uint64_t OverflowBits(const Layout& layout, bool negative, Mode mode) {
  const std::uint64_t infinity = ((std::uint64_t{1} << layout.exponent_width) - 1)
                                 << layout.FractionWidth();
  const bool to_infinity =
      mode == kNearestEven || (mode == kUp && !negative) || (mode == kDown && negative);
  return to_infinity ? infinity : infinity - 1;
}

// Is the integer part to be increased?  `exact`: there is no rest; `against_half`: the sign of
// rest - 1/2.
bool Increase(Mode mode, bool negative, bool odd, bool exact, int against_half) {
  if (exact) return false;
  if (mode == kTowardZero) return false;
  if (mode == kUp) return !negative;
  if (mode == kDown) return negative;
  return against_half > 0 || (against_half == 0 && odd);
}

// The bits of significand * 2^grid, the significand having at most one bit too many.
std::uint64_t Assemble(const Layout& layout, std::uint64_t significand, long grid, bool negative,
                       Mode mode) {
  const int fraction_width = layout.FractionWidth();
  const std::uint64_t one = std::uint64_t{1} << fraction_width;
  long field = grid + fraction_width + layout.Bias();
  if (significand >= 2 * one) {
    significand /= 2;
    ++field;
  }
  if (significand < one) return significand;  // subnormal
  if (field > 2 * layout.Bias()) return OverflowBits(layout, negative, mode);
  return (static_cast<std::uint64_t>(field) << fraction_width) + (significand - one);
}

constexpr Mode kModes[] = {kNearestEven, kTowardZero, kUp, kDown};

}  // namespace

Layout LayoutOf(std::string_view format_name) {
  if (format_name == "half") return {16, 5};
  if (format_name == "bfloat16") return {16, 8};
  if (format_name == "float") return {32, 8};
  return {64, 11};
}

Number Decode(const Layout& layout, std::uint64_t bits) {
  Number number(64);
  const int fraction_width = layout.FractionWidth();
  const std::uint64_t fraction = bits % (std::uint64_t{1} << fraction_width);
  const int field = static_cast<int>(bits >> fraction_width) % (1 << layout.exponent_width);
  const bool negative = (bits >> (layout.width - 1)) % 2 != 0;
  if (field == (1 << layout.exponent_width) - 1) {
    if (fraction != 0) {
      mpfr_set_nan(number);
    } else {
      mpfr_set_inf(number, 1);
    }
  } else {
    const std::uint64_t lead = field == 0 ? 0 : std::uint64_t{1} << fraction_width;
    mpfr_set_ui(number, lead + fraction, MPFR_RNDN);
    mpfr_mul_2si(number, number, (field == 0 ? 1 : field) - layout.Bias() - fraction_width,
                 MPFR_RNDN);
  }
  mpfr_setsign(number, number, negative ? 1 : 0, MPFR_RNDN);
  return number;
}

std::array<std::uint64_t, 4> Encode(const Layout& layout, const Approximation& truth) {
  const bool negative = truth.value.SignBit();
  const std::uint64_t sign = negative ? std::uint64_t{1} << (layout.width - 1) : 0;
  const int fraction_width = layout.FractionWidth();
  std::array<std::uint64_t, 4> encoded;
  encoded.fill(sign);
  if (truth.value.IsZero()) return encoded;
  if (truth.value.IsInfinite()) {
    encoded.fill(sign + (((std::uint64_t{1} << layout.exponent_width) - 1) << fraction_width));
    return encoded;
  }

  // |truth| = units * 2^scale: two more bits than the approximation has say on which side it is.
  Integer units;
  long scale = mpfr_get_z_2exp(units, truth.value) - 2;
  mpz_abs(units, units);
  mpz_mul_2exp(units, units, 2);
  const bool value_above = negative ? truth.inexact < 0 : truth.inexact > 0;
  if (truth.inexact != 0 && value_above) mpz_sub_ui(units, units, 1);
  if (truth.inexact != 0 && !value_above) mpz_add_ui(units, units, 1);

  const long lead = scale + static_cast<long>(mpz_sizeinbase(units, 2)) - 1;
  const long least = 1 - layout.Bias();
  const long grid = (lead > least ? lead : least) - fraction_width;
  if (lead > layout.Bias()) {
    for (Mode mode : kModes) encoded[mode] = sign + OverflowBits(layout, negative, mode);
    return encoded;
  }
  Integer whole, rest, half;
  bool exact = true;
  int against_half = -1;
  if (lead < grid - 2) {
    exact = false;  // below a quarter of the smallest number, however far
  } else if (grid <= scale) {
    mpz_mul_2exp(whole, units, static_cast<unsigned long>(scale - grid));
  } else {
    const auto dropped = static_cast<unsigned long>(grid - scale);
    mpz_fdiv_q_2exp(whole, units, dropped);
    mpz_fdiv_r_2exp(rest, units, dropped);
    mpz_set_ui(half, 1);
    mpz_mul_2exp(half, half, dropped - 1);
    exact = mpz_sgn(static_cast<mpz_ptr>(rest)) == 0;
    against_half = mpz_cmp(rest, half);
  }
  const std::uint64_t below = mpz_get_ui(whole);
  for (Mode mode : kModes) {
    const bool up = Increase(mode, negative, below % 2 != 0, exact, against_half);
    encoded[mode] = sign + Assemble(layout, below + (up ? 1 : 0), grid, negative, mode);
  }
  return encoded;
}

}  // namespace assay::independent
