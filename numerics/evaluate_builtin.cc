// The bodies named in functions.def.  Each computes from exact operands: either one correctly
// rounded MPFR operation, whose ternary value places the truth (PlaceRounded), or an exact
// intermediate followed by one, or (radians, degrees, normalize) an approximation with a known
// error that is refined until its place is certain.

#include "numerics/evaluate_builtin.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "numerics/evaluate_bits.h"
#include "numerics/fast_path.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

// The results to more bits than Exact holds, as a side output of an evaluation.
class Transcript {
 public:
  Transcript(mpfr_prec_t precision, const ValueSink& sink) : precision_(precision), sink_(sink) {}
  mpfr_prec_t Precision() const { return precision_; }
  void Write(int i, mpfr_srcptr value) const { sink_(i, value); }

 private:
  mpfr_prec_t precision_;
  const ValueSink& sink_;
};

struct Call {
  Format format;
  int n;  // components of a geometric operand
  std::span<const Bits> args;
  std::span<Exact> out;
  const Transcript* transcript = nullptr;  // not null: more of the values is wanted

  Bits operator[](int i) const { return args[static_cast<std::size_t>(i)]; }
  int Int(int i) const { return static_cast<std::int32_t>(args[static_cast<std::size_t>(i)]); }
  Exact& Out(int i = 0) const { return out[static_cast<std::size_t>(i)]; }

  mpfr_prec_t Precision() const {
    const mpfr_prec_t least = WorkingPrecision(format);
    return transcript == nullptr ? least : std::max(least, transcript->Precision());
  }
  // Result i is `value`, rounded to nearest with this ternary value.
  void Place(int i, mpfr_srcptr value, int ternary) const {
    Out(i) = PlaceRounded(value, ternary, format);
    if (transcript != nullptr) transcript->Write(i, value);
  }
  // Result i is within `error_ulps` of `value`; false: not yet certain.
  bool PlaceNear(int i, mpfr_srcptr value, double error_ulps) const {
    if (!PlaceApproximate(value, error_ulps, format, &Out(i))) return false;
    if (transcript != nullptr) transcript->Write(i, value);
    return true;
  }
  bool AnyNan() const {
    return std::any_of(args.begin(), args.end(), [&](Bits a) { return IsNan(format, a); });
  }
};

// An operand as an exact MPFR number.
class Operand : public Real {
 public:
  Operand(const Call& call, int i) : Real(64) { SetBits(*this, call.format, call[i]); }
};

using UnaryOperation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using BinaryOperation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

template <UnaryOperation kOperation>
void Unary(const Call& call) {
  const Operand x(call, 0);
  Real result(call.Precision());
  const int ternary = kOperation(result, x, MPFR_RNDN);
  call.Place(0, result, ternary);
}

template <BinaryOperation kOperation>
void Binary(const Call& call) {
  const Operand x(call, 0), y(call, 1);
  Real result(call.Precision());
  const int ternary = kOperation(result, x, y, MPFR_RNDN);
  call.Place(0, result, ternary);
}

void Reciprocal(const Call& call) {
  const Operand x(call, 0);
  Real result(call.Precision());
  const int ternary = mpfr_ui_div(result, 1, x, MPFR_RNDN);
  call.Place(0, result, ternary);
}

void Fma(const Call& call) {
  const Operand x(call, 0), y(call, 1), z(call, 2);
  Real result(call.Precision());
  const int ternary = mpfr_fma(result, x, y, z, MPFR_RNDN);
  call.Place(0, result, ternary);
}

void Fdim(const Call& call) {
  const Operand x(call, 0), y(call, 1);
  Real result(call.Precision());
  const int ternary = mpfr_dim(result, x, y, MPFR_RNDN);
  call.Place(0, result, ternary);
}

// ---- Results that are read off the bits -----------------------------------------------------

Exact NumberOrNan(Format f, Bits bits) {
  return IsNan(f, bits)        ? Exact::Nan()
         : IsInfinite(f, bits) ? Exact::Infinite(f, IsNegative(f, bits))
                               : Exact::Number(bits);
}

template <IntegralRule kRule>
void Integral(const Call& call) {
  call.Out() = NumberOrNan(call.format, ToIntegral(call.format, call[0], kRule));
}

void FabsBits(const Call& call) {
  call.Out() = NumberOrNan(call.format, Magnitude(call.format, call[0]));
}

void CopySignBits(const Call& call) {
  call.Out() = NumberOrNan(call.format, CopySign(call.format, call[0], call[1]));
}

void Frexp(const Call& call) {
  const Bits x = call[0];
  if (!IsFinite(call.format, x) || IsZero(call.format, x)) {
    call.Out(0) = NumberOrNan(call.format, x);
    call.Out(1) = Exact::Integer(0);
    return;
  }
  call.Out(0) = Exact::Number(FrexpSignificand(call.format, x));
  call.Out(1) = Exact::Integer(Exponent(call.format, x) + 1);
}

// Zero, infinity and NaN are rows of edge_cases.def for ilogb and logb.
void Ilogb(const Call& call) {
  const Bits x = call[0];
  const bool special = !IsFinite(call.format, x) || IsZero(call.format, x);
  call.Out() = special ? Exact::Unspecified() : Exact::Integer(Exponent(call.format, x));
}

void Logb(const Call& call) {
  const Bits x = call[0];
  const Format f = call.format;
  if (IsNan(f, x)) {
    call.Out() = Exact::Nan();
  } else if (IsZero(f, x) || IsInfinite(f, x)) {
    call.Out() = Exact::Infinite(f, IsZero(f, x));
  } else {
    call.Out() = Exact::Number(FromInteger(f, Exponent(f, x)));
  }
}

void Modf(const Call& call) {
  const Format f = call.format;
  const Bits x = call[0];
  const Bits whole = ToIntegral(f, x, IntegralRule::kTowardZero);
  call.Out(1) = NumberOrNan(f, whole);
  if (IsNan(f, x)) {
    call.Out(0) = Exact::Nan();
  } else if (IsInfinite(f, x)) {
    call.Out(0) = Exact::Number(x & SignMask(f));
  } else {
    // The difference of two doubles of one sign in one binade or below is exact.
    const double rest = ToDouble(f, x) - ToDouble(f, whole);
    call.Out(0) = Exact::Number(CopySign(f, FromDouble(f, rest), x));
  }
}

// fmin(x - floor(x), the largest number below 1), 6.15.2.
void Fract(const Call& call) {
  const Format f = call.format;
  const Bits x = call[0];
  const Bits floor = ToIntegral(f, x, IntegralRule::kDown);
  call.Out(1) = NumberOrNan(f, floor);
  if (IsNan(f, x)) {
    call.Out(0) = Exact::Nan();
    return;
  }
  if (IsInfinite(f, x) || Compare(f, x, floor) == 0) {
    call.Out(0) = Exact::Number(IsZero(f, x) || IsInfinite(f, x) ? x & SignMask(f) : 0);
    return;
  }
  const Bits largest = One(f) - 1;
  Exact exact;
  if (f == Format::kDouble || call.transcript != nullptr) {
    Real difference(call.Precision());
    const Operand exact_x(call, 0);
    const int ternary = mpfr_sub_d(difference, exact_x, ToDouble(f, floor), MPFR_RNDN);
    exact = PlaceRounded(difference, ternary, f);
    if (call.transcript != nullptr) call.transcript->Write(0, difference);
  } else {
    // Exact in double, but for a small |x| below zero, which `largest` stands for all the same.
    Locate(f, ToDouble(f, x) - ToDouble(f, floor), 0, &exact);
  }
  if (Magnitude(f, exact.below) >= largest) exact = Exact::Number(largest);
  call.Out(0) = exact;
}

void Sign(const Call& call) {
  const Format f = call.format;
  const Bits x = call[0];
  Exact exact = Exact::Number(IsZero(f, x) ? x : CopySign(f, One(f), x));
  if (IsNan(f, x)) {
    exact = Exact::Number(0);
    exact.any_zero_sign = true;
  }
  call.Out() = exact;
}

// 0.0 if x < edge, else 1.0: also for NaN (6.15.4).  Operands: edge, x.
void Step(const Call& call) {
  const bool below = Compare(call.format, call[1], call[0]) == -1;
  call.Out() = Exact::Number(below ? 0 : One(call.format));
}

void NanOfCode(const Call& call) { call.Out() = Exact::Nan(); }

void NextAfter(const Call& call) {
  const Format f = call.format;
  const int order = Compare(f, call[0], call[1]);
  call.Out() = order == 2   ? Exact::Nan()
               : order == 0 ? NumberOrNan(f, call[1])
                            : NumberOrNan(f, NextToward(f, call[0], call[1]));
}

bool IsSignaling(Format f, Bits bits) {
  return IsNan(f, bits) && (bits & (QuietNan(f) ^ Infinity(f))) == 0;
}

// fmin and fmax over any operands: the number if one operand is NaN; either zero if both are
// zeros (C99 7.12.12); signaling NaN may be treated as either way (footnote to fmin and fmax).
Exact Select(Format f, Bits x, Bits y, bool larger) {
  if (IsNan(f, x) && IsNan(f, y)) return Exact::Nan();
  if (IsSignaling(f, x) || IsSignaling(f, y)) return Exact::Unspecified();
  if (IsNan(f, x)) return NumberOrNan(f, y);
  if (IsNan(f, y)) return NumberOrNan(f, x);
  const int order = Compare(f, x, y);
  Exact exact = NumberOrNan(f, (order < 0) == larger ? y : x);
  exact.any_zero_sign = IsZero(f, x) && IsZero(f, y) && x != y;
  return exact;
}

void Fmax(const Call& call) { call.Out() = Select(call.format, call[0], call[1], true); }
void Fmin(const Call& call) { call.Out() = Select(call.format, call[0], call[1], false); }

Exact SelectByMagnitude(const Call& call, bool larger) {
  const Format f = call.format;
  const int order = Compare(f, Magnitude(f, call[0]), Magnitude(f, call[1]));
  if (order == (larger ? 1 : -1)) return NumberOrNan(f, call[0]);
  if (order == (larger ? -1 : 1)) return NumberOrNan(f, call[1]);
  return Select(f, call[0], call[1], larger);
}

void Maxmag(const Call& call) { call.Out() = SelectByMagnitude(call, true); }
void Minmag(const Call& call) { call.Out() = SelectByMagnitude(call, false); }

// min and max of 6.15.4 are undefined for infinities and NaN (rows of edge_cases.def).
void MaxCommon(const Call& call) { Fmax(call); }
void MinCommon(const Call& call) { Fmin(call); }

// fmin(fmax(x, minval), maxval).
void Clamp(const Call& call) {
  const Format f = call.format;
  const Exact raised = Select(f, call[0], call[1], true);
  if (raised.kind == ResultKind::kUnspecified) {
    call.Out() = raised;
    return;
  }
  const Bits bits = raised.kind == ResultKind::kNan ? QuietNan(f) : raised.below;
  call.Out() = Select(f, bits, call[2], false);
  call.Out().any_zero_sign |= raised.any_zero_sign;
}

// ---- Scaling, powers, quotients ----------------------------------------------------------------

void Ldexp(const Call& call) {
  Operand x(call, 0);
  Real result(call.Precision());
  const int ternary = mpfr_mul_2si(result, x, call.Int(1), MPFR_RNDN);
  call.Place(0, result, ternary);
}

void Pown(const Call& call) {
  const Operand x(call, 0);
  Real result(call.Precision());
  const int ternary = mpfr_pow_si(result, x, call.Int(1), MPFR_RNDN);
  call.Place(0, result, ternary);
}

void Rootn(const Call& call) {
  const Operand x(call, 0);
  Real result(call.Precision());
  const int ternary = mpfr_rootn_si(result, x, call.Int(1), MPFR_RNDN);
  call.Place(0, result, ternary);
}

void Remquo(const Call& call) {
  const Operand x(call, 0), y(call, 1);
  Real result(call.Precision());
  long quotient = 0;
  const int ternary = mpfr_remquo(result, &quotient, x, y, MPFR_RNDN);
  call.Place(0, result, ternary);
  if (mpfr_nan_p(result.get()) != 0) quotient = 0;
  const long low = std::labs(quotient) & 127;
  const bool negative = IsNegative(call.format, call[0]) != IsNegative(call.format, call[1]);
  call.Out(1) = Exact::Integer(negative ? -low : low);
  call.Out(1).low_seven_bits = mpfr_nan_p(result.get()) == 0;
}

// ---- Transcendental functions that MPFR offers only for part of the range ----------------------

void Erfc(const Call& call) {
  const Format f = call.format;
  const double x = ToDouble(f, call[0]);
  // erfc(-x) = 2 - erfc(x): from |x| = 30 on the difference from 2 is below 2^-1300, and no
  // working precision would show it.
  if (x < -30 && std::isfinite(x)) {
    call.Out() = {.below = One(f) + MinNormal(f) - 1,
                  .fraction = std::nextafter(1.0, 0.0),
                  .kind = ResultKind::kFinite};
    return;
  }
  Unary<mpfr_erfc>(call);
}

// |Gamma| beyond +-200 is above 2^1245 or, off the poles, below 2^-1200 (the pole nearest to a
// double near -200 is at least 2^-45 away): beyond every format, and MPFR would take long.
void Tgamma(const Call& call) {
  const Format f = call.format;
  const double x = ToDouble(f, call[0]);
  if (std::fabs(x) < 200 || !std::isfinite(x)) {
    Unary<mpfr_gamma>(call);
  } else if (x > 0) {
    call.Out() = {.below = MaxFinite(f), .fraction = 0x1p1000, .kind = ResultKind::kFinite};
  } else if (x == std::floor(x)) {
    call.Out() = Exact::Nan();
  } else {
    const bool negative = std::fmod(std::floor(x), 2) != 0;
    call.Out() = {
        .below = negative ? SignMask(f) : 0, .fraction = 0x1p-1000, .kind = ResultKind::kFinite};
  }
}

int EvaluateLgamma(const Call& call) {
  const Operand x(call, 0);
  Real result(call.Precision());
  int sign = 0;
  const int ternary = mpfr_lgamma(result, &sign, x, MPFR_RNDN);
  call.Place(0, result, ternary);
  return sign;
}

void Lgamma(const Call& call) { EvaluateLgamma(call); }

void LgammaR(const Call& call) {
  const int sign = EvaluateLgamma(call);
  const Bits x = call[0];
  // The sign of the gamma function means nothing for NaN and -infinity; zero and the poles are
  // rows.
  const bool meaningless =
      IsNan(call.format, x) || (IsInfinite(call.format, x) && IsNegative(call.format, x));
  call.Out(1) = meaningless ? Exact::Unspecified() : Exact::Integer(sign);
}

void Sincos(const Call& call) {
  const Operand x(call, 0);
  Real result(call.Precision());
  int ternary = mpfr_sin(result, x, MPFR_RNDN);
  call.Place(0, result, ternary);
  ternary = mpfr_cos(result, x, MPFR_RNDN);
  call.Place(1, result, ternary);
}

// x * pi / 180 or its inverse.  Irrational for every x but zero, so refinement ends.
void ScaleByPi(const Call& call, bool to_degrees) {
  const Format f = call.format;
  const Operand x(call, 0);
  if (!IsFinite(f, call[0]) || IsZero(f, call[0])) {
    call.Out() = NumberOrNan(f, call[0]);
    return;
  }
  for (mpfr_prec_t precision = call.Precision() + 8;; precision *= 2) {
    Real factor(precision), result(precision);
    mpfr_const_pi(factor, MPFR_RNDN);
    if (to_degrees) {
      mpfr_ui_div(factor, 180, factor, MPFR_RNDN);
    } else {
      mpfr_div_ui(factor, factor, 180, MPFR_RNDN);
    }
    mpfr_mul(result, factor, x, MPFR_RNDN);
    if (call.PlaceNear(0, result, kValueError)) return;  // three roundings
  }
}

void Degrees(const Call& call) { ScaleByPi(call, true); }
void Radians(const Call& call) { ScaleByPi(call, false); }

// ---- Polynomials of the operands, exact before the last step --------------------------------

// x + (y - x) * a.
void Mix(const Call& call) {
  const Operand x(call, 0), y(call, 1), a(call, 2);
  Real exact(ExactPrecision(call.format)), result(call.Precision());
  mpfr_sub(exact, y, x, MPFR_RNDN);
  const int ternary = mpfr_fma(result, exact, a, x, MPFR_RNDN);
  call.Place(0, result, ternary);
}

// t * t * (3 - 2 t) with t = clamp((x - edge0) / (edge1 - edge0), 0, 1): as a quotient of
// polynomials in n = x - edge0 and d = edge1 - edge0, n^2 (3 d - 2 n) / d^3.
void Smoothstep(const Call& call) {
  const Format f = call.format;
  const Operand edge0(call, 0), edge1(call, 1), x(call, 2);
  const mpfr_prec_t precision = ExactPrecision(f);
  Real n(precision), d(precision), cubic(3 * precision), divisor(3 * precision);
  mpfr_sub(n, x, edge0, MPFR_RNDN);
  mpfr_sub(d, edge1, edge0, MPFR_RNDN);
  if (mpfr_number_p(n.get()) == 0 || mpfr_number_p(d.get()) == 0) {
    // An infinite x beyond finite edges, or one at most the lower edge under an infinite upper one,
    // is clamped; anything else over infinity is left open.
    const bool quotient =
        !call.AnyNan() && mpfr_nan_p(n.get()) == 0 && mpfr_sgn(d.get()) > 0 &&
        (mpfr_inf_p(d.get()) == 0 || (mpfr_number_p(n.get()) != 0 && mpfr_sgn(n.get()) <= 0));
    const bool one = mpfr_inf_p(n.get()) != 0 && mpfr_sgn(n.get()) > 0;
    call.Out() = call.AnyNan() ? Exact::Nan()
                 : quotient    ? Exact::Number(one ? One(f) : 0)
                               : Exact::Unspecified();
    return;
  }
  if (mpfr_sgn(n.get()) <= 0 || mpfr_cmp(n, d) >= 0) {
    call.Out() = Exact::Number(mpfr_sgn(n.get()) <= 0 ? 0 : One(f));
    return;
  }
  mpfr_mul_ui(cubic, d, 3, MPFR_RNDN);
  mpfr_mul_2ui(divisor, n, 1, MPFR_RNDN);
  mpfr_sub(cubic, cubic, divisor, MPFR_RNDN);
  mpfr_mul(cubic, cubic, n, MPFR_RNDN);
  mpfr_mul(cubic, cubic, n, MPFR_RNDN);
  mpfr_sqr(divisor, d, MPFR_RNDN);
  mpfr_mul(divisor, divisor, d, MPFR_RNDN);
  Real result(call.Precision());
  const int ternary = mpfr_div(result, cubic, divisor, MPFR_RNDN);
  call.Place(0, result, ternary);
}

// ---- Geometric functions (6.15.5) ----------------------------------------------------------

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

void Length(const Call& call) { SquareRootOfSquares(call, false); }
void Distance(const Call& call) { SquareRootOfSquares(call, true); }

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

// MPFR keeps constants and memory for each thread; a thread must free them when it ends, because a
// sweep starts threads for every batch.  This uses a key and no thread_local object: for the
// destructor of such an object the C library needs memory, and ends the program if there is none.
void KeepCacheUntilThreadExit() {
  static thread_local bool is_kept = false;
  if (is_kept) return;
  is_kept = true;
  static pthread_key_t key;
  static const bool has_key = pthread_key_create(&key, [](void*) { mpfr_free_cache(); }) == 0;
  if (has_key) pthread_setspecific(key, &is_kept);  // where neither can be had, memory stays in use
}

using Body = void (*)(const Call&);

constexpr Body kBodies[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact) exact,
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

constexpr Body kReadOffTheBits[] = {
    Integral<IntegralRule::kDown>,
    Integral<IntegralRule::kUp>,
    Integral<IntegralRule::kTowardZero>,
    Integral<IntegralRule::kHalfEven>,
    Integral<IntegralRule::kHalfAway>,
    FabsBits,
    CopySignBits,
    Frexp,
    Ilogb,
    Logb,
    Modf,
    Sign,
    Step,
    NanOfCode,
    NextAfter,
    Fmax,
    Fmin,
    Maxmag,
    Minmag,
    MaxCommon,
    MinCommon,
    Clamp,
};

}  // namespace

bool NeedsMpfr(const Operation& operation) {
  const Body body = kBodies[static_cast<std::size_t>(operation.function)];
  if (body == Fract) return operation.format == Format::kDouble;
  return std::find(std::begin(kReadOffTheBits), std::end(kReadOffTheBits), body) ==
         std::end(kReadOffTheBits);
}

void EvaluateBody(const Operation& operation, std::span<const Bits> args,
                  std::span<Exact> results) {
  KeepCacheUntilThreadExit();
  kBodies[static_cast<std::size_t>(operation.function)](
      {operation.format, operation.components, args, results});
}

void EvaluateValues(const Operation& operation, std::span<const Bits> args, mpfr_prec_t precision,
                    const ValueSink& sink) {
  KeepCacheUntilThreadExit();
  std::vector<Exact> results(static_cast<std::size_t>(operation.ResultCount()));
  const Transcript transcript(precision, sink);
  kBodies[static_cast<std::size_t>(operation.function)](
      {operation.format, operation.components, args, results, &transcript});
}

std::vector<std::string> DecimalDigits(const Operation& operation, std::span<const Bits> args,
                                       int digits) {
  std::vector<std::string> lines(static_cast<std::size_t>(operation.ResultCount()));
  // log2(10) < 10/3, and a few bits so that the last digit printed is right.
  EvaluateValues(operation, args, digits * 10 / 3 + 16, [&](int i, mpfr_srcptr value) {
    char* text = nullptr;
    mpfr_asprintf(&text, "%.*Re", digits - 1, value);
    lines[static_cast<std::size_t>(i)] = text;
    mpfr_free_str(text);
  });
  return lines;
}

}  // namespace assay::numerics
