// Circular functions of doubles and their inverses.

#include <cmath>

#include "numerics/double_functions.h"
#include "numerics/double_table.h"

namespace assay::numerics::dd {
namespace {

constexpr double kSmall = 0x1p-20;  // the series' second term is enough (Beside)
// A remainder of an angle this small has lost too many bits: none of a double is.
constexpr double kLostAngle = 0x1p-64;

Approximation Signed(Dd magnitude, double sign, int scale = 0) {
  return Of(sign < 0 ? -magnitude : magnitude, scale);
}

// x as a number in [1/2, 1) and its exponent, so that products do not underflow.
double Normalized(double x, int* exponent) { return std::frexp(x, exponent); }

Dd QuarterSin(const SinCosDd& both, int quarter) {
  const Dd value = (quarter & 1) != 0 ? both.cos : both.sin;
  return (quarter & 2) != 0 ? -value : value;
}

// The angle of (|x|, |y|) in [0, pi / 2], for any magnitudes: also its scale, where it is tiny.
struct Angle {
  Dd value;
  int scale = 0;
};
Angle FirstQuadrant(double y, double x) {
  int y_exponent, x_exponent;
  const double y_part = Normalized(std::fabs(y), &y_exponent);
  const double x_part = Normalized(std::fabs(x), &x_exponent);
  const int difference = y_exponent - x_exponent;
  const Dd ratio = Dd{y_part, 0} / Dd{x_part, 0};
  if (difference < -200) return {.value = ratio, .scale = difference};
  if (difference > 200) return {.value = HalfPi()};
  const double power = std::ldexp(1.0, difference);
  if (difference < 0) return {.value = Atan(Scaled(ratio, power))};
  // Beyond 1 the reciprocal is the better operand.
  const Dd inverse = Scaled(Dd{x_part, 0} / Dd{y_part, 0}, 1 / power);
  return {.value = HalfPi() - Atan(inverse)};
}

// |y / x| or its reciprocal, so small that only its direction is seen; 0 where it is not.
constexpr int kUnseen = 60;
int ExponentOfRatio(double y, double x) {
  int y_exponent, x_exponent;
  std::frexp(y, &y_exponent);
  std::frexp(x, &x_exponent);
  return y_exponent - x_exponent;
}

// sqrt(1 - x^2)
Dd Complement(double x) { return Sqrt(TwoSum(1, -x) * TwoSum(1, x)); }

Dd AsinOf(double magnitude) {
  const Dd other = Complement(magnitude);
  if (magnitude < 0.7) return Atan(Dd{magnitude, 0} / other);
  return HalfPi() - Atan(other / magnitude);
}

// 0 <= acos(x) <= pi
Dd AcosOf(double x) {
  const double magnitude = std::fabs(x);
  const Dd other = Complement(magnitude);
  if (magnitude >= 0.7) {
    const Dd angle = Atan(other / magnitude);
    return x > 0 ? angle : Pi() - angle;
  }
  const Dd angle = Atan(Dd{magnitude, 0} / other);
  return x > 0 ? HalfPi() - angle : HalfPi() + angle;
}

}  // namespace

Approximation DoubleSin(double x) {
  if (std::fabs(x) < kSmall) return Beside(x, -x * x / 6);
  Dd rest;
  const int quarter = ReduceAngle(x, &rest);
  if (std::fabs(rest.hi) < kLostAngle) return AskMpfr();
  return Of(QuarterSin(SinCos(rest), quarter));
}

Approximation DoubleCos(double x) {
  if (std::fabs(x) < kSmall) return Beside(1, -x * x / 2);
  Dd rest;
  const int quarter = ReduceAngle(x, &rest);
  if (std::fabs(rest.hi) < kLostAngle) return AskMpfr();
  return Of(QuarterSin(SinCos(rest), quarter + 1));
}

Approximation DoubleTan(double x) {
  if (std::fabs(x) < kSmall) return Beside(x, x * x / 3);
  Dd rest;
  const int quarter = ReduceAngle(x, &rest);
  if (std::fabs(rest.hi) < kLostAngle) return AskMpfr();
  const SinCosDd both = SinCos(rest);
  return Of((quarter & 1) != 0 ? -both.cos / both.sin : both.sin / both.cos);
}

Approximation DoubleAsin(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 1) return NotANumber();
  if (magnitude < kSmall) return Beside(x, x * x / 6);
  if (magnitude == 1) return Signed(HalfPi(), x);
  return Signed(AsinOf(magnitude), x);
}

Approximation DoubleAcos(double x) {
  if (std::fabs(x) > 1) return NotANumber();
  if (std::fabs(x) == 1) return x > 0 ? AskMpfr() : Of(Pi());
  if (std::fabs(x) < kSmall) {
    // pi / 2 - x - x^3 / 6
    return Of(HalfPi() - Dd{x, x * x * x / 6});
  }
  return Of(AcosOf(x));
}

Approximation DoubleAtan(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude < kSmall) return Beside(x, -x * x / 3);
  return Signed(Atan({magnitude, 0}), x);
}

// q - q^3 / 3 with q = y / x, |q| < 2^-19 and x > 0.
Approximation SmallAtan2(double y, double x) {
  int y_exponent, x_exponent;
  const double y_part = Normalized(y, &y_exponent), x_part = Normalized(x, &x_exponent);
  const int scale = y_exponent - x_exponent;
  const Dd q = Dd{y_part, 0} / Dd{x_part, 0};
  const double small = scale < -400 ? 0 : std::ldexp(q.hi, scale);
  const double delta = -small * small / 3;
  if (__builtin_fma(q.hi, x_part, -y_part) == 0) {  // the quotient is a number
    Approximation beside = Beside(q.hi, delta == 0 ? -0x1p-400 : delta);
    beside.scale += scale;
    return beside;
  }
  return Of(q + q.hi * delta, scale);
}

Approximation DoubleAtan2(double y, double x) {
  if (x > 0 && ExponentOfRatio(y, x) < -20) return SmallAtan2(y, x);
  const Angle angle = FirstQuadrant(y, x);
  if (x > 0) return Signed(angle.value, y);
  // A tiny angle leaves pi as it is.
  return Signed(angle.scale != 0 ? Pi() : Pi() - angle.value, y);
}

Approximation DoubleSinpi(double x) {
  double rest;
  const int half = ReduceByHalves(x, &rest);
  if (rest == 0) return (half & 1) == 0 ? AskMpfr() : Approximation{.hi = half == 1 ? 1.0 : -1.0};
  if (half == 0 && std::fabs(x) < 0x1p-40) {
    int exponent;
    const double part = Normalized(x, &exponent);
    return Of(Pi() * part, exponent);
  }
  if (std::fabs(rest) < kSmall && (half & 1) != 0) {
    return Beside(half == 1 ? 1 : -1, -0.5 * (Pi().hi * rest) * (Pi().hi * rest));
  }
  return Of(QuarterSin(SinCosPi(rest), half));
}

Approximation DoubleCospi(double x) {
  double rest;
  const int half = ReduceByHalves(x, &rest);
  if (rest == 0) return (half & 1) != 0 ? AskMpfr() : Approximation{.hi = half == 0 ? 1.0 : -1.0};
  if (std::fabs(rest) < kSmall && (half & 1) == 0) {
    return Beside(half == 0 ? 1 : -1, -0.5 * (Pi().hi * rest) * (Pi().hi * rest));
  }
  return Of(QuarterSin(SinCosPi(rest), half + 1));
}

Approximation DoubleTanpi(double x) {
  double rest;
  const int half = ReduceByHalves(x, &rest);
  if (rest == 0 || std::fabs(rest) == 0.25) return AskMpfr();
  if (half == 0 && std::fabs(x) < 0x1p-40) {
    int exponent;
    const double part = Normalized(x, &exponent);
    return Of(Pi() * part, exponent);
  }
  const SinCosDd both = SinCosPi(rest);
  return Of((half & 1) != 0 ? -both.cos / both.sin : both.sin / both.cos);
}

Approximation DoubleAsinpi(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 1) return NotANumber();
  if (magnitude == 1) return {.hi = std::copysign(0.5, x)};
  if (magnitude < kSmall) {
    int exponent;
    const double part = Normalized(x, &exponent);
    return Of(OverPi() * (part + Dd{0, part * x * x / 6}), exponent);
  }
  return Signed(AsinOf(magnitude) * OverPi(), x);
}

Approximation DoubleAcospi(double x) {
  if (std::fabs(x) > 1) return NotANumber();
  if (x == 1) return AskMpfr();
  if (x == -1) return {.hi = 1};
  if (std::fabs(x) < 0x1p-30) return Beside(0.5, -2 * OverPi().hi * x);
  return Of(AcosOf(x) * OverPi());
}

Approximation DoubleAtanpi(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude == 1) return {.hi = std::copysign(0.25, x)};
  if (magnitude < kSmall) {
    int exponent;
    const double part = Normalized(x, &exponent);
    return Of(OverPi() * (part + Dd{0, -part * x * x / 3}), exponent);
  }
  if (magnitude > 0x1p30) return Beside(std::copysign(0.5, x), -2 * OverPi().hi / magnitude);
  return Signed(Atan({magnitude, 0}) * OverPi(), x);
}

Approximation DoubleAtan2pi(double y, double x) {
  if (std::fabs(x) == std::fabs(y)) return {.hi = std::copysign(x > 0 ? 0.25 : 0.75, y)};
  const int ratio = ExponentOfRatio(y, x);
  if (ratio > kUnseen) {
    // 1/2 - x / (pi y), of any sign of x
    const double small = std::ldexp(1.0, ratio > 900 ? -900 : -ratio);
    if (ratio > 100) return Beside(std::copysign(0.5, y), x > 0 ? -small : small);
    return AskMpfr();
  }
  if (ratio < -kUnseen && x < 0) {
    const double small = std::ldexp(1.0, ratio < -900 ? -900 : ratio);
    if (ratio < -100) return Beside(std::copysign(1, y), -small);
    return AskMpfr();
  }
  const Angle angle = FirstQuadrant(y, x);
  if (x > 0) return Signed(angle.value * OverPi(), y, angle.scale);
  return Signed(1 - angle.value * OverPi(), y);
}

Approximation DoubleDegrees(double x) {
  static const Dd kDegrees = 180 * OverPi();
  int exponent;
  const double part = Normalized(x, &exponent);
  return Of(kDegrees * part, exponent);
}

Approximation DoubleRadians(double x) {
  static const Dd kRadians = Pi() / 180.0;
  int exponent;
  const double part = Normalized(x, &exponent);
  return Of(kRadians * part, exponent);
}

}  // namespace assay::numerics::dd
