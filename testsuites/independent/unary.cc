#include "testsuites/independent/functions.h"

namespace assay::independent {
namespace {

bool IsOdd(const Number& integer) {
  Number half(static_cast<int>(mpfr_get_prec(integer)) + 8);
  mpfr_div_2ui(half, integer, 1, MPFR_RNDN);
  return !half.IsInteger();
}

Number Pi() {
  Number pi(kInnerBits);
  mpfr_const_pi(pi, MPFR_RNDN);
  return pi;
}

// pi times x less the nearest even integer, and that distance itself, exactly.
Number TurnsToRadians(const Number& x, Number* turns) {
  Number two(8);
  mpfr_set_ui(two, 2, MPFR_RNDN);
  mpfr_set_prec(*turns, 1200);
  mpfr_remainder(*turns, x, two, MPFR_RNDN);
  Number radians(kInnerBits);
  mpfr_mul(radians, *turns, Pi(), MPFR_RNDN);
  return radians;
}

Answer SinPi(const Number& x) {
  if (!x.IsFinite()) return Answer::Nan();
  if (x.IsZero()) return Answer::Of(x);
  if (x.IsInteger()) return Answer::Of(x.SignBit() ? -0.0 : 0.0);
  Number turns, result(kInnerBits);
  const Number radians = TurnsToRadians(x, &turns);
  mpfr_sin(result, radians, MPFR_RNDN);
  // Near the crest 1 - sin is too small to see: x = n + 1/2 +- 2^-k has k <= 54, so it is not.
  return Rounded(result);
}

Answer CosPi(const Number& x) {
  if (!x.IsFinite()) return Answer::Nan();
  if (x.IsZero()) return Answer::Of(1.0);
  Number turns, result(kInnerBits);
  const Number radians = TurnsToRadians(x, &turns);
  Number doubled(kInnerBits);
  mpfr_mul_2ui(doubled, turns, 1, MPFR_RNDN);
  if (doubled.IsInteger() && !turns.IsInteger()) return Answer::Of(0.0);  // +0 at n + 0.5
  if (!turns.IsZero() && mpfr_get_exp(turns) < -100) {
    return Beside(1.0, -1);
  }
  mpfr_cos(result, radians, MPFR_RNDN);
  return Rounded(result);
}

Answer TanPi(const Number& x) {
  if (!x.IsFinite()) return Answer::Nan();
  if (x.IsZero()) return Answer::Of(x);
  if (x.IsInteger()) {
    const bool negative = IsOdd(x) != x.SignBit();  // copysign(0, n) for even n, -n for odd n
    return Answer::Of(negative ? -0.0 : 0.0);
  }
  Number turns, sine(kInnerBits), cosine(kInnerBits);
  const Number radians = TurnsToRadians(x, &turns);
  Number doubled(kInnerBits), infinity(8);
  mpfr_mul_2ui(doubled, turns, 1, MPFR_RNDN);
  if (doubled.IsInteger()) {
    // n + 0.5: +inf for even n.  turns is then +-0.5 (n even if 0.5, odd if -0.5) or +-1.5.
    const bool even = turns.Compare(0.5) == 0 || turns.Compare(-1.5) == 0;
    mpfr_set_inf(infinity, even ? 1 : -1);
    return Answer::Of(infinity);
  }
  mpfr_sin_cos(sine, cosine, radians, MPFR_RNDN);
  mpfr_div(sine, sine, cosine, MPFR_RNDN);
  return Rounded(sine);
}

// f(x) / pi, of inverse trigonometric functions; beside `limit` where the rest cannot be seen.
template <typename Call>
Answer OverPi(Call call) {
  Number result(kInnerBits);
  call(static_cast<mpfr_ptr>(result));
  if (result.IsNan()) return Answer::Nan();
  mpfr_div(result, result, Pi(), MPFR_RNDN);
  return Rounded(result);
}

Answer InversePi(std::string_view f, const Number& x) {
  if (x.IsNan()) return Answer::Nan();
  const long exponent = x.IsZero() || x.IsInfinite() ? 0 : mpfr_get_exp(x);
  if (f == "asinpi") {
    if (x.IsZero()) return Answer::Of(x);
    return OverPi([&](mpfr_ptr r) { mpfr_asin(r, x, MPFR_RNDN); });
  }
  if (f == "acospi") {
    if (x.Compare(1) == 0) return Answer::Of(0.0);
    // 1/2 - x/pi: below one half for positive x.
    if (!x.IsZero() && exponent < -100) return Beside(0.5, x.SignBit() ? 1 : -1);
    return OverPi([&](mpfr_ptr r) { mpfr_acos(r, x, MPFR_RNDN); });
  }
  if (x.IsZero()) return Answer::Of(x);
  if (x.IsFinite() && exponent > 100) return Beside(x.SignBit() ? -0.5 : 0.5, -1);
  return OverPi([&](mpfr_ptr r) { mpfr_atan(r, x, MPFR_RNDN); });
}

// Gamma(x), C99 F.9.5.4.
Answer TrueGamma(const Number& x) {
  if (x.IsFinite() && !x.IsZero()) {
    if (x.IsInteger() && x.SignBit()) return Answer::Nan();
    Number r(kBits);
    if (x.Compare(2000) > 0) {
      mpfr_set_ui_2exp(r, 1, 20000, MPFR_RNDN);
      return Answer::Of(r);
    }
    if (x.Compare(-2000) < 0) {
      Number floor(static_cast<int>(mpfr_get_prec(x)));
      mpfr_floor(floor, x);
      mpfr_set_si_2exp(r, IsOdd(floor) ? -1 : 1, -20000, MPFR_RNDN);
      return Answer::Of(r);
    }
  }
  if (x.IsInfinite() && x.SignBit()) return Answer::Nan();
  return Direct([&](mpfr_ptr r) { return mpfr_gamma(r, x, MPFR_RNDN); });
}

Answers LogGamma(const Number& x, bool with_sign) {
  int sign = 0;
  Answer value = Direct([&](mpfr_ptr r) { return mpfr_lgamma(r, &sign, x, MPFR_RNDN); });
  if (!with_sign) return {value};
  const bool pole = x.IsZero() || (x.IsFinite() && x.IsInteger() && x.SignBit());
  // Of NaN and of minus infinity gamma has no sign that the text would name.
  const bool unnamed = x.IsNan() || (x.IsInfinite() && x.SignBit());
  return {value, unnamed ? Answer::Anything() : Answer::OfInteger(pole ? 0 : sign)};
}

Answers Fract(const Layout& layout, const Number& x) {
  if (x.IsNan()) return {Answer::Nan(), Answer::Nan()};
  if (x.IsInfinite()) return {Answer::Of(x.SignBit() ? -0.0 : 0.0), Answer::Of(x)};
  Number floor(layout.WideBits()), rest(layout.WideBits()), most(layout.WideBits());
  mpfr_floor(floor, x);
  if (x.IsZero()) return {Answer::Of(x), Answer::Of(floor)};
  mpfr_sub(rest, x, floor, MPFR_RNDN);
  // The largest number below one.
  mpfr_set_ui_2exp(most, 1, -(layout.FractionWidth() + 1), MPFR_RNDN);
  mpfr_ui_sub(most, 1, most, MPFR_RNDN);
  mpfr_min(rest, rest, most, MPFR_RNDN);
  if (rest.IsZero()) mpfr_setsign(rest, rest, 0, MPFR_RNDN);
  return {Answer::Of(rest), Answer::Of(floor)};
}

Answers Frexp(const Number& x) {
  if (!x.IsFinite() || x.IsZero()) return {Answer::Of(x), Answer::OfInteger(0)};
  Number m(64);
  mpfr_exp_t exponent = 0;
  mpfr_frexp(&exponent, m, x, MPFR_RNDN);
  return {Answer::Of(m), Answer::OfInteger(exponent)};
}

Answers Modf(const Number& x) {
  if (x.IsNan()) return {Answer::Nan(), Answer::Nan()};
  if (x.IsInfinite()) return {Answer::Of(x.SignBit() ? -0.0 : 0.0), Answer::Of(x)};
  Number whole(64), rest(64);
  mpfr_modf(whole, rest, x, MPFR_RNDN);
  mpfr_setsign(rest, rest, x.SignBit() ? 1 : 0, MPFR_RNDN);
  mpfr_setsign(whole, whole, x.SignBit() ? 1 : 0, MPFR_RNDN);
  return {Answer::Of(rest), Answer::Of(whole)};
}

Answer Ilogb(const Number& x) {
  constexpr long kMax = 2147483647, kMin = -kMax - 1;
  if (x.IsZero()) {  // FP_ILOGB0: INT_MIN or -INT_MAX
    Answer answer = Answer::OfInteger(kMin);
    answer.has_second = true;
    answer.second = -kMax;
    return answer;
  }
  if (x.IsNan()) {  // FP_ILOGBNAN: INT_MAX or INT_MIN
    Answer answer = Answer::OfInteger(kMax);
    answer.has_second = true;
    answer.second = kMin;
    return answer;
  }
  return Answer::OfInteger(x.IsInfinite() ? kMax : mpfr_get_exp(x) - 1);
}

Answer Logb(const Number& x) {
  Number r(64);
  if (x.IsNan()) return Answer::Nan();
  if (x.IsInfinite()) {
    mpfr_set_inf(r, 1);
  } else if (x.IsZero()) {
    mpfr_set_inf(r, -1);
  } else {
    mpfr_set_si(r, mpfr_get_exp(x) - 1, MPFR_RNDN);
  }
  return Answer::Of(r);
}

Answer Sign(const Number& x) {
  if (x.IsNan()) {
    Answer zero = Answer::Of(0.0);
    zero.either_zero = true;
    return zero;
  }
  if (x.IsZero()) return Answer::Of(x);
  return Answer::Of(x.SignBit() ? -1.0 : 1.0);
}

// x * numerator / denominator, one of them an integer and the other one pi.
Answer Angle(const Number& x, bool to_degrees) {
  Number r(kInnerBits);
  mpfr_set(r, x, MPFR_RNDN);
  if (!x.IsFinite() || x.IsZero()) return Answer::Of(r);
  if (to_degrees) {
    mpfr_mul_ui(r, r, 180, MPFR_RNDN);
    mpfr_div(r, r, Pi(), MPFR_RNDN);
  } else {
    mpfr_mul(r, r, Pi(), MPFR_RNDN);
    mpfr_div_ui(r, r, 180, MPFR_RNDN);
  }
  return Rounded(r);
}

using Method = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

// The functions that MPFR has under the same definition, special values included (C99 F.9).
Method Plain(std::string_view f) {
  if (f == "acos") return mpfr_acos;
  if (f == "asin") return mpfr_asin;
  if (f == "atan") return mpfr_atan;
  if (f == "acosh") return mpfr_acosh;
  if (f == "asinh") return mpfr_asinh;
  if (f == "atanh") return mpfr_atanh;
  if (f == "cbrt") return mpfr_cbrt;
  if (f == "cos") return mpfr_cos;
  if (f == "cosh") return mpfr_cosh;
  if (f == "erfc") return mpfr_erfc;
  if (f == "erf") return mpfr_erf;
  if (f == "exp") return mpfr_exp;
  if (f == "exp2") return mpfr_exp2;
  if (f == "exp10") return mpfr_exp10;
  if (f == "expm1") return mpfr_expm1;
  if (f == "log") return mpfr_log;
  if (f == "log2") return mpfr_log2;
  if (f == "log10") return mpfr_log10;
  if (f == "log1p") return mpfr_log1p;
  if (f == "rsqrt") return mpfr_rec_sqrt;
  if (f == "sin") return mpfr_sin;
  if (f == "sinh") return mpfr_sinh;
  if (f == "sqrt") return mpfr_sqrt;
  if (f == "tan") return mpfr_tan;
  if (f == "tanh") return mpfr_tanh;
  if (f == "fabs") return mpfr_abs;
  return nullptr;
}

// Rounding to integers: exact, with the sign of the argument kept by zeros.
std::optional<Answer> Integral(std::string_view f, const Number& x) {
  Number r(64);
  if (f == "ceil") {
    mpfr_ceil(r, x);
  } else if (f == "floor") {
    mpfr_floor(r, x);
  } else if (f == "trunc") {
    mpfr_trunc(r, x);
  } else if (f == "round") {
    mpfr_round(r, x);
  } else if (f == "rint") {
    mpfr_roundeven(r, x);
  } else {
    return std::nullopt;
  }
  if (r.IsZero()) mpfr_setsign(r, r, x.SignBit() ? 1 : 0, MPFR_RNDN);
  return Answer::Of(r);
}

// The limit at a pole whose sign follows from the sign of zero, which MPFR treats alike; rsqrt(-0)
// is -inf (IEEE 754-2019 9.2.1, C23 F.10.4.9) where mpfr_rec_sqrt answers +inf.
Answer ReciprocalSquareRoot(const Number& x) {
  if (!x.IsZero()) return Direct([&](mpfr_ptr r) { return mpfr_rec_sqrt(r, x, MPFR_RNDN); });
  Number infinity(8);
  mpfr_set_inf(infinity, x.SignBit() ? -1 : 1);
  return Answer::Of(infinity);
}

}  // namespace

std::optional<Answers> AskUnary(std::string_view f, const Layout& layout, const Number& x) {
  if (f == "rsqrt") return Answers{ReciprocalSquareRoot(x)};
  if (const Method method = Plain(f)) {
    return Answers{Direct([&](mpfr_ptr r) { return method(r, x, MPFR_RNDN); })};
  }
  if (const auto integral = Integral(f, x)) return Answers{*integral};
  if (f == "recip_div") {
    return Answers{Direct([&](mpfr_ptr r) { return mpfr_ui_div(r, 1, x, MPFR_RNDN); })};
  }
  if (f == "sincos")
    return Answers{AskUnary("sin", layout, x)->at(0), AskUnary("cos", layout, x)->at(0)};
  if (f == "sinpi") return Answers{SinPi(x)};
  if (f == "cospi") return Answers{CosPi(x)};
  if (f == "tanpi") return Answers{TanPi(x)};
  if (f == "asinpi" || f == "acospi" || f == "atanpi") return Answers{InversePi(f, x)};
  if (f == "tgamma") return Answers{TrueGamma(x)};
  if (f == "lgamma") return LogGamma(x, false);
  if (f == "lgamma_r") return LogGamma(x, true);
  if (f == "fract") return Fract(layout, x);
  if (f == "frexp") return Frexp(x);
  if (f == "modf") return Modf(x);
  if (f == "ilogb") return Answers{Ilogb(x)};
  if (f == "logb") return Answers{Logb(x)};
  if (f == "sign") return Answers{Sign(x)};
  if (f == "degrees") return Answers{Angle(x, true)};
  if (f == "radians") return Answers{Angle(x, false)};
  return std::nullopt;
}

}  // namespace assay::independent
