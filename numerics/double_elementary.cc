// Exponentials, logarithms, powers and hyperbolic functions of doubles.

#include <cmath>
#include <limits>

#include "numerics/double_functions.h"
#include "numerics/double_table.h"

namespace assay::numerics::dd {
namespace {

// Below these magnitudes the series' second term is enough (Beside).
constexpr double kSmallSquare = 0x1p-20;  // 1 + c x^2 + O(x^4)
constexpr double kSmallLinear = 0x1p-30;  // 1 + c x + O(x^2)

const Dd& LogTwo() {
  static const Dd kValue = Constant([](mpfr_ptr r) { mpfr_const_log2(r, MPFR_RNDN); });
  return kValue;
}

const Dd& LogTen() {
  static const Dd kValue = Constant([](mpfr_ptr r) {
    mpfr_set_ui(r, 10, MPFR_RNDN);
    mpfr_log(r, r, MPFR_RNDN);
  });
  return kValue;
}

const Dd& OverLogTwo() {
  static const Dd kValue = 1 / LogTwo();
  return kValue;
}

const Dd& OverLogTen() {
  static const Dd kValue = 1 / LogTen();
  return kValue;
}

Approximation Signed(Approximation magnitude, double sign) {
  if (sign < 0) {
    magnitude.hi = -magnitude.hi;
    magnitude.lo = -magnitude.lo;
  }
  return magnitude;
}

bool IsOdd(double n) { return std::fabs(n) < 0x1p53 && std::fmod(n, 2) != 0; }

}  // namespace

Approximation NotANumber() { return {.hi = std::numeric_limits<double>::quiet_NaN()}; }
Approximation Huge(double sign) { return {.hi = std::copysign(1, sign), .scale = 2000}; }
Approximation Tiny(double sign) { return {.hi = std::copysign(1, sign), .scale = -2000}; }

Approximation Beside(double anchor, double delta) {
  int scale;
  const double m = std::frexp(anchor, &scale);
  constexpr double kLeast = 0x1p-400;
  if (std::fabs(delta) < kLeast) delta = std::copysign(kLeast, delta);
  return Of(FastTwoSum(m, m * delta), scale, std::fabs(delta) * 0x1p-27);
}

Approximation ExpOf(Dd t, double sign) {
  if (std::fabs(t.hi) < kSmallLinear) return Beside(sign, t.hi * (1 + t.hi / 2));
  if (t.hi > 800) return Huge(sign);
  if (t.hi < -800) return Tiny(sign);
  return Signed(Of(Exp(t)), sign);
}

Approximation DoubleExp(double x) { return ExpOf({x, 0}); }

Approximation DoubleExp2(double x) {
  if (x > 1100) return Huge(1);
  if (x < -1100) return Tiny(1);
  const double whole = std::nearbyint(x), rest = x - whole;
  const int scale = static_cast<int>(whole);
  if (rest == 0) return {.hi = 1, .scale = scale};
  Approximation result = ExpOf(LogTwo() * rest);
  result.scale += scale;
  return result;
}

Approximation DoubleExp10(double x) {
  if (x > 330) return Huge(1);
  if (x < -350) return Tiny(1);
  return ExpOf(LogTen() * x);
}

Approximation DoubleExpm1(double x) {
  if (std::fabs(x) < kSmallLinear) return Beside(x, x / 2 * (1 + x / 3));
  if (x > 50) {
    // The one that is subtracted still counts below e^90.
    if (x > 90) return ExpOf({x, 0});
    const ScaledDd power = Exp({x, 0});
    return Of(power.value - std::ldexp(1.0, -power.scale), power.scale);
  }
  if (x < -50) {
    const ScaledDd power = Exp({std::fmax(x, -600), 0});
    return Beside(-1, -std::ldexp(power.value.hi, power.scale));
  }
  return Of(Expm1({x, 0}));
}

Dd LogOf(double x) {
  if (x >= std::numeric_limits<double>::min()) return Log({x, 0});
  return Log({x * 0x1p54, 0}) - LogTwo() * 54.0;
}

Approximation DoubleLog(double x) {
  if (x < 0) return NotANumber();
  return x == 1 ? AskMpfr() : Of(LogOf(x));
}

Approximation DoubleLog2(double x) {
  if (x < 0) return NotANumber();
  int exponent;
  if (std::frexp(x, &exponent) == 0.5) return AskMpfr();
  return Of(LogOf(x) * OverLogTwo());
}

Approximation DoubleLog10(double x) {
  if (x < 0) return NotANumber();
  return x == 1 ? AskMpfr() : Of(LogOf(x) * OverLogTen());
}

Approximation DoubleLog1p(double x) {
  if (x <= -1) return x == -1 ? AskMpfr() : NotANumber();
  if (std::fabs(x) < kSmallLinear) return Beside(x, -x / 2 * (1 - x / 1.5));
  if (x > 0x1p200) return Of(LogOf(x));
  return Of(Log1p({x, 0}));
}

// ---- Hyperbolic functions: E = e^|x| - 1
// -----------------------------------------------------------------------

Approximation DoubleSinh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmallSquare) return Beside(x, x * x / 6);
  if (magnitude > 800) return Huge(x);
  if (magnitude > 40) {
    Approximation half = Of(Exp({magnitude, 0}));
    half.scale -= 1;
    return Signed(half, x);
  }
  const Dd e = Expm1({magnitude, 0});
  return Signed(Of(Scaled(e + e / (e + 1), 0.5)), x);
}

Approximation DoubleCosh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmallSquare) return Beside(1, x * x / 2);
  if (magnitude > 800) return Huge(1);
  ScaledDd power = Exp({magnitude, 0});
  if (magnitude <= 40) {
    const Dd e = Scaled(power.value, std::ldexp(1.0, power.scale));
    return Of(Scaled(e + 1 / e, 0.5));
  }
  power.scale -= 1;
  return Of(power);
}

Approximation DoubleTanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmallSquare) return Beside(x, -x * x / 3);
  if (magnitude > 22) {
    const ScaledDd power = Exp({-2 * std::fmin(magnitude, 300), 0});
    return Beside(std::copysign(1, x), -2 * std::ldexp(power.value.hi, power.scale));
  }
  const Dd e = Expm1({2 * magnitude, 0});
  return Signed(Of(e / (e + 2)), x);
}

// log1p(|x| + x^2 / (1 + sqrt(1 + x^2)))
Approximation DoubleAsinh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmallSquare) return Beside(x, -x * x / 6);
  if (magnitude > 0x1p60) return Signed(Of(LogOf(magnitude) + LogTwo()), x);
  const Dd square = TwoProduct(x, x);
  return Signed(Of(Log1p(magnitude + square / (1 + Sqrt(1 + square)))), x);
}

// log1p(d + sqrt(d (x + 1))) with d = x - 1
Approximation DoubleAcosh(double x) {
  if (x < 1) return NotANumber();
  if (x == 1) return AskMpfr();
  if (x > 0x1p60) return Of(LogOf(x) + LogTwo());
  const Dd d = TwoSum(x, -1);
  return Of(Log1p(d + Sqrt(d * TwoSum(x, 1))));
}

Approximation DoubleAtanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 1) return NotANumber();
  if (magnitude == 1) return AskMpfr();
  if (magnitude < kSmallSquare) return Beside(x, x * x / 3);
  const Dd ratio = Dd{2 * magnitude, 0} / TwoSum(1, -magnitude);
  return Signed(Of(Scaled(Log1p(ratio), 0.5)), x);
}

// ---- Powers
// --------------------------------------------------------------------------------------

Approximation DoublePow(double x, double y) {
  if (y == 0 || x == 1 || (x == -1 && std::fabs(y) > 0x1p52)) return AskMpfr();
  double sign = 1;
  if (x < 0) {
    if (y != std::trunc(y)) return NotANumber();
    sign = IsOdd(y) ? -1 : 1;
  }
  if (x == -1) return AskMpfr();
  const Dd logarithm = LogOf(std::fabs(x));
  const double about = y * logarithm.hi;
  if (about > 800) return Huge(sign);
  if (about < -800) return Tiny(sign);
  // The product of small ones may be below the least double.
  if (std::fabs(about) < 0x1p-500) return Beside(sign, (y > 0) == (logarithm.hi > 0) ? 1e-200 : -1e-200);
  return ExpOf(logarithm * y, sign);
}

Approximation DoublePowr(double x, double y) {
  return x < 0 ? NotANumber() : DoublePow(x, y);
}

// x^(1/n)
Approximation DoubleRootn(double x, double n) {
  if (n == 0 || std::fabs(x) == 1 || std::fabs(n) == 1) return AskMpfr();
  if (x < 0 && std::fmod(n, 2) == 0) return NotANumber();
  return ExpOf(LogOf(std::fabs(x)) / n, x < 0 ? -1 : 1);
}

}  // namespace assay::numerics::dd
