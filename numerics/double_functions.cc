#include "numerics/double_functions.h"

#include <cmath>

#include "numerics/double_table.h"
#include "numerics/fast_path_llvm_libc.h"

namespace assay::numerics {
namespace {

// LLVM libc says that these are correctly rounded; double_functions_test.cc asks MPFR.
template <double (*kFunction)(double)>
bool FromLibc(const double* x, double* result) {
  *result = kFunction(x[0]);
  return std::isfinite(*result) && *result != 0;
}

// ---- Tables -------------------------------------------------------------------------------------

DoubleDouble Negative(DoubleDouble a) { return {-a.high, -a.low}; }
bool RoundSigned(Approximation value, bool negative, double* result) {
  if (negative) value.value = Negative(value.value);
  return RoundToDouble(value, result);
}

// f(-x) = -f(x), or f(-x) = f(x); or x > 0.
enum class Parity { kOdd, kEven, kPositive };

template <const DoubleTable& kTable, Parity kParity>
bool FromTable(const double* x, double* result) {
  if (kParity == Parity::kPositive && x[0] < 0) return false;
  Approximation value;
  return LookUp(kTable, std::fabs(x[0]), 0, &value) &&
         RoundSigned(value, kParity == Parity::kOdd && x[0] < 0, result);
}

constexpr DoubleDouble kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr DoubleDouble kPi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

// atan of a quotient of positive numbers, in turns of pi if `per_pi`; both numbers within 2^500
// of 1.
bool ArcTangent(DoubleDouble y, DoubleDouble x, bool per_pi, Approximation* result) {
  const bool steep = y.high > x.high;
  const DoubleDouble ratio = steep ? Divide(x, y) : Divide(y, x);
  if (!LookUp(per_pi ? kTable_atanpi : kTable_atan, ratio.high, ratio.low, result)) return false;
  // The quotient is within 2^-98, and the slope of the function at most 1.
  result->error += 0x1p-98 * ratio.high;
  if (steep) {
    result->value = Add(per_pi ? DoubleDouble{0.5, 0} : kHalfPi, Negative(result->value));
    result->error += 0x1p-100;
  }
  return true;
}
bool IsModerate(double x) { return std::fabs(x) > 0x1p-300 && std::fabs(x) < 0x1p300; }

template <bool kPerPi>
bool Atan(const double* x, double* result) {
  Approximation value;
  return IsModerate(x[0]) && ArcTangent({std::fabs(x[0]), 0}, {1, 0}, kPerPi, &value) &&
         RoundSigned(value, x[0] < 0, result);
}
template <bool kPerPi>
bool Atan2(const double* yx, double* result) {
  Approximation value;
  if (!IsModerate(yx[0]) || !IsModerate(yx[1]) ||
      !ArcTangent({std::fabs(yx[0]), 0}, {std::fabs(yx[1]), 0}, kPerPi, &value)) {
    return false;
  }
  if (yx[1] < 0) {
    value.value = Add(kPerPi ? DoubleDouble{1, 0} : kPi, Negative(value.value));
    value.error += 0x1p-98;
  }
  return RoundSigned(value, yx[0] < 0, result);
}

// x mod 2 in (0, 1], and the sign of sin(pi x) for it; exact.
double HalfTurn(double magnitude, bool* negative) {
  double rest = std::fmod(magnitude, 2);
  *negative = rest > 1;
  if (*negative) rest -= 1;
  return rest;
}
// sin(pi x) for x in (0, 1).
bool SinPiOf(double x, Approximation* value) {
  if (x > 0.5) x = 1 - x;  // exact
  if (x <= 0.25) return LookUp(kTable_sinpi, x, 0, value);
  const double rest = 0.5 - x;  // exact
  if (rest >= 0.125) return LookUp(kTable_sinpi, x, 0, value);
  return LookUp(kTable_cospi, rest, 0, value);
}
bool SinPi(const double* x, double* result) {
  bool negative = false;
  Approximation value;
  const double turn = HalfTurn(std::fabs(x[0]), &negative);
  return turn > 0 && turn < 1 && SinPiOf(turn, &value) &&
         RoundSigned(value, negative != (x[0] < 0), result);
}
bool CosPi(const double* x, double* result) {
  bool negative = false;
  Approximation value;
  const double turn = HalfTurn(std::fabs(x[0]), &negative);
  if (turn == 0.5 || turn == 0 || turn == 1) return false;
  if (turn > 0.5) negative = !negative;
  const double from_half = turn > 0.5 ? 1 - turn : turn;  // cos(pi from_half) > 0
  const bool known = from_half <= 0.25
                         ? LookUp(kTable_cospi, from_half, 0, &value) ||
                               (from_half >= 0.125 && SinPiOf(0.5 - from_half, &value))
                         : SinPiOf(0.5 - from_half, &value);
  return known && RoundSigned(value, negative, result);
}

// ---- Exponentials and logarithms ----------------------------------------------------------------

// 2^(a.high + a.low) / 2^exponent, within a relative 2^-71; |a| < 1000.
DoubleDouble PowerOfTwo(DoubleDouble a, int* exponent) {
  double whole = std::floor(a.high);
  DoubleDouble fraction = TwoSum(a.high, 1 - whole);
  fraction = FastTwoSum(fraction.high, fraction.low + a.low);
  // The low parts may have led out of [1, 2).
  if (fraction.high < 1 || fraction.high >= 2) {
    const double step = fraction.high < 1 ? 1 : -1;
    const DoubleDouble moved = TwoSum(fraction.high, step);
    fraction = {moved.high, moved.low + fraction.low};
    whole -= step;
    if (fraction.high >= 2) fraction = {2 - 0x1p-52, fraction.low + 0x1p-52};
    if (fraction.high < 1) fraction = {1, fraction.low + (fraction.high - 1)};
  }
  Approximation value;
  LookUp(kTable_exp2, fraction.high, fraction.low, &value);
  *exponent = static_cast<int>(whole) - 1;
  return value.value;
}
constexpr double kPowerError = 0x1p-70;  // relative, beside that of its exponent

double PowerOf2(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// log2(x) of a positive, normal number that is not 1; `error` is absolute.
Approximation Log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  if (mantissa > 1.4142135) {
    mantissa /= 2;
    ++exponent;
  }
  Approximation result;
  const double t = mantissa - 1;  // exact
  if (std::fabs(t) < 0x1p-7) {
    // (t - t^2/2 + t^3 (1/3 - t/4 + ...)) / ln 2: what is rounded to 53 bits is a third of t^3.
    constexpr DoubleDouble kPerLn2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
    const DoubleDouble square = TwoProduct(t, t);
    double series = 1.0 / 11;
    for (int k = 10; k >= 3; --k) series = (k % 2 == 0 ? -1.0 / k : 1.0 / k) + t * series;
    DoubleDouble sum = Add({t, 0}, {square.high * -0.5, square.low * -0.5});
    sum = FastTwoSum(sum.high, sum.low + t * square.high * series);
    result.value = Multiply(sum, kPerLn2);
    // Rounding 2^-53 (3 + ...) of |t|^3 / 3; the series ends at t^12 / 12.
    result.error = std::fabs(t) * (t * t * 0x1p-51 + 0x1p-80);
  } else {
    LookUp(kTable_log2, mantissa, 0, &result);
  }
  if (exponent != 0) {
    result.value = Add({static_cast<double>(exponent), 0}, result.value);
    result.error += 0x1p-90;
  }
  return result;
}

// x^y for x > 0, x != 1: within what y makes of the logarithm's error.
bool Power(double x, DoubleDouble y, bool negative, double* result) {
  if (!(x >= 0x1p-1022)) return false;
  const Approximation log2 = Log2(x);
  const DoubleDouble exponent = Multiply(log2.value, y);
  if (!(std::fabs(exponent.high) < 900)) return false;
  int scale = 0;
  Approximation power;
  power.value = PowerOfTwo(exponent, &scale);
  // ln 2 < 0.7; the products are within 2^-98 of the exponent.
  const double off = log2.error * std::fabs(y.high) + 0x1p-97 * std::fabs(exponent.high);
  power.error = power.value.high * (kPowerError + off);
  double rounded = 0;
  if (!RoundSigned(power, negative, &rounded)) return false;
  *result = rounded * PowerOf2(scale);
  return true;
}

bool IsInteger(double y) { return std::fabs(y) >= 0x1p53 || y == std::floor(y); }
bool IsOdd(double y) { return std::fabs(y) < 0x1p53 && std::fmod(y, 2) != 0; }

bool Pow(const double* xy, double* result) {
  const double x = std::fabs(xy[0]), y = xy[1];
  if (x == 1 || (xy[0] < 0 && !IsInteger(y))) return false;
  return Power(x, {y, 0}, xy[0] < 0 && IsOdd(y), result);
}
bool Powr(const double* xy, double* result) { return xy[0] > 0 && Pow(xy, result); }
bool Pown(const double* xn, double* result) { return xn[1] != 0 && Pow(xn, result); }
bool Rootn(const double* xn, double* result) {
  const double x = std::fabs(xn[0]);
  if (x == 1 || xn[1] == 0 || (xn[0] < 0 && !IsOdd(xn[1]))) return false;
  return Power(x, Divide({1, 0}, {xn[1], 0}), xn[0] < 0, result);
}

// e^x as value * 2^exponent; the error is relative.
Approximation Exponential(DoubleDouble x, int* exponent) {
  constexpr DoubleDouble kLog2E = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
  return {PowerOfTwo(Multiply(x, kLog2E), exponent), kPowerError + 0x1p-97 * std::fabs(x.high)};
}

// (e^x + sign e^-x) / 2 for 1 <= x < 600.
Approximation Hyperbolic(double x, double sign) {
  int up = 0, down = 0;
  const Approximation grows = Exponential({x, 0}, &up), falls = Exponential({-x, 0}, &down);
  const DoubleDouble large = Multiply(grows.value, PowerOf2(up - 1));
  const DoubleDouble small = Multiply(falls.value, sign * PowerOf2(down - 1));
  return {Add(large, small), large.high * (grows.error + falls.error)};
}
bool Sinh(const double* x, double* result) {
  const double magnitude = std::fabs(x[0]);
  if (magnitude < 1) return FromTable<kTable_sinh, Parity::kOdd>(x, result);
  return magnitude < 600 && RoundSigned(Hyperbolic(magnitude, -1), x[0] < 0, result);
}
bool Cosh(const double* x, double* result) {
  const double magnitude = std::fabs(x[0]);
  if (magnitude < 1) return FromTable<kTable_cosh, Parity::kEven>(x, result);
  return magnitude < 600 && RoundToDouble(Hyperbolic(magnitude, 1), result);
}

// ---- Error function, gamma function -----------------------------------------------------------

// e^(-x^2) times what the table has, from 2 on.
bool ErfcOfLarge(double x, Approximation* value) {
  if (x >= 26 || !LookUp(kTable_erfcx, x, 0, value)) return false;
  int exponent = 0;
  const Approximation power = Exponential(Negative(TwoProduct(x, x)), &exponent);
  value->error = (value->error / value->value.high + power.error + 0x1p-98);
  value->value = Multiply(Multiply(power.value, value->value), PowerOf2(exponent));
  value->error *= value->value.high;
  return true;
}
bool Erfc(const double* x, double* result) {
  const double magnitude = std::fabs(x[0]);
  Approximation value;
  if (x[0] > 0) {
    return (magnitude >= 2 ? ErfcOfLarge(magnitude, &value)
                           : LookUp(kTable_erfc, magnitude, 0, &value)) &&
           RoundToDouble(value, result);
  }
  if (!LookUp(kTable_erf, magnitude, 0, &value)) return false;
  value.value = Add({1, 0}, value.value);  // erfc(-x) = 1 + erf(x)
  value.error += 0x1p-98;
  return RoundToDouble(value, result);
}

bool Tgamma(const double* x, double* result) {
  if (x[0] < 0 || x[0] > 170) return false;
  double place = x[0];
  DoubleDouble product = {1, 0};
  double error = 0;  // relative
  while (place >= 16) {
    const DoubleDouble factor = TwoSum(place, -1);  // exact
    product = Multiply(product, factor.high);
    place = factor.high;
    error += 0x1p-100;
    if (factor.low != 0) return false;
  }
  Approximation value;
  if (!LookUp(kTable_gamma, place, 0, &value)) return false;
  error += value.error / std::fabs(value.value.high);
  value.value = Multiply(value.value, product);
  value.error = std::fabs(value.value.high) * (error + 0x1p-98);
  return RoundToDouble(value, result);
}

// ---- Roots --------------------------------------------------------------------------------------

bool Rsqrt(const double* x, double* result) {
  if (!(x[0] > 0x1p-900 && x[0] < 0x1p900)) return false;
  const double near = 1 / std::sqrt(x[0]);
  // near (1 + e / 2), where 1 - x near^2 = e is below 2^-51: what e^2 adds is below 2^-102.
  const DoubleDouble square = Multiply(TwoProduct(near, near), x[0]);
  const double e = (1 - square.high) - square.low;
  const Approximation value = {FastTwoSum(near, near * (e * 0.5)), near * 0x1p-100};
  return RoundToDouble(value, result);
}
bool Hypot(const double* xy, double* result) {
  if (!IsModerate(xy[0]) || !IsModerate(xy[1])) return false;
  const DoubleDouble sum = Add(TwoProduct(xy[0], xy[0]), TwoProduct(xy[1], xy[1]));
  const double near = std::sqrt(sum.high);
  const DoubleDouble square = TwoProduct(near, near);
  const double rest = (sum.high - square.high) - square.low + sum.low;
  const Approximation value = {FastTwoSum(near, rest / (2 * near)), near * 0x1p-98};
  return RoundToDouble(value, result);
}

// ---- Exact ones ---------------------------------------------------------------------------------

// The C library's is exact, as IEEE 754 wants of a remainder; a zero's sign is not told here.
template <double (*kFunction)(double, double)>
bool Remainder(const double* xy, double* result) {
  *result = kFunction(xy[0], xy[1]);
  return *result != 0;
}

}  // namespace

DoubleFunction FindDoubleFunction(Function function) {
  switch (function) {
#define LIBC(name)     \
  case Function::name: \
    return &FromLibc<&libc::name>
    LIBC(acos);
    LIBC(asin);
    LIBC(cbrt);
    LIBC(cos);
    LIBC(exp);
    LIBC(exp10);
    LIBC(exp2);
    LIBC(expm1);
    LIBC(log);
    LIBC(log10);
    LIBC(log1p);
    LIBC(log2);
    LIBC(sin);
    LIBC(tan);
#undef LIBC
#define TABLE(name, table, parity) \
  case Function::name:             \
    return &FromTable<kTable_##table, Parity::parity>
    TABLE(acosh, acosh, kPositive);
    TABLE(acospi, acospi, kPositive);
    TABLE(asinh, asinh, kOdd);
    TABLE(asinpi, asinpi, kOdd);
    TABLE(atanh, atanh, kOdd);
    TABLE(erf, erf, kOdd);
    TABLE(lgamma, lngamma, kPositive);
    TABLE(tanh, tanh, kOdd);
    TABLE(tanpi, tanpi, kOdd);
#undef TABLE
    case Function::atan:
      return &Atan<false>;
    case Function::atanpi:
      return &Atan<true>;
    case Function::atan2:
      return &Atan2<false>;
    case Function::atan2pi:
      return &Atan2<true>;
    case Function::cosh:
      return &Cosh;
    case Function::cospi:
      return &CosPi;
    case Function::erfc:
      return &Erfc;
    case Function::fmod:
      return &Remainder<&std::fmod>;
    case Function::hypot:
      return &Hypot;
    case Function::pow:
      return &Pow;
    case Function::pown:
      return &Pown;
    case Function::powr:
      return &Powr;
    case Function::remainder:
      return &Remainder<&std::remainder>;
    case Function::rootn:
      return &Rootn;
    case Function::rsqrt:
      return &Rsqrt;
    case Function::sinh:
      return &Sinh;
    case Function::sinpi:
      return &SinPi;
    case Function::tgamma:
      return &Tgamma;
    default:
      return nullptr;
  }
}

}  // namespace assay::numerics
