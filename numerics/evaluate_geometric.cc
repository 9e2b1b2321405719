#include "numerics/evaluate_geometric.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <deque>
#include <vector>

#include "numerics/evaluate_bits.h"

namespace assay::numerics {

namespace {

// The finite products of a sum, with their signs in it.
class Products {
 public:
  explicit Products(const Call& call) : call_(call) {}

  void Add(int i, int j, bool is_subtracted) {
    if (!IsFinite(call_.format, call_[i]) || !IsFinite(call_.format, call_[j])) return;
    const Operand x(call_, i), y(call_, j);
    Real& product = products_.emplace_back(ExactPrecision(call_.format));
    mpfr_mul(product, x, y, MPFR_RNDN);
    if (is_subtracted) mpfr_neg(product, product, MPFR_RNDN);
    // A sum of four or fewer is too large only if one of them is at least 2^(emax - 2).
    is_large_ |= mpfr_regular_p(product.get()) != 0 &&
                 mpfr_get_exp(product.get()) >= Traits(call_.format).emax - 1;
  }

  // The clause promises freedom from intermediate overflow to length, distance and normalize only.
  // Rounding is monotone, so no partial sum is beyond those of the positive products alone, or of
  // the negative ones.
  bool OverflowInSomeOrder() const {
    return is_large_ && (OverflowInSomeOrder(1) || OverflowInSomeOrder(-1));
  }

 private:
  // Of the products of this sign the largest sum of each subset, whichever way it is made of two
  // parts.  A product is rounded, or exact because it is part of a fused operation.
  bool OverflowInSomeOrder(int sign) const {
    std::vector<mpfr_srcptr> addends;
    for (const Real& product : products_) {
      if (mpfr_sgn(product.get()) == sign) addends.push_back(product);
    }
    Real limit(64), rounded(Traits(call_.format).mantissa_bits() + 1);
    SetBits(limit, call_.format, MaxFinite(call_.format));
    std::deque<Real> largest;
    for (std::size_t all = 0; all < std::size_t{1} << addends.size(); ++all) {
      Real& most = largest.emplace_back(ExactPrecision(call_.format));
      mpfr_set_zero(most, 1);
      if (std::has_single_bit(all)) {
        mpfr_abs(most, addends[static_cast<std::size_t>(std::countr_zero(all))], MPFR_RNDN);
        mpfr_set(rounded, most, MPFR_RNDN);
        if (mpfr_cmp(rounded, most) > 0) mpfr_set(most, rounded, MPFR_RNDN);
        if (mpfr_cmp(rounded, limit) > 0) return true;
        continue;
      }
      for (std::size_t part = (all - 1) & all; part > 0 && all > 0; part = (part - 1) & all) {
        mpfr_add(rounded, largest[part], largest[all ^ part], MPFR_RNDN);
        if (mpfr_cmp(rounded, most) > 0) mpfr_set(most, rounded, MPFR_RNDN);
      }
      if (mpfr_cmp(most, limit) > 0) return true;
    }
    return false;
  }

  const Call& call_;
  std::deque<Real> products_;
  bool is_large_ = false;
};

// The specification prescribes no order.  Where one overflows every result conforms, and the
// interpreter takes the sum itself.
void LeaveOpen(Exact& sum) {
  if (sum.kind == ResultKind::kNan) {
    sum = Exact::Unspecified();
  } else {
    sum.kind = ResultKind::kUnspecified;
    sum.has_alternative = true;
  }
}

}  // namespace

void Dot(const Call& call) {
  Products products(call);
  Real sum(std::max(ExactPrecision(call.format), call.Precision()));
  mpfr_set_zero(sum, 1);
  for (int i = 0; i < call.n; ++i) {
    const int j = call.n + i;
    products.Add(i, j, false);
    const Operand x(call, i), y(call, j);
    mpfr_fma(sum, x, y, sum, MPFR_RNDN);
  }
  call.Place(0, sum, 0);
  call.Out().any_zero_sign = true;
  if (products.OverflowInSomeOrder()) LeaveOpen(call.Out());
}

void Cross(const Call& call) {
  const int n = call.n;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    Products products(call);
    products.Add(j, n + k, false);
    products.Add(k, n + j, true);
    const Operand a(call, j), b(call, n + k), c(call, k), d(call, n + j);
    Real result(call.Precision());
    const int ternary = mpfr_fmms(result, a, b, c, d, MPFR_RNDN);
    call.Place(i, result, ternary);
    call.Out(i).any_zero_sign = true;
    if (products.OverflowInSomeOrder()) LeaveOpen(call.Out(i));
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
