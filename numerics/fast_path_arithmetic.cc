// Operations whose remainder double arithmetic knows exactly: the double result locates the value,
// and where that touches a grid point or a midpoint the sign of the remainder decides.  Operands
// are half, bfloat16 or float numbers, so products are exact and nothing overflows or underflows.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/fast_path_functions.h"
#include "numerics/fast_path_llvm_libc.h"

namespace assay::numerics::fast {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 0x1p-53;  // one operation, correctly rounded

// a + b = sum + error exactly (Knuth's two-sum).
struct Sum {
  double sum, error;
};
Sum TwoSum(double a, double b) {
  const double sum = a + b, b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// The exact sum of up to eight doubles as non-overlapping components, largest last (Shewchuk's
// grow-expansion).
class Expansion {
 public:
  void Add(double term) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const Sum sum = TwoSum(term, components_[static_cast<std::size_t>(i)]);
      if (sum.error != 0) components_[static_cast<std::size_t>(kept++)] = sum.error;
      term = sum.sum;
    }
    if (term != 0) components_[static_cast<std::size_t>(kept++)] = term;
    count_ = kept;
  }
  void AddProduct(double a, double b) {
    const double product = a * b;
    Add(std::fma(a, b, -product));
    Add(product);
  }
  // The sum to within an ulp (zero if it is zero) and the sign of what is left: the components are
  // far from each other in place but each may have few bits, so they are gathered from the top.
  Sum Total() const {
    Sum total{0, 0};
    for (int i = count_ - 1; i >= 0 && total.error == 0; --i) {
      total = TwoSum(total.sum, components_[static_cast<std::size_t>(i)]);
    }
    return total;
  }

 private:
  std::array<double, 16> components_{};
  int count_ = 0;
};

// The value is `approximation` plus something of remainder's sign that is too small to see.
bool NearWithRemainder(Format format, double approximation, double remainder, Exact* exact) {
  if (approximation == 0) return false;
  return Near(format, approximation, SignOf(remainder) * SignOf(approximation), exact);
}

// ---- Sums and products
// ---------------------------------------------------------------------------

double Add(double x, double y) { return x + y; }
double Sub(double x, double y) { return x - y; }
double Mul(double x, double y) { return x * y; }
double Fma(double x, double y, double z) { return x * y + z; }
double Fdim(double x, double y) { return x > y ? x - y : 0; }

template <int kSign>
bool SettleSum(Format format, const double* args, double, Exact* exact) {
  const Sum sum = TwoSum(args[0], kSign * args[1]);
  return NearWithRemainder(format, sum.sum, sum.error, exact);
}

bool SettleFdim(Format format, const double* args, double approximation, Exact* exact) {
  if (args[0] > args[1]) return SettleSum<-1>(format, args, approximation, exact);
  *exact = Exact::Number(0);
  return true;
}

bool SettleFma(Format format, const double* args, double, Exact* exact) {
  const Sum sum = TwoSum(args[0] * args[1], args[2]);
  return NearWithRemainder(format, sum.sum, sum.error, exact);
}

// x + (y - x) a: cancellation makes a plain evaluation worthless, so the exact sum is formed and
// rounded once.
Expansion MixSum(double x, double y, double a) {
  const Sum difference = TwoSum(y, -x);
  Expansion sum;
  sum.Add(x);
  sum.AddProduct(difference.error, a);
  sum.AddProduct(difference.sum, a);
  return sum;
}

// Undefined unless 0 <= a <= 1 (6.15.4).
bool IsMixDefined(double a) { return a >= 0 && a <= 1; }

double Mix(double x, double y, double a) {
  return IsMixDefined(a) ? MixSum(x, y, a).Total().sum : 0;
}

bool SettleMix(Format format, const double* args, double, Exact* exact) {
  if (!IsMixDefined(args[2])) {
    *exact = Exact::Unspecified();
    return true;
  }
  const Sum total = MixSum(args[0], args[1], args[2]).Total();
  return NearWithRemainder(format, total.sum, total.error, exact);
}

// t^2 (3 - 2t), t = (x - edge0) / (edge1 - edge0): 3 roundings in t, which count twice or less
// (t f'(t) / f(t) = 6 (1 - t) / (3 - 2t) <= 2), and 4 more.
double Smoothstep(double edge0, double edge1, double x) {
  if (edge0 >= edge1 || x <= edge0) return 0;
  if (x >= edge1) return 1;
  const double t = (x - edge0) / (edge1 - edge0);
  return t * t * (3 - 2 * t);
}

bool SettleSmoothstep(Format format, const double* args, double, Exact* exact) {
  const double edge0 = args[0], edge1 = args[1], x = args[2];
  if (edge0 >= edge1) {
    *exact = Exact::Unspecified();  // 6.15.4
    return true;
  }
  if (x > edge0 && x < edge1) return false;
  *exact = Exact::Number(x <= edge0 ? 0 : One(format));
  return true;
}

// ---- Quotients and roots
// -------------------------------------------------------------------------

double Div(double x, double y) { return x / y; }
double Recip(double x) { return 1 / x; }

bool SettleQuotient(Format format, double x, double y, double q, Exact* exact) {
  const double remainder = std::fma(-q, y, x);  // exact: q is correctly rounded
  return NearWithRemainder(format, q, remainder * SignOf(y), exact);
}
bool SettleDiv(Format format, const double* args, double q, Exact* exact) {
  return SettleQuotient(format, args[0], args[1], q, exact);
}
bool SettleRecip(Format format, const double* args, double q, Exact* exact) {
  return SettleQuotient(format, 1, args[0], q, exact);
}

double Sqrt(double x) { return x < 0 ? kNan : std::sqrt(x); }
bool SettleSqrt(Format format, const double* args, double root, Exact* exact) {
  return NearWithRemainder(format, root, std::fma(-root, root, args[0]), exact);
}

// Two roundings.  Rational for powers of four, and no other 1 / sqrt(x) is a binary fraction.
double Rsqrt(double x) { return x < 0 ? kNan : 1 / std::sqrt(x); }
bool SettleRsqrt(Format format, const double* args, double root, Exact* exact) {
  int exponent;
  if (std::frexp(root, &exponent) != 0.5 || root * root * args[0] != 1) return false;
  return Near(format, root, 0, exact);
}

// Exact only where the root has a third of the bits of x.
bool SettleCbrt(Format format, const double* args, double root, Exact* exact) {
  if (static_cast<double>(static_cast<float>(root)) != root) return false;
  if (std::fma(root * root, root, -args[0]) != 0) return false;
  return Near(format, root, 0, exact);
}

// Exact squares, a rounded sum, a rounded root: (1/2 + 1) u.
double Hypot(double x, double y) { return std::sqrt(x * x + y * y); }
bool SettleHypot(Format format, const double* args, double root, Exact* exact) {
  const double abs_x = std::fabs(args[0]), abs_y = std::fabs(args[1]);
  const double larger = std::max(abs_x, abs_y), smaller = std::min(abs_x, abs_y);
  if (smaller * smaller <= 0x1p-47 * larger * larger) {
    return Near(format, larger, 1, exact);  // a + b^2 / (2 a)
  }
  // The place is certain to 1.5 u, so the candidate is the float number or midpoint (25 bits)
  // next to it, and the sign of x^2 + y^2 - candidate^2 decides.
  int exponent;
  const double scaled = std::ldexp(std::frexp(root, &exponent), 25);
  const double candidate = std::ldexp(std::nearbyint(scaled), exponent - 25);
  if (std::fabs(candidate - root) > 0x1p-48 * root) return false;
  Expansion difference;
  difference.Add(args[0] * args[0]);
  difference.Add(args[1] * args[1]);
  difference.Add(-candidate * candidate);
  return Near(format, candidate, SignOf(difference.Total().sum), exact);
}

// ---- Remainders, by integer arithmetic on the significands
// ----------------------------------------

struct Significand {
  std::uint64_t bits;  // 24 bits, the top one set
  int exponent;        // |value| = bits * 2^exponent
};
Significand Split(double x) {
  const Bits bits = std::bit_cast<Bits>(x);
  return {((bits & MantissaMask(Format::kDouble)) | MinNormal(Format::kDouble)) >> 29,
          static_cast<int>(bits >> 52 & 2047) - 1023 - 23};
}

// 2^n for an exponent of a normal double.
double PowerOfTwo(int n) { return std::bit_cast<double>(static_cast<Bits>(n + 1023) << 52); }

// |x| = (quotient + 2^64 k) |y| + rest, with rest in units of 2^exponent(y), for |x| >= |y|.
struct Division {
  std::uint64_t quotient, rest;
};
Division Divide(const Significand& x, const Significand& y) {
  Division division{x.bits / y.bits, x.bits % y.bits};
  for (int left = x.exponent - y.exponent; left > 0;) {
    const int step = std::min(left, 40);  // rest < 2^24
    const std::uint64_t shifted = division.rest << step;
    division = {(division.quotient << step) + shifted / y.bits, shifted % y.bits};
    left -= step;
  }
  return division;
}

double Fmod(double x, double y) {
  if (std::fabs(x) < std::fabs(y)) return x;
  const Significand divisor = Split(y);
  const auto rest = static_cast<std::int64_t>(Divide(Split(x), divisor).rest);
  return std::copysign(static_cast<double>(rest) * PowerOfTwo(divisor.exponent), x);
}

// |x| = (quotient + 2^64 k) |y| + rest with the quotient rounded to nearest, ties to even.
struct NearestDivision {
  std::uint64_t quotient;
  double rest;
};
NearestDivision DivideToNearest(double abs_x, double abs_y) {
  if (abs_x < abs_y) {
    return abs_x <= abs_y / 2 ? NearestDivision{0, abs_x} : NearestDivision{1, abs_x - abs_y};
  }
  const Significand divisor = Split(abs_y);
  const Division division = Divide(Split(abs_x), divisor);
  const auto whole = static_cast<std::int64_t>(divisor.bits);
  auto rest = static_cast<std::int64_t>(division.rest);
  const bool up = 2 * rest > whole || (2 * rest == whole && (division.quotient & 1) != 0);
  if (up) rest -= whole;
  return {division.quotient + (up ? 1 : 0),
          static_cast<double>(rest) * PowerOfTwo(divisor.exponent)};
}

double Remainder(double x, double y) {
  return std::copysign(1.0, x) * DivideToNearest(std::fabs(x), std::fabs(y)).rest;
}

// The low seven bits of the quotient of remquo, with its sign.
bool SettleQuotientBits(Format, const double* args, double, Exact* exact) {
  const std::uint64_t quotient = DivideToNearest(std::fabs(args[0]), std::fabs(args[1])).quotient;
  const auto low = static_cast<std::int64_t>(quotient & 127);
  *exact = Exact::Integer((args[0] < 0) != (args[1] < 0) ? -low : low);
  exact->low_seven_bits = true;
  return true;
}

// An exact zero has the sign of x (C99 7.12.10, OpenCL C 6.15.2).
bool SettleRemainder(Format format, const double* args, double approximation, Exact* exact) {
  if (approximation != 0) return false;
  *exact = Exact::Number(args[0] < 0 ? SignMask(format) : 0);
  return true;
}

// Clamped to what any format can tell from infinity and from zero.
double Ldexp(double x, double n) {
  if (n == 0) return 0;  // a row of edge_cases.def
  return x * PowerOfTwo(static_cast<int>(std::clamp(n, -700.0, 700.0)));
}

}  // namespace

const FastPath kAdd = {.binary = Add, .relative_error = kRounding, .settle = SettleSum<1>};
const FastPath kSub = {.binary = Sub, .relative_error = kRounding, .settle = SettleSum<-1>};
const FastPath kMul = {.binary = Mul, .relative_error = 0};
const FastPath kDiv = {.binary = Div, .relative_error = kRounding, .settle = SettleDiv};
const FastPath kRecip = {.unary = Recip, .relative_error = kRounding, .settle = SettleRecip};
const FastPath kFma = {.ternary = Fma, .relative_error = kRounding, .settle = SettleFma};
const FastPath kFdim = {.binary = Fdim, .relative_error = kRounding, .settle = SettleFdim};
const FastPath kMix = {.ternary = Mix, .relative_error = 0x1p-52, .settle = SettleMix};
const FastPath kSmoothstep = {
    .ternary = Smoothstep, .relative_error = 0x1.8p-50, .settle = SettleSmoothstep};

const FastPath kSqrt = {.unary = Sqrt, .relative_error = kRounding, .settle = SettleSqrt};
const FastPath kRsqrt = {.unary = Rsqrt, .relative_error = 0x1p-51, .settle = SettleRsqrt};
const FastPath kCbrt = {.unary = libc::cbrt, .relative_error = 0x1p-52, .settle = SettleCbrt};
const FastPath kHypot = {.binary = Hypot, .relative_error = 0x1p-52, .settle = SettleHypot};
const FastPath kFmod = {.binary = Fmod, .relative_error = 0, .settle = SettleRemainder};
const FastPath kRemainder = {.binary = Remainder, .relative_error = 0, .settle = SettleRemainder};
const FastPath kQuotientBits = {.binary = [](double, double) { return 0.0; },
                                .settle = SettleQuotientBits};
const FastPath kLdexp = {.binary = Ldexp, .relative_error = 0};

}  // namespace assay::numerics::fast
