#include "numerics/evaluate_geometric.h"

#include <array>
#include <cmath>
#include <utility>

#include "numerics/evaluate_bits.h"

namespace assay::numerics {

namespace {

// The clause promises freedom from intermediate overflow to length, distance and normalize only:
// where the finite products of a dot or cross product exceed the range together, some order of
// evaluation overflows, to an infinity or to NaN, and the result is left open.
bool ProductsMayOverflow(const Call& call, std::span<const std::pair<int, int>> pairs) {
  Real sum(ExactPrecision(call.format)), product(ExactPrecision(call.format));
  mpfr_set_zero(sum, 1);
  for (const auto& [i, j] : pairs) {
    if (!IsFinite(call.format, call[i]) || !IsFinite(call.format, call[j])) continue;
    const Operand x(call, i), y(call, j);
    mpfr_mul(product, x, y, MPFR_RNDN);
    mpfr_abs(product, product, MPFR_RNDN);
    mpfr_add(sum, sum, product, MPFR_RNDN);
  }
  return mpfr_cmp_d(sum, ToDouble(call.format, MaxFinite(call.format))) > 0;
}

}  // namespace

void Dot(const Call& call) {
  std::array<std::pair<int, int>, 4> pairs;
  for (int i = 0; i < call.n; ++i) pairs[static_cast<std::size_t>(i)] = {i, call.n + i};
  if (ProductsMayOverflow(call, std::span(pairs).first(static_cast<std::size_t>(call.n)))) {
    call.Out() = Exact::Unspecified();
    return;
  }
  Real sum(std::max(ExactPrecision(call.format), call.Precision()));
  mpfr_set_zero(sum, 1);
  for (const auto& [i, j] : std::span(pairs).first(static_cast<std::size_t>(call.n))) {
    const Operand x(call, i), y(call, j);
    mpfr_fma(sum, x, y, sum, MPFR_RNDN);
  }
  call.Place(0, sum, 0);
  call.Out().any_zero_sign = true;
}

void Cross(const Call& call) {
  const int n = call.n;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const std::pair<int, int> pairs[] = {{j, n + k}, {k, n + j}};
    if (ProductsMayOverflow(call, pairs)) {
      call.Out(i) = Exact::Unspecified();
      continue;
    }
    const Operand a(call, j), b(call, n + k), c(call, k), d(call, n + j);
    Real result(call.Precision());
    const int ternary = mpfr_fmms(result, a, b, c, d, MPFR_RNDN);
    call.Place(i, result, ternary);
    call.Out(i).any_zero_sign = true;
  }
  if (n == 4) {
    // "The w component of float4 result returned will be 0.0" (6.15.5): no error, no sign told.
    call.Out(3) = Exact::Number(0);
    call.Out(3).prescribed = true;
    call.Out(3).any_zero_sign = true;
  }
}

namespace {

// The exact sum of squares of n differences (or components), the square of a length.
void SumOfSquares(const Call& call, bool differences, Real& sum) {
  mpfr_set_zero(sum, 1);
  Real component(ExactPrecision(call.format));
  for (int i = 0; i < call.n; ++i) {
    const Operand x(call, i);
    if (differences) {
      const Operand y(call, call.n + i);
      mpfr_sub(component, x, y, MPFR_RNDN);
    } else {
      mpfr_set(component, x, MPFR_RNDN);
    }
    mpfr_fma(sum, component, component, sum, MPFR_RNDN);
  }
}

void SquareRootOfSquares(const Call& call, bool differences) {
  // A component that is infinite beside one that is NaN: the clause decides for hypot only, so
  // either answer stands.
  const Format f = call.format;
  bool infinite = false, nan = false;
  for (int i = 0; i < call.n; ++i) {
    const Bits x = call[i], y = differences ? call[call.n + i] : 0;
    const double difference = ToDouble(f, x) - ToDouble(f, y);  // inf - inf is NaN here too
    nan |= std::isnan(difference);
    // A finite difference that rounds to infinity overflows before it is squared.
    const FormatTraits& traits = Traits(f);
    const double half_gap = std::ldexp(0.5, traits.emax - traits.mantissa_bits());
    infinite |= std::fabs(difference) >= ToDouble(f, MaxFinite(f)) + half_gap;
  }
  if (infinite && nan) {
    call.Out() = Exact::Unspecified();
    return;
  }
  Real sum(ExactPrecision(call.format)), result(call.Precision());
  SumOfSquares(call, differences, sum);
  const int ternary = mpfr_sqrt(result, sum, MPFR_RNDN);
  call.Place(0, result, ternary);
}

}  // namespace

void Length(const Call& call) { SquareRootOfSquares(call, false); }
void Distance(const Call& call) { SquareRootOfSquares(call, true); }

namespace {

// v / |v| for a finite vector that is not zero.
void NormalizeFinite(const Call& call) {
  const Format f = call.format;
  Real sum(ExactPrecision(f));
  SumOfSquares(call, false, sum);
  Real root(ExactPrecision(f));
  const bool rational = mpfr_sqrt(root, sum, MPFR_RNDN) == 0;
  for (int i = 0; i < call.n; ++i) {
    const Operand x(call, i);
    if (mpfr_zero_p(x.get()) != 0) {
      call.Out(i) = Exact::Number(call[i]);
      continue;
    }
    if (rational) {
      Real quotient(call.Precision());
      const int ternary = mpfr_div(quotient, x, root, MPFR_RNDN);
      call.Place(i, quotient, ternary);
      continue;
    }
    // An irrational length makes the quotient irrational: refinement ends.
    for (mpfr_prec_t precision = call.Precision() + 8;; precision *= 2) {
      Real quotient(precision);
      mpfr_sqrt(quotient, sum, MPFR_RNDN);
      mpfr_div(quotient, x, quotient, MPFR_RNDN);
      if (call.PlaceNear(i, quotient, kValueError)) break;
    }
  }
}

}  // namespace

void Normalize(const Call& call) {
  const Format f = call.format;
  if (call.AnyNan()) {
    std::fill(call.out.begin(), call.out.end(), Exact::Nan());
    return;
  }
  // 7.5.1: infinite elements count as +-1 and the others as zeros of their sign.
  std::array<Bits, kMaxArguments> replaced{};
  bool any_infinite = false, all_zero = true;
  for (int i = 0; i < call.n; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool infinite = IsInfinite(f, call[i]);
    replaced[index] = infinite ? CopySign(f, One(f), call[i]) : call[i] & SignMask(f);
    any_infinite |= infinite;
    all_zero &= IsZero(f, call[i]);
  }
  if (all_zero) {
    for (int i = 0; i < call.n; ++i) call.Out(i) = Exact::Number(call[i]);
  } else if (any_infinite) {
    NormalizeFinite(
        {f, call.n, std::span(replaced).first(call.args.size()), call.out, call.transcript});
  } else {
    NormalizeFinite(call);
  }
}

}  // namespace assay::numerics
