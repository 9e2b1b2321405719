// erf, erfc, tgamma and lgamma: polynomials interpolated from MPFR where they are first used.

#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/approximation.h"
#include "numerics/fast_path_functions.h"
#include "numerics/fast_path_llvm_libc.h"

namespace assay::numerics::fast {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

// ---- Error function
// ------------------------------------------------------------------------------

void ErfOverX(mpfr_ptr result, mpfr_srcptr x) {
  mpfr_erf(result, x, MPFR_RNDN);
  mpfr_div(result, result, x, MPFR_RNDN);
}

// e^(x^2) erfc(x), which falls slowly from 0.6 at 1/2 to 1 / (x sqrt(pi)).
void ScaledErfc(mpfr_ptr result, mpfr_srcptr x) {
  mpfr_t square;
  mpfr_init2(square, 2 * mpfr_get_prec(x));
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(result, x, MPFR_RNDN);
  mpfr_mul(result, result, square, MPFR_RNDN);
  mpfr_clear(square);
}

// x >= 0.
double PositiveErf(double x) {
  static const PiecewisePolynomial<11> kErfOverX(ErfOverX, 0, 6, 0.125);
  return x < 6 ? x * kErfOverX(x) : 1;
}

double Erf(double x) { return std::copysign(PositiveErf(std::fabs(x)), x); }

bool SettleErf(Format format, const double* args, double, Exact* exact) {
  if (std::fabs(args[0]) < 5.6) return false;
  return Near(format, std::copysign(1.0, args[0]), -1, exact);  // erfc(5.6) < 2^-48
}

double Erfc(double x) {
  if (x < 0.5) return x < 0 ? 1 + PositiveErf(-x) : 1 - PositiveErf(x);
  if (x >= 14.6) return kTiny;
  static const PiecewisePolynomial<12> kScaled(ScaledErfc, 0.5, 15, 0.25);
  return libc::exp(-x * x) * kScaled(x);  // the square of a float is exact
}

bool SettleErfc(Format format, const double* args, double, Exact* exact) {
  const double x = args[0];
  if (std::fabs(x) <= 0x1p-49) return Near(format, 1, -SignOf(x), exact);  // 1 - 2 x / sqrt(pi)
  if (x <= -5.6) return Near(format, 2, -1, exact);
  return false;
}

// ---- Gamma function
// ------------------------------------------------------------------------------

constexpr double kGammaEnd = 72;  // gamma(72) > 2^300

void MpfrGamma(mpfr_ptr result, mpfr_srcptr x) { mpfr_gamma(result, x, MPFR_RNDN); }

// 1 <= x < kGammaEnd.
double TabulatedGamma(double x) {
  static const PiecewisePolynomial<11> kGamma(MpfrGamma, 1, kGammaEnd, 0.125);
  return kGamma(x);
}

// x is not zero and not a negative integer.  x + 1, x + 2 and 1 - x are exact unless |x| < 2^-28,
// where their rounding costs u once.  The reflection adds the errors of sin (3 u), gamma (2 u),
// pi, a product and a quotient.
double Gamma(double x) {
  if (x > 68) return kHuge;
  if (x >= 1) return TabulatedGamma(x);
  if (x > 0) return TabulatedGamma(x + 1) / x;
  if (x > -1) return TabulatedGamma(x + 2) / (x * (x + 1));
  // |gamma(-n + e)| is about 1 / (n! e), and e is 2^-17 or more.
  if (x < -70) return std::fmod(std::floor(x), 2) == 0 ? kTiny : -kTiny;
  return kPi / (Sinpi(x) * TabulatedGamma(1 - x));
}

double Tgamma(double x) {
  if (x < 0 && x == std::trunc(x)) return kNan;  // F112
  return Gamma(x);
}

// ---- Logarithm of |gamma|
// ------------------------------------------------------------------------

// log(gamma(x)) without its zeros at 1 and 2.
void LgammaWithoutZeros(mpfr_ptr result, mpfr_srcptr x) {
  mpfr_t factor;
  mpfr_init2(factor, mpfr_get_prec(x));
  mpfr_lngamma(result, x, MPFR_RNDN);
  for (unsigned long zero : {1ul, 2ul}) {
    mpfr_sub_ui(factor, x, zero, MPFR_RNDN);
    mpfr_div(result, result, factor, MPFR_RNDN);
  }
  mpfr_clear(factor);
}

constexpr double kStirlingBegin = 16;

// 1 <= x < kStirlingBegin.
double TabulatedLgamma(double x) {
  static const PiecewisePolynomial<11> kWithoutZeros(LgammaWithoutZeros, 1, kStirlingBegin, 0.125);
  return kWithoutZeros(x);
}

// Stirling's series with the Bernoulli terms B(2k) / (2k (2k-1) x^(2k-1)): the first one left out
// is below 2^-55 of the sum at 16.
double Stirling(double x) {
  const double r = 1 / x, r2 = r * r;
  const double series =
      r * (1.0 / 12 + r2 * (-1.0 / 360 + r2 * (1.0 / 1260 + r2 * (-1.0 / 1680 + r2 / 1188))));
  const double half_log_two_pi_minus_half = 0.5 * (libc::log(2 * kPi) - 1);
  return (x - 0.5) * (libc::log(x) - 1) + (half_log_two_pi_minus_half + series);
}

double PositiveLgamma(double x) {
  if (x >= kStirlingBegin) return Stirling(x);
  if (x >= 1) return (x - 1) * (x - 2) * TabulatedLgamma(x);
  // gamma(x) = gamma(1 + x) / x; (1 + x - 1)(1 + x - 2) = x (x - 1).
  return x * (x - 1) * TabulatedLgamma(1 + x) - libc::log(x);
}

// The error of the logarithm is that of gamma (2^-50) against a result of 1/16 or more; nearer to
// a zero MPFR is asked.
double NegativeLgamma(double x) {
  if (x == std::trunc(x)) return kInfinity;
  if (x > -20) {
    const double value = libc::log(std::fabs(Gamma(x)));
    return std::fabs(value) < 0.0625 ? 0 : value;
  }
  // Reflection; the first term is at most 12 where the second is 39 or more.
  return libc::log(kPi / std::fabs(x * Sinpi(x))) - PositiveLgamma(-x);
}

double Lgamma(double x) { return x < 0 ? NegativeLgamma(x) : PositiveLgamma(x); }

// F109: +infinity at the negative integers.
bool SettleLgamma(Format format, const double* args, double, Exact* exact) {
  if (args[0] > 0 || args[0] != std::trunc(args[0])) return false;
  *exact = Exact::Infinite(format, false);
  exact->prescribed = true;
  return true;
}

// 0 at the poles (E038).
bool SettleGammaSign(Format, const double* args, double, Exact* exact) {
  const double x = args[0];
  const bool pole = x < 0 && x == std::trunc(x);
  const bool negative = x < 0 && std::fmod(std::floor(x), 2) != 0;
  *exact = Exact::Integer(pole ? 0 : negative ? -1 : 1);
  exact->prescribed = pole;
  return true;
}

}  // namespace

const FastPath kErf = {.unary = Erf, .relative_error = 0x1p-50, .settle = SettleErf};
const FastPath kErfc = {.unary = Erfc, .relative_error = 0x1p-50, .settle = SettleErfc};
const FastPath kTgamma = {.unary = Tgamma, .relative_error = 0x1p-49};
const FastPath kLgamma = {.unary = Lgamma, .relative_error = 0x1p-46, .settle = SettleLgamma};
const FastPath kGammaSign = {.unary = [](double) { return 0.0; }, .settle = SettleGammaSign};

}  // namespace assay::numerics::fast
