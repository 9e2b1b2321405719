// Operations of doubles whose remainder is a double: sums, products, quotients, roots, and remainders
// by steps of integers.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numerics/double_functions.h"
#include "numerics/fast_path_llvm_libc.h"

namespace assay::numerics::dd {
namespace {

using Word = std::uint64_t;
__extension__ typedef unsigned __int128 Wide;

constexpr double kNegligible = 0x1p-150;

// (hi + lo) 2^scale, exactly.
Approximation Exactly(Dd value, int scale) {
  return {.hi = value.hi, .lo = value.lo, .scale = scale, .error = 0};
}

// A root or quotient of which `lo` is the first correction, computed from the exact remainder: the
// second is below 2^-53 of it.
Approximation WithRemainder(double hi, double lo, int scale) {
  return {.hi = hi, .lo = lo, .scale = scale, .error = std::fabs(lo / hi) * 0x1p-51};
}

Approximation SumOfProduct(Dd product, int scale, double z) {
  int z_exponent;
  const double part = std::frexp(z, &z_exponent);
  const int gap = z_exponent - scale;
  if (gap > 200) return Beside(z, (product.hi > 0) == (z > 0) ? kNegligible : -kNegligible);
  if (gap < -200) {
    const double direction = (product.hi > 0) == (z > 0) ? 1 : -1;
    if (product.lo != 0) return Of(product, scale, kNegligible);
    Approximation beside = Beside(product.hi, direction * kNegligible);
    beside.scale += scale;
    return beside;
  }
  const Dd first = TwoSum(product.hi, std::ldexp(part, gap));
  const Dd second = TwoSum(first.lo, product.lo);
  const Dd third = TwoSum(first.hi, second.hi);
  const Dd rest = TwoSum(third.lo, second.lo);
  const Dd sum = FastTwoSum(third.hi, rest.hi);
  return Of(sum, scale, rest.lo == 0 ? 0 : 0x1p-100);
}

// ---- Remainders: |x| = m 2^e with m in [2^52, 2^53)
// --------------------------------------------------------------

struct Whole {
  Word m = 0;
  int e = 0;
};
Whole WholeOf(double x) {
  int exponent;
  const double part = std::frexp(std::fabs(x), &exponent);
  return {static_cast<Word>(std::ldexp(part, 53)), exponent - 53};
}

// m 2^n modulo `modulus`, which is below 2^61.
Word Modulo(Word m, int n, Word modulus) {
  Word rest = m % modulus;
  Word power = 2 % modulus;
  // 2^n by squares, where that takes fewer divisions than steps of some bits.
  constexpr int kFewBits = 64;
  if (n <= kFewBits) return static_cast<Word>((static_cast<Wide>(rest) << n) % modulus);
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) rest = static_cast<Word>(static_cast<Wide>(rest) * power % modulus);
    power = static_cast<Word>(static_cast<Wide>(power) * power % modulus);
  }
  return rest;
}

// The remainder nearest to zero of |x| by |y|, and its quotient modulo 128.
struct Nearest {
  std::int64_t rest = 0;
  int exponent = 0;
  int quotient = 0;
};
Nearest DivideToNearest(double x, double y) {
  const Whole a = WholeOf(x), b = WholeOf(y);
  const int n = a.e - b.e;
  if (n < -1) return {.rest = static_cast<std::int64_t>(a.m), .exponent = a.e};
  if (n == -1) {
    // |y| is 2 b.m in units of |x|.
    const auto rest = static_cast<std::int64_t>(a.m);
    if (a.m <= b.m) return {.rest = rest, .exponent = a.e};
    return {.rest = rest - 2 * static_cast<std::int64_t>(b.m), .exponent = a.e, .quotient = 1};
  }
  const Word whole = Modulo(a.m, n, b.m * 128);
  Nearest nearest{.rest = static_cast<std::int64_t>(whole % b.m),
                  .exponent = b.e,
                  .quotient = static_cast<int>(whole / b.m)};
  const Word twice = 2 * static_cast<Word>(nearest.rest);
  if (twice > b.m || (twice == b.m && (nearest.quotient & 1) != 0)) {
    nearest.rest -= static_cast<std::int64_t>(b.m);
    nearest.quotient = (nearest.quotient + 1) & 127;
  }
  return nearest;
}

}  // namespace

Approximation DoubleAdd(double x, double y) {
  if (std::fmax(std::fabs(x), std::fabs(y)) > 0x1p1020) return AskMpfr();
  return Exactly(TwoSum(x, y), 0);
}

Approximation DoubleSub(double x, double y) { return DoubleAdd(x, -y); }

Approximation DoubleMul(double x, double y) {
  int x_exponent, y_exponent;
  const double x_part = std::frexp(x, &x_exponent), y_part = std::frexp(y, &y_exponent);
  return Exactly(TwoProduct(x_part, y_part), x_exponent + y_exponent);
}

Approximation DoubleDiv(double x, double y) {
  int x_exponent, y_exponent;
  const double x_part = std::frexp(x, &x_exponent), y_part = std::frexp(y, &y_exponent);
  const double quotient = x_part / y_part;
  const double remainder = __builtin_fma(-quotient, y_part, x_part);
  return WithRemainder(quotient, remainder / y_part, x_exponent - y_exponent);
}

Approximation DoubleRecip(double x) { return DoubleDiv(1, x); }

Approximation DoubleFma(double x, double y, double z) {
  int x_exponent, y_exponent;
  const double x_part = std::frexp(x, &x_exponent), y_part = std::frexp(y, &y_exponent);
  return SumOfProduct(TwoProduct(x_part, y_part), x_exponent + y_exponent, z);
}

Approximation DoubleSqrt(double x) {
  if (x < 0) return NotANumber();
  int exponent;
  double part = std::frexp(x, &exponent);
  if ((exponent & 1) != 0) {
    part *= 2;
    --exponent;
  }
  const double root = std::sqrt(part);
  const double remainder = __builtin_fma(-root, root, part);
  return WithRemainder(root, remainder / (2 * root), exponent / 2);
}

Approximation DoubleRsqrt(double x) {
  if (x < 0) return NotANumber();
  int exponent;
  double part = std::frexp(x, &exponent);
  if ((exponent & 1) != 0) {
    part *= 2;
    --exponent;
  }
  return Of(1 / Sqrt({part, 0}), -exponent / 2);
}

// Newton's step from LLVM libc's root.
Approximation DoubleCbrt(double x) {
  int exponent;
  double part = std::frexp(x, &exponent);
  const int over = ((exponent % 3) + 3) % 3;
  part = std::ldexp(part, over);
  const double root = libc::cbrt(part);
  const Dd square = TwoProduct(root, root);
  const Dd rest = part - square * root;
  return Of(FastTwoSum(root, rest.hi / (3 * square.hi)), (exponent - over) / 3);
}

Approximation DoubleHypot(double x, double y) {
  double large = std::fabs(x), small = std::fabs(y);
  if (large < small) std::swap(large, small);
  int exponent;
  const double part = std::frexp(large, &exponent);
  const double other = std::ldexp(small, -exponent);
  const double ratio = other / part;
  if (ratio < 0x1p-20) return Beside(large, ratio * ratio / 2);
  return Of(Sqrt(TwoProduct(part, part) + TwoProduct(other, other)), exponent);
}

Approximation DoubleFmod(double x, double y) {
  const Whole a = WholeOf(x), b = WholeOf(y);
  if (std::fabs(x) < std::fabs(y)) return {.hi = x};
  const Word rest = Modulo(a.m, a.e - b.e, b.m);
  const double magnitude = static_cast<double>(static_cast<std::int64_t>(rest));
  return {.hi = x < 0 ? -magnitude : magnitude, .scale = b.e};
}

Approximation DoubleRemainder(double x, double y) {
  const Nearest nearest = DivideToNearest(x, y);
  const auto rest = static_cast<double>(nearest.rest);
  return {.hi = x < 0 ? -rest : rest, .scale = nearest.exponent};
}

int DoubleQuotientBits(double x, double y) {
  const int quotient = DivideToNearest(x, y).quotient;
  return (x < 0) != (y < 0) ? -quotient : quotient;
}

}  // namespace assay::numerics::dd
