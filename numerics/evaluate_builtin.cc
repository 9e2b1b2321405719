// The bodies named in functions.def, but for those of evaluate_by_bits.h and evaluate_geometric.h.
// Each computes from exact operands: either one correctly rounded MPFR operation, whose ternary
// value places the truth (PlaceRounded), or an exact intermediate followed by one, or (radians,
// degrees, normalize) an approximation with a known error that is refined until its place is
// certain.

#include "numerics/evaluate_builtin.h"

#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "numerics/evaluate_bits.h"
#include "numerics/evaluate_by_bits.h"
#include "numerics/evaluate_call.h"
#include "numerics/evaluate_geometric.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

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

// erfc(x) = exp(-x^2) / (sqrt(pi) t) with t = x + (1/2) / (x + (2/2) / (x + (3/2) / ...)), whose
// terms are positive, so that bounds of one tail give bounds of the tail before it.  For 3 <= x:
// from there MPFR takes 25 to 350 us, because it computes 1 - erf(x).  False: not certain.
bool ErfcByFraction(const Call& call) {
  const mpfr_prec_t precision = call.Precision() + 16;
  const Operand x(call, 0);
  Real least(precision), most(precision), part(precision);
  const double root = static_cast<double>(precision) * 0.35 / mpfr_get_d(x, MPFR_RNDN);
  const auto terms = static_cast<unsigned long>(root * root / 2) + 20;
  // The tail behind the last term lies between x and x + (terms + 1) / 2 / x; twice that is added.
  mpfr_set(least, x, MPFR_RNDD);
  mpfr_ui_div(most, terms + 1, x, MPFR_RNDU);
  mpfr_add(most, most, x, MPFR_RNDU);
  for (unsigned long term = terms; term > 0; --term) {
    mpfr_ui_div(part, term, most, MPFR_RNDD);
    mpfr_ui_div(most, term, least, MPFR_RNDU);
    mpfr_div_2ui(part, part, 1, MPFR_RNDD);
    mpfr_div_2ui(most, most, 1, MPFR_RNDU);
    mpfr_add(least, x, part, MPFR_RNDD);
    mpfr_add(most, x, most, MPFR_RNDU);
  }
  mpfr_sub(most, most, least, MPFR_RNDU);
  if (mpfr_zero_p(most.get()) == 0 &&
      mpfr_get_exp(most.get()) > mpfr_get_exp(least.get()) - precision + 3) {
    return false;
  }
  Real square(106), result(precision);  // the square of a double is exact
  mpfr_sqr(square, x, MPFR_RNDN);
  mpfr_neg(square, square, MPFR_RNDN);
  mpfr_exp(result, square, MPFR_RNDN);
  mpfr_const_pi(part, MPFR_RNDN);
  mpfr_sqrt(part, part, MPFR_RNDN);
  mpfr_mul(part, part, least, MPFR_RNDN);
  mpfr_div(result, result, part, MPFR_RNDN);
  // Five roundings, half of one more, and t within 8 units.
  return call.PlaceNear(0, result, 16);
}

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
  if (call.IsCoarse() && x >= 3 && x < 28 && ErfcByFraction(call)) return;
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

// MPFR keeps constants and memory for each thread; a thread that ends has to give them back, since
// a sweep starts threads for every batch.  A key, no thread_local object: for that one's destructor
// the C library needs memory, and ends the program where there is none.
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
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact, ...) exact,
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

void EvaluateBody(const Operation& operation, std::span<const Bits> args, std::span<Exact> results,
                  Fractions fractions) {
  KeepCacheUntilThreadExit();
  kBodies[static_cast<std::size_t>(operation.function)](
      {operation.format, operation.components, args, results, nullptr, fractions});
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
