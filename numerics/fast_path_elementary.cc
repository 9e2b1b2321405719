// Exponentials, logarithms, circular and hyperbolic functions: LLVM libc's double functions, and
// compositions of them whose error is bounded beside each.  u is 2^-53, half an ulp of a double.

#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/fast_path_functions.h"
#include "numerics/fast_path_llvm_libc.h"

namespace assay::numerics::fast {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The assumed error of a function of LLVM libc: one ulp, twice the error that it states.
constexpr double kUlp = 0x1p-52;
// A composition of a few operations: at most 12 u.
constexpr double kComposed = 0x1.8p-50;

// ---- Arguments so small (or so large) that the result hugs a representable number ---------------

// Where LocateNear may be asked: the next term is at most 2^-48 of the anchor.
constexpr double kNearby = 0x1p-48;

// f(x) = x (1 + x^2 / d + ...), growing (kDirection 1) or falling (-1) beside x.
template <int kDirection, int kDivisor>
bool SettleOdd(Format format, const double* args, double, Exact* exact) {
  if (args[0] * args[0] > kDivisor * kNearby) return false;
  return Near(format, args[0], kDirection, exact);
}

// f(x) = 1 + x^2 / 2 + ..., or 1 - x^2 / 2 + ...
template <int kDirection>
bool SettleEven(Format format, const double* args, double, Exact* exact) {
  if (args[0] * args[0] > 2 * kNearby) return false;
  return NearOne(format, kDirection, exact);
}

// ---- Exponentials
// --------------------------------------------------------------------------------

// Half of all floats are too small or too large for b^x to be anything but 1, huge or tiny; the
// tests are cheaper here than in the library.
bool IsOrdinary(double x, double limit) {
  const double magnitude = std::fabs(x);
  return magnitude > 0x1p-55 && magnitude <= limit;
}
double Extreme(double x) { return std::fabs(x) < 1 ? 1 : x > 0 ? kHuge : kTiny; }

double Exp(double x) {
  if (!IsOrdinary(x, 230)) return Extreme(x);
  return libc::exp(x);
}

double Exp2(double x) {
  if (!IsOrdinary(x, 320)) return Extreme(x);
  return libc::exp2(x);
}

double Exp10(double x) {
  if (!IsOrdinary(x, 96)) return Extreme(x);
  return libc::exp10(x);
}

double Expm1(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 40 && (x < 0 || magnitude > 230)) return x > 0 ? kHuge : -1;
  if (magnitude < 0x1p-54) return x;
  // The library takes 200 ns here. The square of a float is exact, and x^4 / 24 is below 2^-84 of
  // x: the sum is the correctly rounded value, which the library returns, of all floats but 2^-52,
  // a tie, whose place algebra settles.
  if (magnitude < 0x1p-27) return x + x * x * (0.5 + x * (1.0 / 6));
  return libc::expm1(x);
}

// b^x = 1 + x log b + ... with |log b| < 2.31.
bool SettleExp(Format format, const double* args, double, Exact* exact) {
  if (std::fabs(args[0]) > kNearby / 2.5) return false;
  return NearOne(format, args[0] > 0 ? 1 : -1, exact);
}

bool SettleExp2(Format format, const double* args, double approximation, Exact* exact) {
  const double x = args[0];
  if (x == std::trunc(x) && std::fabs(x) <= 320) {
    return Near(format, std::ldexp(1.0, static_cast<int>(x)), 0, exact);
  }
  return SettleExp(format, args, approximation, exact);
}

// 10^n as a double, exact for 0 <= n <= 22.
double PowerOfTen(int n) {
  double power = 1;
  for (int i = 0; i < n; ++i) power *= 10;
  return power;
}

bool SettleExp10(Format format, const double* args, double approximation, Exact* exact) {
  const double x = args[0];
  if (x == std::trunc(x) && x > 0 && x <= 22) {
    return Near(format, PowerOfTen(static_cast<int>(x)), 0, exact);
  }
  return SettleExp(format, args, approximation, exact);
}

bool SettleExpm1(Format format, const double* args, double, Exact* exact) {
  const double x = args[0];
  if (std::fabs(x) <= 2 * kNearby) return Near(format, x, SignOf(x), exact);  // x + x^2 / 2
  if (x < -34) return Near(format, -1, -1, exact);                            // -1 + e^x
  return false;
}

// ---- Logarithms
// ----------------------------------------------------------------------------------

template <double (*kLogarithm)(double)>
double OfPositive(double x) {
  return x < 0 ? kNan : kLogarithm(x);
}

double Log1p(double x) {
  if (x <= -1) return x == -1 ? 0 : kNan;
  return libc::log1p(x);
}

bool SettleLog1p(Format format, const double* args, double, Exact* exact) {
  if (std::fabs(args[0]) > kNearby) return false;
  return Near(format, args[0], -SignOf(args[0]), exact);  // x - x^2 / 2
}

bool SettleLog2(Format format, const double* args, double, Exact* exact) {
  int exponent;
  if (std::frexp(args[0], &exponent) != 0.5 || exponent == 1) return false;
  return Near(format, exponent - 1, 0, exact);
}

bool SettleLog10(Format format, const double* args, double approximation, Exact* exact) {
  const double n = std::nearbyint(approximation);
  if (n < 1 || n > 22 || PowerOfTen(static_cast<int>(n)) != args[0]) return false;
  return Near(format, n, 0, exact);
}

// ---- Circular functions
// --------------------------------------------------------------------------

template <double (*kInverse)(double)>
double OfUnitInterval(double x) {
  return std::fabs(x) > 1 ? kNan : kInverse(x);
}

double Atan2(double y, double x) { return libc::atan2(y, x); }

// atan2(y, x) = q - q^3 / 3 + ... with q = y / x, where q is exact and tiny.
bool SettleAtan2(Format format, const double* args, double, Exact* exact) {
  const double y = args[0], x = args[1], q = y / x;
  if (x < 0 || q * q > 3 * kNearby || std::fma(q, x, -y) != 0) return false;
  return Near(format, q, -1, exact);
}

// The half_ forms are defined on [-2^16, 2^16] (6.15.2).
constexpr double kHalfDomain = 0x1p16;

template <double (*kFunction)(double)>
double InHalfDomain(double x) {
  return std::fabs(x) > kHalfDomain ? 0 : kFunction(x);
}

template <bool (*kSettle)(Format, const double*, double, Exact*)>
bool SettleInHalfDomain(Format format, const double* args, double approximation, Exact* exact) {
  if (std::fabs(args[0]) <= kHalfDomain) return kSettle(format, args, approximation, exact);
  *exact = Exact::Unspecified();
  return true;
}

// x = quarter / 2 + rest with |rest| <= 1/4, exactly (x has at most 24 significant bits); returns
// the quarter modulo 4.
int ReduceByHalves(double x, double* rest) {
  if (std::fabs(x) >= 0x1p50) {  // an even integer
    *rest = 0;
    return 0;
  }
  constexpr double kShifter = 0x1.8p52;  // a sum in [2^52, 2^53) is rounded to an integer
  const double shifted = 2 * x + kShifter;
  *rest = x - (shifted - kShifter) / 2;
  return static_cast<int>(std::bit_cast<Bits>(shifted) & 3);
}

// pi r: the constant is within u / 3 of pi and the product adds u.
double SinOfPi(double r) { return libc::sin(std::numbers::pi * r); }
double CosOfPi(double r) { return libc::cos(std::numbers::pi * r); }

double ByQuarter(int quarter, double r) {
  const double value = (quarter & 1) != 0 ? CosOfPi(r) : SinOfPi(r);
  return (quarter & 2) != 0 ? -value : value;
}

// tan is worst at a quarter turn, where a relative error of its argument grows by pi / 2.
double Tanpi(double x) {
  double r;
  const int quarter = ReduceByHalves(x, &r);
  if (r == 0) return 0;  // zero or a pole
  const double tangent = libc::tan(std::numbers::pi * r);
  return (quarter & 1) != 0 ? -1 / tangent : tangent;
}

// E071 to E073: a zero has the sign of x.
bool SettleSinpi(Format format, const double* args, double, Exact* exact) {
  double r;
  const int quarter = ReduceByHalves(args[0], &r);
  if (r != 0) return false;
  if ((quarter & 1) != 0) return Near(format, (quarter & 2) != 0 ? -1 : 1, 0, exact);
  *exact = Exact::Number(args[0] < 0 ? SignMask(format) : 0);
  exact->prescribed = true;
  return true;
}

// E020: cospi(n + 0.5) = +0.  Near zero 1 - (pi x)^2 / 2.
bool SettleCospi(Format format, const double* args, double, Exact* exact) {
  if (args[0] * args[0] <= kNearby / 5) return Near(format, 1, -1, exact);
  double r;
  const int quarter = ReduceByHalves(args[0], &r);
  if (r != 0) return false;
  if ((quarter & 1) == 0) return Near(format, (quarter & 2) != 0 ? -1 : 1, 0, exact);
  *exact = Exact::Number(0);
  exact->prescribed = true;
  return true;
}

// E077 to E080: tanpi(n) = copysign(0, n) for even n and copysign(0, -n) for odd n; the poles are
// +infinity after an even integer and -infinity after an odd one.
bool SettleTanpi(Format format, const double* args, double approximation, Exact* exact) {
  double r;
  const int quarter = ReduceByHalves(args[0], &r);
  if (std::fabs(r) == 0.25) return Near(format, approximation < 0 ? -1 : 1, 0, exact);
  if (r != 0) return false;
  const bool second = (quarter & 2) != 0;
  *exact = (quarter & 1) != 0 ? Exact::Infinite(format, second)
                              : Exact::Number((args[0] < 0) != second ? SignMask(format) : 0);
  exact->prescribed = true;
  return true;
}

// A libc function and a product with a constant that is within u of 1 / pi: 3 u.
double OverPi(double angle) { return angle * std::numbers::inv_pi; }
double Asinpi(double x) { return std::fabs(x) > 1 ? kNan : OverPi(libc::asin(x)); }
double Acospi(double x) { return std::fabs(x) > 1 ? kNan : OverPi(libc::acos(x)); }
double Atanpi(double x) { return OverPi(libc::atan(x)); }
double Atan2pi(double y, double x) { return OverPi(libc::atan2(y, x)); }

bool SettleAsinpi(Format format, const double* args, double, Exact* exact) {
  if (std::fabs(args[0]) != 1) return false;
  return Near(format, args[0] / 2, 0, exact);
}

bool SettleAcospi(Format format, const double* args, double, Exact* exact) {
  const double x = args[0];
  if (x == -1) return Near(format, 1, 0, exact);
  if (std::fabs(x) > 1.5 * kNearby) return false;
  return Near(format, 0.5, -SignOf(x), exact);  // 1/2 - x / pi
}

bool SettleAtanpi(Format format, const double* args, double, Exact* exact) {
  const double x = args[0];
  if (std::fabs(x) == 1) return Near(format, x / 4, 0, exact);
  if (std::fabs(x) * kNearby < 0.7) return false;
  return Near(format, std::copysign(0.5, x), -1, exact);  // 1/2 - 1 / (pi x)
}

bool SettleAtan2pi(Format format, const double* args, double, Exact* exact) {
  const double y = args[0], x = args[1], abs_y = std::fabs(y), abs_x = std::fabs(x);
  if (abs_x == abs_y) return Near(format, std::copysign(x > 0 ? 0.25 : 0.75, y), 0, exact);
  if (abs_x <= 1.5 * kNearby * abs_y) return Near(format, std::copysign(0.5, y), -SignOf(x), exact);
  if (x < 0 && abs_y <= 1.5 * kNearby * abs_x) return Near(format, std::copysign(1, y), -1, exact);
  return false;
}

double Degrees(double x) { return x * (180 / std::numbers::pi); }
double Radians(double x) { return x * (std::numbers::pi / 180); }

// ---- Hyperbolic functions: sums of positive terms, so that errors add and do not grow -----------

// (e + e / (e + 1)) / 2 with e = expm1(|x|): 1 + 3 / 2 + 1 roundings.
double Sinh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 230) return std::copysign(kHuge, x);
  if (magnitude < 0x1p-27) return x;
  const double e = libc::expm1(magnitude);
  return std::copysign((e + e / (e + 1)) / 2, x);
}

double Cosh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 230) return kHuge;
  if (magnitude < 0x1p-27) return 1;
  const double e = libc::exp(magnitude);
  return (e + 1 / e) / 2;
}

// e / (e + 2) with e = expm1(2 |x|).
double Tanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude > 20) return std::copysign(1.0, x);
  if (magnitude < 0x1p-27) return x;
  const double e = libc::expm1(2 * magnitude);
  return std::copysign(e / (e + 2), x);
}

bool SettleTanh(Format format, const double* args, double approximation, Exact* exact) {
  const double x = args[0];
  if (std::fabs(x) > 17) return Near(format, std::copysign(1.0, x), -1, exact);  // 1 - 2 e^-2x
  return SettleOdd<-1, 3>(format, args, approximation, exact);
}

// log1p(|x| + x^2 / (1 + sqrt(1 + x^2))); log1p does not magnify a relative error of a positive
// argument.  Magnitudes reach 2^128, so squares are finite.
double Asinh(double x) {
  const double magnitude = std::fabs(x), square = x * x;
  if (magnitude < 0x1p-27) return x;
  const double value = libc::log1p(magnitude + square / (1 + std::sqrt(1 + square)));
  return std::copysign(value, x);
}

// log1p(d + sqrt(d (x + 1))) with d = x - 1, exact below 2^53.
double Acosh(double x) {
  if (x < 1) return kNan;
  const double d = x - 1;
  return libc::log1p(d + std::sqrt(d * (x + 1)));
}

double Atanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude >= 1) return magnitude > 1 ? kNan : 0;
  if (magnitude < 0x1p-27) return x;
  return std::copysign(libc::log1p(2 * magnitude / (1 - magnitude)) / 2, x);
}

}  // namespace

double Sinpi(double x) {
  double r;
  const int quarter = ReduceByHalves(x, &r);
  return ByQuarter(quarter, r);
}

double Cospi(double x) {
  double r;
  const int quarter = ReduceByHalves(x, &r);
  return ByQuarter(quarter + 1, r);
}

const FastPath kExp = {.unary = Exp, .relative_error = kUlp, .settle = SettleExp};
const FastPath kExp2 = {.unary = Exp2, .relative_error = kUlp, .settle = SettleExp2};
const FastPath kExp10 = {.unary = Exp10, .relative_error = kUlp, .settle = SettleExp10};
const FastPath kExpm1 = {.unary = Expm1, .relative_error = kUlp, .settle = SettleExpm1};
const FastPath kLog = {.unary = OfPositive<libc::log>, .relative_error = kUlp};
const FastPath kLog2 = {
    .unary = OfPositive<libc::log2>, .relative_error = kUlp, .settle = SettleLog2};
const FastPath kLog10 = {
    .unary = OfPositive<libc::log10>, .relative_error = kUlp, .settle = SettleLog10};
const FastPath kLog1p = {.unary = Log1p, .relative_error = kUlp, .settle = SettleLog1p};

const FastPath kSin = {.unary = libc::sin, .relative_error = kUlp, .settle = SettleOdd<-1, 6>};
const FastPath kCos = {.unary = libc::cos, .relative_error = kUlp, .settle = SettleEven<-1>};
const FastPath kTan = {.unary = libc::tan, .relative_error = kUlp, .settle = SettleOdd<1, 3>};
const FastPath kHalfSin = {.unary = InHalfDomain<libc::sin>,
                           .relative_error = kUlp,
                           .settle = SettleInHalfDomain<SettleOdd<-1, 6>>};
const FastPath kHalfCos = {.unary = InHalfDomain<libc::cos>,
                           .relative_error = kUlp,
                           .settle = SettleInHalfDomain<SettleEven<-1>>};
const FastPath kHalfTan = {.unary = InHalfDomain<libc::tan>,
                           .relative_error = kUlp,
                           .settle = SettleInHalfDomain<SettleOdd<1, 3>>};
const FastPath kAsin = {
    .unary = OfUnitInterval<libc::asin>, .relative_error = kUlp, .settle = SettleOdd<1, 6>};
const FastPath kAcos = {.unary = OfUnitInterval<libc::acos>, .relative_error = kUlp};
const FastPath kAtan = {.unary = libc::atan, .relative_error = kUlp, .settle = SettleOdd<-1, 3>};
const FastPath kAtan2 = {.binary = Atan2, .relative_error = kUlp, .settle = SettleAtan2};

const FastPath kSinh = {.unary = Sinh, .relative_error = kComposed, .settle = SettleOdd<1, 6>};
const FastPath kCosh = {.unary = Cosh, .relative_error = kComposed, .settle = SettleEven<1>};
const FastPath kTanh = {.unary = Tanh, .relative_error = kComposed, .settle = SettleTanh};
const FastPath kAsinh = {.unary = Asinh, .relative_error = kComposed, .settle = SettleOdd<-1, 6>};
const FastPath kAcosh = {.unary = Acosh, .relative_error = kComposed};
const FastPath kAtanh = {.unary = Atanh, .relative_error = kComposed, .settle = SettleOdd<1, 3>};

const FastPath kSinpi = {.unary = Sinpi, .relative_error = kComposed, .settle = SettleSinpi};
const FastPath kCospi = {.unary = Cospi, .relative_error = kComposed, .settle = SettleCospi};
const FastPath kTanpi = {.unary = Tanpi, .relative_error = kComposed, .settle = SettleTanpi};
const FastPath kAsinpi = {.unary = Asinpi, .relative_error = kComposed, .settle = SettleAsinpi};
const FastPath kAcospi = {.unary = Acospi, .relative_error = kComposed, .settle = SettleAcospi};
const FastPath kAtanpi = {.unary = Atanpi, .relative_error = kComposed, .settle = SettleAtanpi};
const FastPath kAtan2pi = {.binary = Atan2pi, .relative_error = kComposed, .settle = SettleAtan2pi};
const FastPath kDegrees = {.unary = Degrees, .relative_error = kComposed};
const FastPath kRadians = {.unary = Radians, .relative_error = kComposed};

}  // namespace assay::numerics::fast
