#include "numerics/linear.h"

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "numerics/exact.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

constexpr int kNumeratorBits = 53;
constexpr std::uint64_t kDenominator = std::uint64_t{1} << kNumeratorBits;

// A number as the sum of two of double: the rounded one, and what that misses.
struct Two {
  double sum = 0, rest = 0;
};

// a + b (Knuth's TwoSum).
Two Sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// low + (high - low) * numerator / 2^53, rounded to the format once.  It is computed with about
// twice the digits of double: the steps below miss less than 2^-102 of the larger bound.  Nothing
// where that does not decide the result, or where a step may overflow or be subnormal.
std::optional<Bits> CloseBetween(Format format, double low, double high, std::uint64_t numerator) {
  const double most = std::max(std::fabs(low), std::fabs(high));
  if (!(most > 0x1p-800 && most < 0x1p1000)) return std::nullopt;
  const double factor = static_cast<double>(numerator) * 0x1p-53;
  const Two difference = Sum(high, -low);
  const double product = difference.sum * factor;
  const double missing = std::fma(difference.sum, factor, -product) + difference.rest * factor;
  const Two first = Sum(low, product);
  const Two result = Sum(first.sum, first.rest + missing);
  const double error = most * 0x1p-97;
  if (format == Format::kDouble) {
    const double below = result.sum + (result.rest - error);
    const double above = result.sum + (result.rest + error);
    if (below != above || below == 0) return std::nullopt;
    return std::bit_cast<Bits>(below);
  }
  // The numbers at both ends are rounded, too.
  const double spread = std::fabs(result.rest) + error + std::fabs(result.sum) * 0x1p-52;
  const Bits below = FromDouble(format, result.sum - spread);
  if (below != FromDouble(format, result.sum + spread)) return std::nullopt;
  return below;
}

// start + factor * step in double, if that is exact: then one rounding to the format is left.
// Nothing here is below the smallest subnormal, as the factor is an integer.
bool ExactLinear(double start, std::uint64_t factor, double step, double* sum) {
  if (factor >= kDenominator) return false;
  const auto f = static_cast<double>(factor);
  const double product = f * step;
  const Two exact = Sum(start, product);
  *sum = exact.sum;
  // False also for NaN, which infinities give.
  return std::fma(f, step, -product) == 0 && exact.rest == 0;
}

Bits RoundPlaced(Real& rounded, int ternary, Format format) {
  if (mpfr_zero_p(rounded.get()) != 0) {
    return mpfr_signbit(rounded.get()) != 0 ? SignMask(format) : 0;
  }
  return Round(PlaceRounded(rounded, ternary, format), format, Rounding::kRte);
}

void SetInteger(Real& real, std::uint64_t value) {
  mpfr_set_ui_2exp(real, static_cast<unsigned long>(value >> 32), 32, MPFR_RNDN);
  mpfr_add_ui(real, real, static_cast<unsigned long>(value & 0xffffffff), MPFR_RNDN);
}

}  // namespace

Bits PointOnLine(Format format, Bits start, Bits step, std::uint64_t index) {
  if (index == 0) return start;
  double sum = 0;
  if (ExactLinear(ToDouble(format, start), index, ToDouble(format, step), &sum)) {
    return FromDouble(format, sum);
  }
  Real a(64), b(64), i(64), result(WorkingPrecision(format));
  SetBits(a, format, start);
  SetBits(b, format, step);
  SetInteger(i, index);
  const int ternary = mpfr_fma(result, i, b, a, MPFR_RNDN);
  return RoundPlaced(result, ternary, format);
}

Bits PointBetween(Format format, Bits low, Bits high, std::uint64_t numerator) {
  if (numerator == 0) return low;
  if (const auto close =
          CloseBetween(format, ToDouble(format, low), ToDouble(format, high), numerator)) {
    return *close;
  }
  // low * (2^53 - numerator) + high * numerator, over 2^53, which is exact.
  Real a(64), b(64), i(64), rest(64), result(WorkingPrecision(format));
  SetBits(a, format, low);
  SetBits(b, format, high);
  SetInteger(i, numerator);
  SetInteger(rest, kDenominator - numerator);
  const int ternary = mpfr_fmma(result, a, rest, b, i, MPFR_RNDN);
  mpfr_div_2ui(result, result, kNumeratorBits, MPFR_RNDN);
  return RoundPlaced(result, ternary, format);
}

}  // namespace assay::numerics
