// pow, powr, pown and rootn.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/fast_path_functions.h"
#include "numerics/fast_path_llvm_libc.h"
#include "numerics/real.h"

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
  const double logarithm = libc::log2(static_cast<double>(power));
  const auto root =
      static_cast<std::uint64_t>(std::nearbyint(libc::exp2(logarithm / static_cast<double>(n))));
  return SmallPower(root, n) == power ? root : 0;
}

// odd * 2^exponent with its sign; beyond double's range it only has to be huge or tiny.
bool NearDyadic(Format format, double sign, std::uint64_t odd, double exponent, Exact* exact) {
  const int clamped = static_cast<int>(std::clamp(exponent, -400.0, 400.0));
  return Near(format, sign * std::ldexp(static_cast<double>(odd), clamped), 0, exact);
}

// log2 x of a positive float number to about 2^-62, as the sum of a part of at most 26 bits (whose
// product with a float is exact) and a rest.  LLVM libc's pow will not do: it is off by 2^-48 for
// exponents near 2^28, and its pow(2.5, 0x1.4p55) is -infinity (release 22.1.8).
//
// x = 2^e m with m near 1, c of 9 bits near 1 / m from a table: r = m c - 1 is exact, below 2^-7,
// and has at most 25 bits; log2 x = e - log2 c + log2(1 + r).  Next to 1, c is 1.
class BinaryLogarithm {
 public:
  struct Parts {
    double high, low;
  };

  BinaryLogarithm() {
    Real value(kPrecision);
    mpfr_const_log2(value, MPFR_RNDN);
    mpfr_ui_div(value, 1, value, MPFR_RNDN);
    inverse_ = mpfr_get_d(value, MPFR_RNDN);
    Split(value, 27, &inverse_high_, &inverse_low_);
    for (std::size_t i = 0; i < kEntries; ++i) {
      Entry& entry = entries_[i];
      const double center =
          std::bit_cast<double>(kBegin + (i << kIndexShift) + (Bits{1} << (kIndexShift - 1)));
      entry.c = std::nearbyint(256 / center) / 256;
      if (std::fabs(entry.c - 1) <= 0x1p-8) entry.c = 1;
      mpfr_set_d(value, entry.c, MPFR_RNDN);
      mpfr_log2(value, value, MPFR_RNDN);
      mpfr_neg(value, value, MPFR_RNDN);
      // A multiple of 2^-20: exact when e is added.
      entry.high = std::nearbyint(std::ldexp(mpfr_get_d(value, MPFR_RNDN), 20)) * 0x1p-20;
      mpfr_sub_d(value, value, entry.high, MPFR_RNDN);
      entry.low = mpfr_get_d(value, MPFR_RNDN);
    }
  }

  Parts operator()(double x) const {
    const Bits bits = std::bit_cast<Bits>(x);
    const Bits offset = bits - kBegin;
    const Entry& entry = entries_[offset >> kIndexShift & (kEntries - 1)];
    const auto e = static_cast<std::int64_t>(offset) >> 52;
    const double m = std::bit_cast<double>(bits - (static_cast<Bits>(e) << 52));
    const double r = m * entry.c - 1;
    const double big = static_cast<double>(e) + entry.high, small = r * inverse_high_;  // exact
    const double sum = big + small;
    const double error = small - (sum - big);
    // (log2(1 + r) - r / log 2) / r^2 log 2: the next term would be r^8 / 10.
    const double series =
        -1.0 / 2 +
        r * (1.0 / 3 +
             r * (-1.0 / 4 +
                  r * (1.0 / 5 + r * (-1.0 / 6 + r * (1.0 / 7 + r * (-1.0 / 8 + r / 9))))));
    const double rest = error + (entry.low + (r * inverse_low_ + r * r * series * inverse_));
    // Veltkamp's split into 26 bits and the rest.
    const double scaled = sum * 0x1.0000002p27;
    const double high = scaled - (scaled - sum);
    return {high, (sum - high) + rest};
  }

 private:
  struct Entry {
    double c, high, low;  // high + low = -log2 c
  };
  static constexpr std::size_t kEntries = 128;
  static constexpr int kIndexShift = 45;
  static constexpr Bits kBegin = 0x3fe6a00000000000;  // 0.70703125: m is in [0.707, 1.414)
  static constexpr mpfr_prec_t kPrecision = 160;

  static void Split(const Real& value, int bits, double* high, double* low) {
    int exponent;
    const double scaled = std::ldexp(std::frexp(mpfr_get_d(value, MPFR_RNDN), &exponent), bits);
    *high = std::ldexp(std::nearbyint(scaled), exponent - bits);
    Real rest(kPrecision);
    mpfr_sub_d(rest, value, *high, MPFR_RNDN);
    *low = mpfr_get_d(rest, MPFR_RNDN);
  }

  std::array<Entry, kEntries> entries_{};
  // 1 / log 2, and the same as 27 bits and a rest.
  double inverse_ = 0, inverse_high_ = 0, inverse_low_ = 0;
};

// x^y = 2^(y log2 x) for x > 0: the exponent, below 320, is good to 2^-53 and exp2 adds an ulp.
double PositivePow(double x, double y) {
  static const BinaryLogarithm kLogarithm;
  const BinaryLogarithm::Parts logarithm = kLogarithm(x);
  const double y_high = static_cast<float>(y);  // of the 31 bits of an int, 24
  const double exponent = y_high * logarithm.high;
  if (std::fabs(exponent) > 320) return exponent > 0 ? kHuge : kTiny;
  constexpr double kShifter = 0x1.8p52;  // rounds to an integer
  const double whole = (exponent + kShifter) - kShifter;
  const double root =
      libc::exp2((exponent - whole) + (y * logarithm.low + (y - y_high) * logarithm.high));
  const auto scale = static_cast<Bits>(static_cast<std::int64_t>(whole)) << 52;
  return std::bit_cast<double>(std::bit_cast<Bits>(root) + scale);
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
  if (base.odd == 1)
    return NearDyadic(format, sign, 1,
                      base.exponent * (y < 0 ? -1.0 : 1.0) *
                          std::ldexp(static_cast<double>(power.odd), std::min(power.exponent, 60)),
                      exact);
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

// |x| = m 2^(q n + s), sqrt(1/2) <= m < sqrt(2), |s| <= |n| / 2: x^(1/n) = 2^q 2^((log2 m + s) /
// n). The exponent is at most 1/2 + 1/2, so its error of 3 u costs 3 u log 2, and exp2 adds 2 u.
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
