// pow, powr, pown and rootn.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/fast_path_functions.h"
#include "numerics/fast_path_llvm_libc.h"

namespace assay::numerics::fast {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool IsInteger(double x) { return x == std::trunc(x); }
bool IsOdd(double x) { return std::fabs(x) < 0x1p53 && (static_cast<std::int64_t>(x) & 1) != 0; }

// A positive double as odd * 2^exponent.
struct Dyadic {
  std::uint64_t odd;
  int exponent;
};
Dyadic Decompose(double x) {
  int exponent;
  auto odd = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
  const int zeros = std::countr_zero(odd);
  return {odd >> zeros, exponent - 53 + zeros};
}

// The largest odd part that a midpoint of float has; anything wider lies between grid points.
constexpr std::uint64_t kWidest = std::uint64_t{1} << 25;

// base^n if that is below kWidest, else 0.
std::uint64_t SmallPower(std::uint64_t base, std::uint64_t n) {
  if (base == 1) return 1;
  std::uint64_t power = 1;
  for (; n > 0; --n) {
    power *= base;
    if (power >= kWidest) return 0;
  }
  return power;
}

// The n-th root of `power` if that is an integer, else 0.
std::uint64_t ExactRoot(std::uint64_t power, std::uint64_t n) {
  if (power == 1 || n == 1) return power;
  const auto root = static_cast<std::uint64_t>(
      std::nearbyint(libc::pow(static_cast<double>(power), 1 / static_cast<double>(n))));
  return SmallPower(root, n) == power ? root : 0;
}

// odd * 2^exponent with its sign; beyond double's range it only has to be huge or tiny.
bool NearDyadic(Format format, double sign, std::uint64_t odd, double exponent, Exact* exact) {
  const int clamped = static_cast<int>(std::clamp(exponent, -400.0, 400.0));
  return Near(format, sign * std::ldexp(static_cast<double>(odd), clamped), 0, exact);
}

// x^y for x > 0.  LLVM libc 22.1.8 is wrong for huge exponents (its pow(2.5, 0x1.4p55) is -infinity),
// so the exponent is cut where every base but 1 has left the range: |log2 x| > 2^-24.
double PositivePow(double x, double y) {
  return std::clamp(libc::pow(x, std::clamp(y, -0x1p36, 0x1p36)), kTiny, kHuge);
}

double Pow(double x, double y) {
  if (x > 0) return PositivePow(x, y);
  if (!IsInteger(y)) return kNan;
  const double magnitude = PositivePow(-x, y);
  return IsOdd(y) ? -magnitude : magnitude;
}

double Powr(double x, double y) { return x < 0 ? kNan : PositivePow(x, y); }

// x^y for x > 0 is a binary fraction of at most 25 bits only if x is a 2^k-th power of such a
// fraction, where y = n / 2^k, n odd, and n > 0 unless x is a power of two.
bool SettleRationalPower(Format format, double x, double y, double sign, Exact* exact) {
  Dyadic base = Decompose(x);
  Dyadic power = Decompose(std::fabs(y));
  for (; power.exponent < 0; ++power.exponent) {
    const std::uint64_t root = ExactRoot(base.odd, 2);
    if (root == 0 || (base.exponent & 1) != 0) return false;
    base = {root, base.exponent / 2};
  }
  if (base.odd == 1) return NearDyadic(format, sign, 1, base.exponent * (y < 0 ? -1.0 : 1.0) *
                                       std::ldexp(static_cast<double>(power.odd),
                                                  std::min(power.exponent, 60)), exact);
  if (y < 0 || power.exponent > 5) return false;
  const std::uint64_t n = power.odd << power.exponent;
  const std::uint64_t odd = SmallPower(base.odd, n);
  if (odd == 0) return false;
  return NearDyadic(format, sign, odd, base.exponent * static_cast<double>(n), exact);
}

// 1^y and x^0 are prescribed (F090, E046): left to the rows.
bool SettlePow(Format format, const double* args, double, Exact* exact) {
  const double x = std::fabs(args[0]), y = args[1];
  if (args[0] == 1 || y == 0) return false;
  const double sign = args[0] < 0 && IsOdd(y) ? -1 : 1;
  const double logarithm = libc::log(x) * y;
  if (logarithm != 0 && std::fabs(logarithm) <= 0x1.6p-49) {
    return Near(format, sign, SignOf(logarithm), exact);  // e^l = 1 + l + ...
  }
  return SettleRationalPower(format, x, y, sign, exact);
}

// |x| = m 2^(q n + s), sqrt(1/2) <= m < sqrt(2), |s| <= |n| / 2: x^(1/n) = 2^q 2^((log2 m + s) / n).
// The exponent is at most 1/2 + 1/2, so its error of 3 u costs 3 u log 2, and exp2 adds 2 u.
double Rootn(double x, double n) {
  if (n == 0) return kNan;
  if (x < 0 && !IsOdd(n)) return kNan;
  int exponent;
  double m = std::frexp(std::fabs(x), &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --exponent;
  }
  const double q = std::nearbyint(exponent / n);
  const double root = libc::exp2((libc::log2(m) + (exponent - q * n)) / n);
  return std::copysign(std::ldexp(root, static_cast<int>(q)), x);
}

bool SettleRootn(Format format, const double* args, double approximation, Exact* exact) {
  const double n = args[1], magnitude = std::fabs(n);
  const double sign = approximation < 0 ? -1 : 1;
  const double logarithm = libc::log(std::fabs(args[0])) / n;
  if (logarithm != 0 && std::fabs(logarithm) <= 0x1.6p-49) {
    return Near(format, sign, SignOf(logarithm), exact);
  }
  const Dyadic x = Decompose(std::fabs(args[0]));
  if (std::fmod(x.exponent, magnitude) != 0 || (n < 0 && x.odd != 1)) return false;
  const std::uint64_t odd = ExactRoot(x.odd, static_cast<std::uint64_t>(magnitude));
  return odd != 0 && NearDyadic(format, sign, odd, x.exponent / n, exact);
}

}  // namespace

const FastPath kPow = {.binary = Pow, .relative_error = 0x1p-51, .settle = SettlePow};
const FastPath kPowr = {.binary = Powr, .relative_error = 0x1p-51, .settle = SettlePow};
const FastPath kRootn = {.binary = Rootn, .relative_error = 0x1p-50, .settle = SettleRootn};

}  // namespace assay::numerics::fast
