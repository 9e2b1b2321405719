// erf, erfc, tgamma and lgamma of doubles: tables from MPFR, Stirling's series and reflection.

#include <cmath>
#include <limits>

#include "numerics/double_functions.h"
#include "numerics/double_table.h"

namespace assay::numerics::dd {
namespace {

// ---- Error function
// ------------------------------------------------------------------------------

void ErfOverX(mpfr_ptr result, mpfr_srcptr x) {
  mpfr_erf(result, x, MPFR_RNDN);
  mpfr_div(result, result, x, MPFR_RNDN);
}

// e^(x^2) erfc(x)
void ScaledErfc(mpfr_ptr result, mpfr_srcptr x) {
  mpfr_t square;
  mpfr_init2(square, 2 * mpfr_get_prec(x));
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_erfc(result, x, MPFR_RNDN);
  mpfr_mul(result, result, square, MPFR_RNDN);
  mpfr_clear(square);
}

// 0 < x <= 1
Dd SmallErf(double x) {
  static const Table<14, 5> kErfOverX(ErfOverX, 1, 0x1p-4);
  return x * kErfOverX({x, 0});
}

constexpr double kErfcEnd = 27.5;

// 1/2 <= x <= kErfcEnd
ScaledDd LargeErfc(double x) {
  static const Table<17, 6> kScaled(ScaledErfc, kErfcEnd + 0.5, 0x1p-3);
  ScaledDd power = Exp(-TwoProduct(x, x));
  power.value = power.value * kScaled({x, 0});
  return power;
}

// ---- Gamma function
// ------------------------------------------------------------------------------

constexpr double kStirlingBegin = 16;

void MpfrGamma(mpfr_ptr result, mpfr_srcptr x) { mpfr_gamma(result, x, MPFR_RNDN); }

// gamma(1 + x) for 0 <= x <= 1
Dd TabulatedGamma(Dd x) {
  static const Table<16, 6> kGamma(
      [](mpfr_ptr result, mpfr_srcptr at) {
        mpfr_t next;
        mpfr_init2(next, mpfr_get_prec(at) + 8);
        mpfr_add_ui(next, at, 1, MPFR_RNDN);
        MpfrGamma(result, next);
        mpfr_clear(next);
      },
      1, 0x1p-4);
  return kGamma(x);
}

// B(2k) / (2k (2k-1)), k = 1, 2, ...
struct StirlingTable {
  Dd first, second;
  Dd half_log_two_pi = Constant([](mpfr_ptr r) {
    mpfr_const_pi(r, MPFR_RNDN);
    mpfr_mul_ui(r, r, 2, MPFR_RNDN);
    mpfr_log(r, r, MPFR_RNDN);
    mpfr_div_ui(r, r, 2, MPFR_RNDN);
  });
  StirlingTable() : first(Dd{1, 0} / 12.0), second(Dd{-1, 0} / 360.0) {}
};

const StirlingTable& OfStirling() {
  static const StirlingTable kTable;
  return kTable;
}

// log(gamma(x)) for x >= kStirlingBegin, as two terms whose sum it is: (x - 1/2) (log(x) - 1) and the
// rest.  The first term left out is below 2^-86.
Dd Stirling(Dd x) {
  const StirlingTable& table = OfStirling();
  const Dd r = 1 / x;
  const Dd square = r * r;
  const double s = square.hi;
  const double tail =
      1.0 / 1260 +
      s * (-1.0 / 1680 +
           s * (1.0 / 1188 +
                s * (-691.0 / 360360 +
                     s * (1.0 / 156 +
                          s * (-3617.0 / 122400 +
                               s * (43867.0 / 244188 + s * (-174611.0 / 125400)))))));
  const Dd series = r * (table.first + square * (table.second + s * tail));
  return (x - 0.5) * (Log(x) - 1) + ((table.half_log_two_pi - 0.5) + series);
}

// x > 0
ScaledDd PositiveGamma(Dd x) {
  if (x.hi < 1) return {.value = TabulatedGamma(x) / x};
  if (x.hi >= kStirlingBegin) return Exp(Stirling(x));
  Dd product = {1, 0};
  while (x.hi >= 2) {
    x = x - 1;
    product = product * x;
  }
  return {.value = product * TabulatedGamma(x - 1)};
}

// log(gamma(1 + x)) / (x (x - 1)) for 0 <= x <= 2
Dd LgammaWithoutZeros(Dd x) {
  // An even number of nodes: none is in the middle, where a zero is.
  static const Table<17, 6> kWithoutZeros(
      [](mpfr_ptr result, mpfr_srcptr at) {
        mpfr_t next;
        mpfr_init2(next, mpfr_get_prec(at) + 200);
        mpfr_add_ui(next, at, 1, MPFR_RNDN);
        mpfr_lngamma(result, next, MPFR_RNDN);
        mpfr_div(result, result, at, MPFR_RNDN);
        mpfr_sub_ui(next, at, 1, MPFR_RNDN);
        mpfr_div(result, result, next, MPFR_RNDN);
        mpfr_clear(next);
      },
      2, 0x1p-4);
  return kWithoutZeros(x);
}

// x > 0, below 2^900
Dd PositiveLgamma(double x) {
  if (x >= kStirlingBegin) return Stirling({x, 0});
  if (x >= 1) {
    // The product of x - 1, x - 2, ... and gamma of a number in [2, 3): no logarithm is negative.
    Dd y = {x, 0}, product = {1, 0};
    while (y.hi >= 3) {
      y = y - 1;
      product = product * y;
    }
    const Dd above = (y - 1) * (y - 2) * LgammaWithoutZeros(y - 1);
    return product.hi == 1 ? above : Log(product) + above;
  }
  // gamma(x) = gamma(1 + x) / x
  return x * TwoSum(x, -1) * LgammaWithoutZeros({x, 0}) - LogOf(x);
}

}  // namespace

Approximation DoubleErf(double x) {
  const double magnitude = std::fabs(x);
  Approximation result;
  if (magnitude < 0x1p-200) {
    static const Dd kTwoOverRootPi = 2 * (Sqrt(Pi()) * OverPi());
    int exponent;
    const double part = std::frexp(magnitude, &exponent);
    result = Of(kTwoOverRootPi * part, exponent);
  } else if (magnitude <= 1) {
    result = Of(SmallErf(magnitude));
  } else {
    const ScaledDd rest = LargeErfc(std::fmin(magnitude, 20));
    if (magnitude > 5) {
      return Beside(std::copysign(1, x), -std::ldexp(rest.value.hi, rest.scale));
    }
    result = Of(1 - Scaled(rest.value, std::ldexp(1.0, rest.scale)));
  }
  if (x < 0) {
    result.hi = -result.hi;
    result.lo = -result.lo;
  }
  return result;
}

Approximation DoubleErfc(double x) {
  if (x > kErfcEnd) return Tiny(1);
  if (x >= 0.5) return Of(LargeErfc(x));
  const double magnitude = std::fabs(x);
  if (magnitude < 0x1p-40) {
    constexpr double kTwoOverRootPi = 1.12837916709551257390;
    return Beside(1, -kTwoOverRootPi * x);
  }
  if (magnitude <= 1) return Of(x < 0 ? 1 + SmallErf(magnitude) : 1 - SmallErf(magnitude));
  const ScaledDd rest = LargeErfc(std::fmin(magnitude, 20));
  if (magnitude > 5) return Beside(2, -std::ldexp(rest.value.hi, rest.scale - 1));
  return Of(2 - Scaled(rest.value, std::ldexp(1.0, rest.scale)));
}

Approximation DoubleTgamma(double x) {
  if (x > 180) return Huge(1);
  if (x > 0) {
    if (x < 0x1p-60) return AskMpfr();
    return Of(PositiveGamma({x, 0}));
  }
  if (x == std::trunc(x)) return NotANumber();
  if (x > -0x1p-60) return AskMpfr();
  const double sign = std::fmod(std::floor(x), 2) == 0 ? 1 : -1;
  if (x < -190) return Tiny(sign);
  // pi / (sin(pi x) gamma(1 - x))
  double rest;
  const int half = ReduceByHalves(x, &rest);
  const SinCosDd both = SinCosPi(rest);
  Dd sine = (half & 1) != 0 ? both.cos : both.sin;
  if ((half & 2) != 0) sine = -sine;
  const ScaledDd gamma = PositiveGamma(TwoSum(1, -x));
  return Of(Pi() / (sine * gamma.value), -gamma.scale);
}

Approximation DoubleLgamma(double x) {
  if (x > 0) {
    if (x == 1 || x == 2 || x > 0x1p900) return AskMpfr();
    return Of(PositiveLgamma(x));
  }
  if (x == std::trunc(x)) return AskMpfr();
  double rest;
  const int half = ReduceByHalves(x, &rest);
  if (x > -0x1p-60) return Of(-LogOf(-x));
  const SinCosDd both = SinCosPi(rest);
  Dd sine = (half & 1) != 0 ? both.cos : both.sin;
  if (sine.hi < 0) sine = -sine;
  const Dd first = Log(Pi() / (sine * -x));
  const Dd second = PositiveLgamma(-x);
  const Dd value = first - second;
  const double largest = std::fmax(std::fabs(first.hi), std::fabs(second.hi));
  return Of(value, 0, kError * 4 * std::fmax(1, largest / std::fabs(value.hi)));
}

}  // namespace assay::numerics::dd
