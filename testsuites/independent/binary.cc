#include <algorithm>

#include "testsuites/independent/functions.h"

namespace assay::independent {
namespace {

Answer SignedInfinity(bool negative) {
  Number infinity(8);
  mpfr_set_inf(infinity, negative ? -1 : 1);
  return Answer::Of(infinity);
}

Answer SignedZero(bool negative) { return Answer::Of(negative ? -0.0 : 0.0); }

// 7.5.1, the lines that begin with powr.
Answer Powr(const Number& x, const Number& y) {
  if (x.IsNan() || y.IsNan()) return Answer::Nan();
  if (x.SignBit() && !x.IsZero()) return Answer::Nan();
  if (x.IsZero()) {
    if (y.IsZero()) return Answer::Nan();
    return y.SignBit() ? SignedInfinity(false) : SignedZero(false);
  }
  if (x.IsInfinite() && y.IsZero()) return Answer::Nan();
  if (x.Compare(1) == 0 && y.IsInfinite()) return Answer::Nan();
  return Direct([&](mpfr_ptr r) { return mpfr_pow(r, x, y, MPFR_RNDN); });
}

Answer Pown(const Number& x, long n) {
  if (n == 0) return Answer::Of(1.0);
  if (x.IsZero()) {
    const bool negative = n % 2 != 0 && x.SignBit();
    return n < 0 ? SignedInfinity(negative) : SignedZero(negative);
  }
  return Direct([&](mpfr_ptr r) { return mpfr_pow_si(r, x, n, MPFR_RNDN); });
}

Answer Rootn(const Number& x, long n) {
  if (n == 0 || x.IsNan()) return Answer::Nan();
  const bool odd = n % 2 != 0;
  if (x.IsZero())
    return n < 0 ? SignedInfinity(odd && x.SignBit()) : SignedZero(odd && x.SignBit());
  if (x.SignBit() && !odd) return Answer::Nan();
  return Direct([&](mpfr_ptr r) { return mpfr_rootn_si(r, x, n, MPFR_RNDN); });
}

// x * 2^n, which no format holds once |n| is large.
Answer Ldexp(const Number& x, long n) {
  Number r(64);
  mpfr_mul_2si(r, x, std::clamp(n, -20000L, 20000L), MPFR_RNDN);
  return Answer::Of(r);
}

// y the first operand.
Answer Atan2Pi(const Number& y, const Number& x) {
  if (x.IsNan() || y.IsNan()) return Answer::Nan();
  const double sign = y.SignBit() ? -1 : 1;
  if (y.IsZero()) return Answer::Of(sign * (x.SignBit() ? 1.0 : 0.0));
  if (x.IsZero()) return Answer::Of(sign * 0.5);
  if (x.IsInfinite()) {
    if (y.IsInfinite()) return Answer::Of(sign * (x.SignBit() ? 0.75 : 0.25));
    return Answer::Of(sign * (x.SignBit() ? 1.0 : 0.0));
  }
  if (y.IsInfinite()) return Answer::Of(sign * 0.5);
  // So steep or so flat that only the side of the limit is left.
  const long slope = mpfr_get_exp(y) - mpfr_get_exp(x);
  if (slope > 100) return Beside(sign * 0.5, x.SignBit() ? 1 : -1);
  if (slope < -100 && x.SignBit()) return Beside(sign, -1);
  Number r(kInnerBits), pi(kInnerBits);
  mpfr_atan2(r, y, x, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_div(r, r, pi, MPFR_RNDN);
  return Rounded(r);
}

Answer Fdim(const Layout& layout, const Number& x, const Number& y) {
  if (x.IsNan() || y.IsNan()) return Answer::Nan();
  if (mpfr_cmp(x, y) <= 0) return Answer::Of(0.0);
  Number r(layout.WideBits());
  mpfr_sub(r, x, y, MPFR_RNDN);
  return Answer::Of(r);
}

// The larger or the smaller one; of a number and a NaN the number.
Answer Extreme(const Number& x, const Number& y, bool largest) {
  if (x.IsNan()) return Answer::Of(y);
  if (y.IsNan()) return Answer::Of(x);
  const bool take_y = largest ? mpfr_cmp(x, y) < 0 : mpfr_cmp(y, x) < 0;
  Answer answer = Answer::Of(take_y ? y : x);
  answer.either_zero = x.IsZero() && y.IsZero() && x.SignBit() != y.SignBit();
  return answer;
}

Answer ExtremeMagnitude(const Number& x, const Number& y, bool largest) {
  if (!x.IsNan() && !y.IsNan()) {
    const int order = mpfr_cmpabs(x, y);
    if (order != 0) return Answer::Of((order > 0) == largest ? x : y);
  }
  return Extreme(x, y, largest);
}

// The common functions leave infinities and NaN open.
Answer Common(const Number& x, const Number& y, bool largest) {
  if (!x.IsFinite() || !y.IsFinite()) return Answer::Anything();
  return Extreme(x, y, largest);
}

Answer NextAfter(const Layout& layout, const Number& x, const Number& y) {
  if (x.IsNan() || y.IsNan()) return Answer::Nan();
  const int order = mpfr_cmp(x, y);
  if (order == 0) return Answer::Of(y);
  const bool up = order < 0;
  // The spacing on the side where y is: at a power of two it is halved toward zero.
  Number r(layout.WideBits()), step(16);
  const long smallest = 1 - layout.Bias() - layout.FractionWidth();
  if (x.IsInfinite()) {
    mpfr_set_ui_2exp(r, 1, layout.FractionWidth() + 1, MPFR_RNDN);
    mpfr_sub_ui(r, r, 1, MPFR_RNDN);
    mpfr_mul_2si(r, r, layout.Bias() - layout.FractionWidth(), MPFR_RNDN);
    if (x.SignBit()) mpfr_neg(r, r, MPFR_RNDN);
    return Answer::Of(r);
  }
  long grid = smallest;
  if (!x.IsZero()) {
    const bool outward = up != x.SignBit();
    Number lead(8);
    mpfr_set_ui_2exp(lead, 1, mpfr_get_exp(x) - 1, MPFR_RNDN);
    const bool halved = !outward && mpfr_cmpabs(x, lead) == 0;
    grid = std::max(smallest, mpfr_get_exp(x) - 1 - layout.FractionWidth() - (halved ? 1 : 0));
  }
  mpfr_set_si_2exp(step, up ? 1 : -1, grid, MPFR_RNDN);
  mpfr_add(r, x, step, MPFR_RNDN);
  if (r.IsZero()) mpfr_setsign(r, r, x.SignBit() ? 1 : 0, MPFR_RNDN);
  // One step beyond the largest number is infinity, exactly.
  if (mpfr_get_exp(r) - 1 > layout.Bias() && !r.IsZero()) return SignedInfinity(r.SignBit());
  return Answer::Of(r);
}

Answers Remquo(const Number& x, const Number& y) {
  const bool none = x.IsNan() || y.IsNan() || x.IsInfinite() || y.IsZero();
  if (none) return {Answer::Nan(), Answer::OfInteger(0)};
  Number r(64);
  mpfr_remainder(r, x, y, MPFR_RNDN);
  if (r.IsZero()) mpfr_setsign(r, r, x.SignBit() ? 1 : 0, MPFR_RNDN);
  if (y.IsInfinite() || x.IsZero()) return {Answer::Of(r), Answer::OfInteger(0)};
  // The quotient modulo 128: (x - r) / y, where x has been reduced by 128 y before.
  Number modulus(80), reduced(4400), quotient(4400);
  mpfr_mul_2ui(modulus, y, 7, MPFR_RNDN);
  mpfr_fmod(reduced, x, modulus, MPFR_RNDN);
  mpfr_sub(reduced, reduced, r, MPFR_RNDN);
  mpfr_div(quotient, reduced, y, MPFR_RNDN);
  const long low = std::labs(mpfr_get_si(quotient, MPFR_RNDN)) % 128;
  return {Answer::Of(r), Answer::OfInteger(x.SignBit() != y.SignBit() ? -low : low)};
}

Answer Remainder(const Number& x, const Number& y, bool nearest) {
  Number r(64);
  if (nearest) {
    mpfr_remainder(r, x, y, MPFR_RNDN);
  } else {
    mpfr_fmod(r, x, y, MPFR_RNDN);
  }
  if (r.IsZero()) mpfr_setsign(r, r, x.SignBit() ? 1 : 0, MPFR_RNDN);
  return Answer::Of(r);
}

Answer Step(const Number& edge, const Number& x) {
  const bool below = !edge.IsNan() && !x.IsNan() && mpfr_cmp(x, edge) < 0;
  return Answer::Of(below ? 0.0 : 1.0);
}

Answer Mix(const Layout& layout, const Number& x, const Number& y, const Number& a) {
  if (a.IsNan() || a.Compare(0) < 0 || a.Compare(1) > 0) return Answer::Anything();
  Number r(layout.WideBits());
  mpfr_sub(r, y, x, MPFR_RNDN);
  mpfr_mul(r, r, a, MPFR_RNDN);
  mpfr_add(r, x, r, MPFR_RNDN);
  return Answer::Of(r);
}

// t * t * (3 - 2 t) with t = (x - edge0) / (edge1 - edge0) between 0 and 1, as one quotient of
// exact numbers: (x - e0)^2 * (3 (e1 - e0) - 2 (x - e0)) / (e1 - e0)^3.
Answer Smoothstep(const Layout& layout, const Number& edge0, const Number& edge1, const Number& x) {
  if (edge0.IsNan() || edge1.IsNan() || x.IsNan()) return Answer::Anything();
  if (mpfr_cmp(edge0, edge1) >= 0) return Answer::Anything();
  // Where the equivalent code gives NaN (infinity by infinity) the text contradicts itself.
  if (edge0.IsInfinite() || (edge1.IsInfinite() && x.IsInfinite())) return Answer::Anything();
  if (mpfr_cmp(x, edge0) <= 0) return Answer::Of(0.0);
  if (mpfr_cmp(x, edge1) >= 0) return Answer::Of(1.0);
  if (edge1.IsInfinite()) return Answer::Anything();
  Number p(layout.WideBits()), q(layout.WideBits()), top(layout.WideBits()),
      part(layout.WideBits());
  mpfr_sub(p, x, edge0, MPFR_RNDN);
  mpfr_sub(q, edge1, edge0, MPFR_RNDN);
  mpfr_mul_ui(top, q, 3, MPFR_RNDN);
  mpfr_mul_ui(part, p, 2, MPFR_RNDN);
  mpfr_sub(top, top, part, MPFR_RNDN);
  mpfr_mul(top, top, p, MPFR_RNDN);
  mpfr_mul(top, top, p, MPFR_RNDN);
  mpfr_pow_ui(part, q, 3, MPFR_RNDN);
  return Direct([&](mpfr_ptr r) { return mpfr_div(r, top, part, MPFR_RNDN); });
}

Answer Clamp(const Number& x, const Number& low, const Number& high) {
  if (!low.IsNan() && !high.IsNan() && mpfr_cmp(low, high) > 0) return Answer::Anything();
  const Answer raised = Extreme(x, low, true);
  if (raised.kind == Kind::kNan) return Answer::Of(high);
  Answer answer = Extreme(raised.truth.value, high, false);
  answer.either_zero = answer.either_zero || raised.either_zero;
  return answer;
}

// A sum, and MPFR's word on the sign that its zero has when rounding toward negative infinity.
template <typename Method>
Answer Sum(const Method& method) {
  Answer answer = Direct([&](mpfr_ptr r) { return method(r, MPFR_RNDN); });
  Number down(64);
  method(down, MPFR_RNDD);
  answer.negative_down = down.IsZero() && down.SignBit();
  return answer;
}

}  // namespace

std::optional<Answers> AskBinary(std::string_view f, const Layout& layout, const Number& x,
                                 const Number& y) {
  using Method = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  const auto plain = [&](Method method) {
    return Answers{Direct([&](mpfr_ptr r) { return method(r, x, y, MPFR_RNDN); })};
  };
  if (f == "add" || f == "sub") {
    const Method method = f == "add" ? mpfr_add : mpfr_sub;
    return Answers{Sum([&](mpfr_ptr r, mpfr_rnd_t rounding) { return method(r, x, y, rounding); })};
  }
  if (f == "mul") return plain(mpfr_mul);
  if (f == "div") return plain(mpfr_div);
  if (f == "atan2") return plain(mpfr_atan2);
  if (f == "hypot") return plain(mpfr_hypot);
  if (f == "pow") return plain(mpfr_pow);
  if (f == "powr") return Answers{Powr(x, y)};
  if (f == "atan2pi") return Answers{Atan2Pi(x, y)};
  if (f == "copysign") {
    Number r(64);
    mpfr_copysign(r, x, y, MPFR_RNDN);
    return Answers{Answer::Of(r)};
  }
  if (f == "fdim") return Answers{Fdim(layout, x, y)};
  if (f == "fmax" || f == "fmin") return Answers{Extreme(x, y, f == "fmax")};
  if (f == "maxmag" || f == "minmag") return Answers{ExtremeMagnitude(x, y, f == "maxmag")};
  if (f == "max" || f == "min") return Answers{Common(x, y, f == "max")};
  if (f == "fmod") return Answers{Remainder(x, y, false)};
  if (f == "remainder") return Answers{Remainder(x, y, true)};
  if (f == "remquo") return Remquo(x, y);
  if (f == "nextafter") return Answers{NextAfter(layout, x, y)};
  if (f == "step") return Answers{Step(x, y)};
  return std::nullopt;
}

std::optional<Answers> AskWithInteger(std::string_view f, const Layout&, const Number& x, long n) {
  if (f == "ldexp") return Answers{Ldexp(x, n)};
  if (f == "pown") return Answers{Pown(x, n)};
  if (f == "rootn") return Answers{Rootn(x, n)};
  return std::nullopt;
}

std::optional<Answers> AskTernary(std::string_view f, const Layout& layout, const Number& x,
                                  const Number& y, const Number& z) {
  if (f == "fma" || f == "mad" || f == "mul_add") {
    return Answers{
        Sum([&](mpfr_ptr r, mpfr_rnd_t rounding) { return mpfr_fma(r, x, y, z, rounding); })};
  }
  if (f == "clamp") return Answers{Clamp(x, y, z)};
  if (f == "mix") return Answers{Mix(layout, x, y, z)};
  if (f == "smoothstep") return Answers{Smoothstep(layout, x, y, z)};
  return std::nullopt;
}

}  // namespace assay::independent
