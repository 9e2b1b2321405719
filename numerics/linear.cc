#include "numerics/linear.h"

#include <mpfr.h>

#include <cmath>

#include "numerics/exact.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

constexpr int kNumeratorBits = 53;
constexpr std::uint64_t kDenominator = std::uint64_t{1} << kNumeratorBits;

// a + b in double, if that is exact (Knuth's TwoSum says what it misses).
bool ExactSum(double a, double b, double* sum) {
  const double s = a + b;
  const double b_part = s - a;
  *sum = s;
  return (a - (s - b_part)) + (b - b_part) == 0;  // false also for NaN, which infinities give
}

// start + factor * step in double, if that is exact: then one rounding to the format is left.
// Nothing here is below the smallest subnormal, as the factor is an integer.
bool ExactLinear(double start, std::uint64_t factor, double step, double* sum) {
  if (factor >= kDenominator) return false;
  const auto f = static_cast<double>(factor);
  const double product = f * step;
  return std::fma(f, step, -product) == 0 && ExactSum(start, product, sum);
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
  const double start = ToDouble(format, low);
  double difference = 0, sum = 0;
  if (ExactSum(ToDouble(format, high), -start, &difference)) {
    const double step = std::ldexp(difference, -kNumeratorBits);
    if (std::ldexp(step, kNumeratorBits) == difference &&
        ExactLinear(start, numerator, step, &sum)) {
      return FromDouble(format, sum);
    }
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
