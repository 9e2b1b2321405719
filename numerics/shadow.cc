#include "numerics/shadow.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "numerics/exact.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

class Call {
 public:
  Call(const ShadowCall& call, std::span<ShadowNumber> shadows) : call_(call), shadows_(shadows) {}

  int n() const { return call_.operation.components; }
  Format format() const { return call_.operation.format; }
  mpfr_prec_t precision() const { return call_.precision; }
  mpfr_srcptr operator[](int i) const { return Operand(i).value()->get(); }
  const ShadowNumber& Operand(int i) const { return call_.operands[static_cast<std::size_t>(i)]; }
  int Int(int i) const {
    return static_cast<std::int32_t>(call_.arguments[static_cast<std::size_t>(i)]);
  }
  double Argument(int i) const {
    return ToDouble(format(), call_.arguments[static_cast<std::size_t>(i)]);
  }
  Bits ResultBits(int i) const { return call_.results[static_cast<std::size_t>(i)]; }
  double Result(int i) const { return ToDouble(format(), ResultBits(i)); }

  // Result i is what `compute` makes of an MPFR number.
  template <typename Compute>
  void Set(int i, Compute compute) const {
    auto value = std::make_shared<Real>(precision());
    compute(value->get());
    shadows_[static_cast<std::size_t>(i)] = ShadowNumber(std::move(value));
  }
  void Set(int i, const ShadowNumber& number) const {
    shadows_[static_cast<std::size_t>(i)] = number;
  }
  void FollowNumber(int i) const {
    Set(i, ShadowNumber::OfFloat(format(), ResultBits(i), call_.precision));
  }

 private:
  const ShadowCall& call_;
  std::span<ShadowNumber> shadows_;
};

// The bodies that the last column of functions.def names, here on shadows.  Each says whether the
// function is continuous: otherwise results follow the number.

using UnaryOperation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using BinaryOperation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

template <UnaryOperation kOperation>
bool Unary(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { kOperation(out, call[0], MPFR_RNDN); });
  return true;
}

// `out` is a remainder of a division by `divisor`; the number's may be of a neighbouring quotient.
void TakeQuotientOfNumber(mpfr_ptr out, mpfr_srcptr divisor, double number) {
  if (mpfr_number_p(out) == 0 || !std::isfinite(number)) return;
  Real step(mpfr_get_prec(out)), distance(64);
  mpfr_abs(step, divisor, MPFR_RNDN);
  mpfr_sub_d(distance, out, number, MPFR_RNDN);
  mpfr_mul_2si(distance, distance, 1, MPFR_RNDN);
  if (mpfr_cmpabs(distance, step) <= 0) return;
  if (mpfr_sgn(distance.get()) > 0) {
    mpfr_sub(out, out, step, MPFR_RNDN);
  } else {
    mpfr_add(out, out, step, MPFR_RNDN);
  }
}

template <BinaryOperation kOperation>
bool Binary(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) {
    kOperation(out, call[0], call[1], MPFR_RNDN);
    if (kOperation == mpfr_fmod || kOperation == mpfr_remainder) {
      TakeQuotientOfNumber(out, call[1], call.Result(0));
    }
  });
  return true;
}

bool Remquo(const Call& call) { return Binary<mpfr_remainder>(call); }

bool Reciprocal(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { mpfr_ui_div(out, 1, call[0], MPFR_RNDN); });
  return true;
}
bool Fma(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { mpfr_fma(out, call[0], call[1], call[2], MPFR_RNDN); });
  return true;
}
bool Fdim(const Call& call) { return Binary<mpfr_dim>(call); }
bool FabsBits(const Call& call) { return Unary<mpfr_abs>(call); }
bool CopySignBits(const Call& call) { return Binary<mpfr_copysign>(call); }

// Functions with steps, and functions of the exponent only.
bool Follows(const Call&) { return false; }
enum class IntegralRule { kUp, kDown, kTowardZero, kHalfEven, kHalfAway };
template <IntegralRule kRule>
bool Integral(const Call& call) {
  return Follows(call);
}
bool Logb(const Call& call) { return Follows(call); }
bool Ilogb(const Call& call) { return Follows(call); }
bool Sign(const Call& call) { return Follows(call); }
bool Step(const Call& call) { return Follows(call); }
bool NanOfCode(const Call& call) { return Follows(call); }
bool NextAfter(const Call& call) { return Follows(call); }

// What is left of x beside the integer that the number's part is.
bool Modf(const Call& call) {
  call.FollowNumber(1);
  if (!std::isfinite(call.Argument(0))) return false;
  call.Set(0, [&](mpfr_ptr out) { mpfr_sub_d(out, call[0], call.Result(1), MPFR_RNDN); });
  return true;
}
bool Fract(const Call& call) { return Modf(call); }

bool Frexp(const Call& call) {
  if (!std::isfinite(call.Argument(0))) return false;
  const auto exponent = static_cast<std::int32_t>(call.ResultBits(1));
  call.Set(0, [&](mpfr_ptr out) { mpfr_mul_2si(out, call[0], -exponent, MPFR_RNDN); });
  return true;
}

// MPFR's take the number where the other operand is NaN, as OpenCL's do.
bool Fmax(const Call& call) { return Binary<mpfr_max>(call); }
bool Fmin(const Call& call) { return Binary<mpfr_min>(call); }
bool MaxCommon(const Call& call) { return Fmax(call); }
bool MinCommon(const Call& call) { return Fmin(call); }
// Of two numbers of nearly the same magnitude and opposite signs the number may have the other.
bool Maxmag(const Call& call) {
  const Bits result = call.ResultBits(0);
  for (int i = 0; i < 2; ++i) {
    if (FromDouble(call.format(), call.Argument(i)) != result) continue;
    call.Set(0, call.Operand(i));
    return true;
  }
  return false;
}
bool Minmag(const Call& call) { return Maxmag(call); }

bool Clamp(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) {
    mpfr_max(out, call[0], call[1], MPFR_RNDN);
    mpfr_min(out, out, call[2], MPFR_RNDN);
  });
  return true;
}

bool Ldexp(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { mpfr_mul_2si(out, call[0], call.Int(1), MPFR_RNDN); });
  return true;
}
bool Pown(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { mpfr_pow_si(out, call[0], call.Int(1), MPFR_RNDN); });
  return true;
}
bool Rootn(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { mpfr_rootn_si(out, call[0], call.Int(1), MPFR_RNDN); });
  return true;
}

// Outside of these MPFR takes long, and no format has results but 0, 2, infinity and NaN.
constexpr double kLargeErfc = 1e4;
constexpr double kLargeGamma = 2000;

bool Erfc(const Call& call) {
  return !(std::fabs(call.Argument(0)) > kLargeErfc) && Unary<mpfr_erfc>(call);
}
bool Tgamma(const Call& call) {
  return !(std::fabs(call.Argument(0)) > kLargeGamma) && Unary<mpfr_gamma>(call);
}
bool Lgamma(const Call& call) {
  if (call.Argument(0) < -1e6) return false;
  int sign = 0;
  call.Set(0, [&](mpfr_ptr out) { mpfr_lgamma(out, &sign, call[0], MPFR_RNDN); });
  return true;
}
bool LgammaR(const Call& call) { return Lgamma(call); }

bool Sincos(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { mpfr_sin(out, call[0], MPFR_RNDN); });
  call.Set(1, [&](mpfr_ptr out) { mpfr_cos(out, call[0], MPFR_RNDN); });
  return true;
}

bool ScaleByPi(const Call& call, unsigned times, unsigned divisor, bool by_inverse) {
  call.Set(0, [&](mpfr_ptr out) {
    Real factor(call.precision() + 16);
    mpfr_const_pi(factor, MPFR_RNDN);
    if (by_inverse) mpfr_ui_div(factor, 1, factor, MPFR_RNDN);
    mpfr_mul_ui(factor, factor, times, MPFR_RNDN);
    mpfr_div_ui(factor, factor, divisor, MPFR_RNDN);
    mpfr_mul(out, call[0], factor, MPFR_RNDN);
  });
  return true;
}
bool Degrees(const Call& call) { return ScaleByPi(call, 180, 1, true); }
bool Radians(const Call& call) { return ScaleByPi(call, 1, 180, false); }

// x + (y - x) * a.
bool Mix(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) {
    mpfr_sub(out, call[1], call[0], MPFR_RNDN);
    mpfr_fma(out, out, call[2], call[0], MPFR_RNDN);
  });
  return true;
}

// t * t * (3 - 2 t) with t = clamp((x - edge0) / (edge1 - edge0), 0, 1).
bool Smoothstep(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) {
    Real t(call.precision()), width(call.precision());
    mpfr_sub(t, call[2], call[0], MPFR_RNDN);
    mpfr_sub(width, call[1], call[0], MPFR_RNDN);
    mpfr_div(t, t, width, MPFR_RNDN);
    if (mpfr_nan_p(t.get()) == 0 && mpfr_sgn(t.get()) < 0) mpfr_set_zero(t, 1);
    if (mpfr_cmp_ui(t, 1) > 0) mpfr_set_ui(t, 1, MPFR_RNDN);
    mpfr_mul_2ui(out, t, 1, MPFR_RNDN);
    mpfr_ui_sub(out, 3, out, MPFR_RNDN);
    mpfr_mul(out, out, t, MPFR_RNDN);
    mpfr_mul(out, out, t, MPFR_RNDN);
  });
  return true;
}

bool Dot(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) {
    mpfr_set_zero(out, 1);
    for (int i = 0; i < call.n(); ++i) mpfr_fma(out, call[i], call[call.n() + i], out, MPFR_RNDN);
  });
  return true;
}

bool Cross(const Call& call) {
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    call.Set(i, [&](mpfr_ptr out) {
      mpfr_fmms(out, call[j], call[call.n() + k], call[k], call[call.n() + j], MPFR_RNDN);
    });
  }
  if (call.n() == 4) call.FollowNumber(3);
  return true;
}

void SetLength(const Call& call, bool differences, mpfr_ptr out) {
  Real component(call.precision());
  mpfr_set_zero(out, 1);
  for (int i = 0; i < call.n(); ++i) {
    mpfr_set(component, call[i], MPFR_RNDN);
    if (differences) mpfr_sub(component, component, call[call.n() + i], MPFR_RNDN);
    mpfr_fma(out, component, component, out, MPFR_RNDN);
  }
  mpfr_sqrt(out, out, MPFR_RNDN);
}
bool Length(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { SetLength(call, false, out); });
  return true;
}
bool Distance(const Call& call) {
  call.Set(0, [&](mpfr_ptr out) { SetLength(call, true, out); });
  return true;
}
// Infinite components and the vector of zeros are cases of their own (OpenCL C 7.5.1).
bool Normalize(const Call& call) {
  Real length(call.precision());
  SetLength(call, false, length);
  if (mpfr_regular_p(length.get()) == 0) return false;
  for (int i = 0; i < call.n(); ++i) {
    call.Set(i, [&](mpfr_ptr out) { mpfr_div(out, call[i], length, MPFR_RNDN); });
  }
  return true;
}

using Body = bool (*)(const Call&);
constexpr Body kBodies[] = {
#define ASSAY_FUNCTION(id, cls, signature, formats, expression, exact, ...) exact,
#include "numerics/functions.def"
#undef ASSAY_FUNCTION
};

Exact PlaceOf(const Real& value, Format format) { return PlaceRounded(value, 0, format); }

}  // namespace

void EvaluateShadow(const ShadowCall& call, std::span<ShadowNumber> shadows) {
  const Call on_shadows(call, shadows);
  if (kBodies[static_cast<std::size_t>(call.operation.function)](on_shadows)) return;
  const std::vector<ScalarType> types = call.operation.ResultTypes();
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (IsFloating(types[i])) on_shadows.FollowNumber(static_cast<int>(i));
  }
}

// --- numbers ----------------------------------------------------------------------------------

ShadowNumber ShadowNumber::OfFloat(Format format, Bits bits, int precision) {
  auto value = std::make_shared<Real>(precision);
  SetBits(*value, format, bits);
  return ShadowNumber(std::move(value));
}

ShadowNumber ShadowNumber::OfInteger(ScalarType type, Bits bits, int precision) {
  auto value = std::make_shared<Real>(precision);
  const int unused = 64 - WidthOf(type);
  if (IsSigned(type)) {
    mpfr_set_si(*value, static_cast<std::int64_t>(bits << unused) >> unused, MPFR_RNDN);
  } else {
    mpfr_set_ui(*value, bits << unused >> unused, MPFR_RNDN);
  }
  return ShadowNumber(std::move(value));
}

bool ShadowNumber::IsNan() const { return mpfr_nan_p(value_->get()) != 0; }
bool ShadowNumber::IsFinite() const { return mpfr_number_p(value_->get()) != 0; }
bool ShadowNumber::IsZero() const { return mpfr_zero_p(value_->get()) != 0; }
long ShadowNumber::Exponent() const { return static_cast<long>(mpfr_get_exp(value_->get())) - 1; }

ShadowNumber ShadowNumber::Negated() const {
  auto value = std::make_shared<Real>(mpfr_get_prec(value_->get()));
  mpfr_neg(*value, *value_, MPFR_RNDN);
  return ShadowNumber(std::move(value));
}

int ShadowNumber::Compare(const ShadowNumber& other) const {
  if (IsNan() || other.IsNan()) return 2;
  const int order = mpfr_cmp(*value_, *other.value_);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

bool ShadowNumber::TruncatesTo(const ShadowNumber& integer) const {
  if (!IsFinite()) return false;
  Real cut(mpfr_get_prec(value_->get()));
  mpfr_trunc(cut, *value_);
  return mpfr_equal_p(cut, *integer.value_) != 0;
}

Bits ShadowNumber::Rounded(Format format) const {
  return Round(PlaceOf(*value_, format), format, Rounding::kRte);
}

std::string ShadowNumber::Decimal(int digits) const {
  if (!IsFinite()) return IsNan() ? "nan" : mpfr_sgn(value_->get()) < 0 ? "-inf" : "inf";
  char* text = nullptr;
  mpfr_asprintf(&text, "%.*Rg", digits, value_->get());
  std::string decimal = text;
  mpfr_free_str(text);
  return decimal;
}

double ShadowNumber::ErrorInUlp(Format format, Bits bits) const {
  if (IsNan() || numerics::IsNan(format, bits)) {
    return IsNan() && numerics::IsNan(format, bits) ? 0 : std::numeric_limits<double>::quiet_NaN();
  }
  const Exact exact = PlaceOf(*value_, format);
  if (exact.kind == ResultKind::kInfinite) {
    return exact.below == bits ? 0 : std::numeric_limits<double>::infinity();
  }
  return UlpError(exact, format, bits);
}

double ShadowNumber::KeptBits(Format format, Bits bits) const {
  const double all = Traits(format).precision;
  if (IsNan()) return numerics::IsNan(format, bits) ? all : 0;
  if (!IsFinite() || !numerics::IsFinite(format, bits)) {
    return !IsFinite() && Rounded(format) == bits ? all : 0;
  }
  if (IsZero()) return numerics::IsZero(format, bits) ? all : 0;
  Real difference(64), number(64);
  SetBits(number, format, bits);
  mpfr_sub(difference, number, *value_, MPFR_RNDN);
  mpfr_div(difference, difference, *value_, MPFR_RNDN);
  mpfr_abs(difference, difference, MPFR_RNDN);
  if (mpfr_zero_p(difference.get()) != 0) return all;
  mpfr_log2(difference, difference, MPFR_RNDN);
  return std::clamp(0.0 - mpfr_get_d(difference, MPFR_RNDN), 0.0, all);
}

}  // namespace assay::numerics
