#include "oracle/judge/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "oracle/judge/ulp_distance.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::FunctionClass;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ResultKind;
using numerics::Rounding;
using numerics::ScalarType;

using numerics::kInfinity;

// A refusal is certain this far beyond the limit, in ulp: the fast path is good to 2^-22.
constexpr double kMargin = 0x1p-16;

FunctionClass ClassOf(const Operation& operation) {
  return operation.kind == OperationKind::kBuiltin ? numerics::Info(operation.function).cls
                                                   : FunctionClass::kOperator;
}

// |observed - v| where an ulp is not the unit of the limit.
double AbsoluteError(const Exact& exact, Format format, Bits observed) {
  const double gap = std::ldexp(
      1.0, numerics::GridExponent(format, exact.below) - numerics::Traits(format).mantissa_bits());
  const double below = numerics::ToDouble(format, exact.below);
  const double beyond = (numerics::IsNegative(format, exact.below) ? -gap : gap) * exact.fraction;
  double answer = numerics::ToDouble(format, observed);
  if (std::isinf(answer))
    answer = std::copysign(std::ldexp(1.0, numerics::Traits(format).emax), answer) * 2;
  return std::fabs((answer - below) - beyond);
}

// Half a subnormal spacing for each of the 2n - 1 operations of a dot product, n = 4 at most.
double UnderflowSlack(Format format) {
  return 3.5 * std::ldexp(1.0, numerics::Traits(format).tiny_exponent());
}

// Lies the value so far beyond the largest number that its error says nothing?
bool IsOverflow(const Exact& exact, Format format) {
  return exact.fraction >= 1 &&
         numerics::Magnitude(format, exact.below) == numerics::MaxFinite(format);
}

bool EqualIntegers(const Exact& exact, ScalarType type, Bits observed) {
  const Bits mask = numerics::WidthMask(type);
  if (exact.low_seven_bits) {
    const auto want = static_cast<std::int32_t>(exact.below);
    const auto have = static_cast<std::int64_t>(static_cast<std::int32_t>(observed));
    const bool same_sign = want == 0 || have == 0 || (want < 0) == (have < 0);
    return same_sign && (std::llabs(have) & 127) == std::llabs(want);
  }
  if ((observed & mask) == (exact.below & mask)) return true;
  return exact.has_alternative &&
         (observed & mask) == (static_cast<Bits>(std::int64_t{exact.alternative}) & mask);
}

}  // namespace

std::string_view RuleText(Rule rule) {
  switch (rule) {
    case Rule::kWithinLimit:
      return "within the limit";
    case Rule::kFlushedResult:
      return "subnormal result flushed to zero (7.5.3)";
    case Rule::kFlushedOperand:
      return "subnormal operand flushed to zero (7.5.3)";
    case Rule::kFlushedNextafter:
      return "nextafter without subnormals (7.5.3)";
    case Rule::kDerivation:
      return "another computation that the table or a build option allows";
    case Rule::kNotDeterministic:
      return "not deterministic: asked again, another answer that conforms";
    case Rule::kUnspecified:
      return "left open by the specification";
    case Rule::kOverLimit:
      return "error over the limit";
    case Rule::kWrongNan:
      return "NaN and number confused";
    case Rule::kWrongInfinity:
      return "wrong infinity";
    case Rule::kWrongZeroSign:
      return "wrong sign of zero";
    case Rule::kWrongPrescribed:
      return "a clause prescribes another value";
    case Rule::kWrongInteger:
      return "wrong integer result";
    case Rule::kNotWritten:
      return "not written";
  }
  return "";
}

JudgeOptions OptionsFor(const DeviceDescription& device, const Operation& operation,
                        Profile profile, MathMode math) {
  JudgeOptions options{.profile = profile, .math = math};
  // A conversion is governed by the floating-point types on either side, each for itself; half in
  // memory never flushes (6.1.1.2: vload_half and vstore_half keep subnormals).
  const auto declared = [&](ScalarType type) {
    return !numerics::IsFloating(type) ||
           device.denormals[static_cast<int>(numerics::FormatOf(type))];
  };
  const ScalarType result = operation.Outputs()[0].type;
  const ScalarType operand = operation.Inputs()[0].type;
  const bool load = operation.kind == OperationKind::kVloadHalf;
  const bool store = operation.kind == OperationKind::kVstoreHalf;
  options.denormals = load || declared(operand);
  options.result_denormals = load || store || declared(result);
  if (numerics::IsFloating(result)) {
    options.rounding = device.rounding[static_cast<int>(numerics::FormatOf(result))];
  }
  return options;
}

Judge::Judge(const Operation& operation, const Limit& limit, const JudgeOptions& options)
    : operation_(operation),
      limit_(&limit),
      options_(options),
      types_(operation.ResultTypes()),
      argument_types_(operation.ArgumentTypes()) {
  const FunctionClass cls = ClassOf(operation);
  // Operators and conversions round in the device's default mode, the built-in functions as if to
  // nearest (6.15.2, 9.2).  A device without that mode is not held to it: both are accepted.
  // So are a conversion's of SPIR-V without FPRoundingMode, which rounds to nearest (environment,
  // "Rounding Modes for Conversions").
  default_rounding_ = operation.suffix.value_or(options.rounding);
  const bool is_bare_conversion = operation.kind == OperationKind::kConvert && !operation.suffix &&
                                  options.reading == Reading::kEnvironment;
  rounding_ =
      cls == FunctionClass::kOperator && !is_bare_conversion ? default_rounding_ : Rounding::kRte;
  if (options.math == MathMode::kRelaxed) options_.build.SetFastRelaxedMath();
  const MathOptions& build = options_.build;
  unsafe_ = build.unsafe_math;
  finite_ = build.finite_math_only;
  edges_open_ = unsafe_ || finite_;
  suite_ = options.reading == Reading::kSuite;
  no_zero_signs_ = build.no_signed_zeros;
  is_lgamma_ = operation.kind == OperationKind::kBuiltin &&
               (operation.function == Function::lgamma || operation.function == Function::lgamma_r);
  // half_ functions may flush whatever the device declares (6.15.2).  Float and double flush under
  // -cl-denorms-are-zero, double only so; half in memory never (6.1.1.2).
  const bool anyway = unsafe_ || cls == FunctionClass::kHalf;
  const auto may_flush = [&](ScalarType type, bool denormals) {
    if (!numerics::IsFloating(type)) return false;
    const bool option =
        build.denorms_are_zero && (type == ScalarType::kFloat || type == ScalarType::kDouble);
    return option || ((anyway || !denormals) && type != ScalarType::kDouble);
  };
  may_flush_operands_ = may_flush(argument_types_[0], options.denormals) &&
                        operation.kind != OperationKind::kVloadHalf;
  may_flush_results_ = may_flush(types_[0], options.result_denormals.value_or(options.denormals)) &&
                       operation.kind != OperationKind::kVloadHalf &&
                       operation.kind != OperationKind::kVstoreHalf;
  anything_ = cls == FunctionClass::kNative;
  const LimitKind kind = KindOf(limit);
  constant_ = !unsafe_ && kind != LimitKind::kAbsolute && kind != LimitKind::kPiecewise;
  const std::array<Bits, numerics::kMaxArguments> zeros{};
  if (constant_) {
    tolerance_ = ToleranceAt(limit, operation, std::span(zeros).first(argument_types_.size()), 0);
  }
  const bool one_type = std::all_of(types_.begin(), types_.end(),
                                    [&](ScalarType type) { return type == types_.front(); });
  if (constant_ && tolerance_.kind == LimitKind::kUlp && one_type &&
      numerics::IsFloating(types_.front())) {
    const Format format = numerics::FormatOf(types_.front());
    near_mask_ = numerics::MagnitudeMask(format);
    near_end_ = numerics::MaxFinite(format);
    near_limit_ = tolerance_.ulp;
  }
}

Outcome Judge::JudgePlainly(std::span<const Bits> args, const Exact& exact, Bits observed,
                            int index) const {
  if (suite_) {
    if (const auto outcome = JudgeAsSuite(args, exact, observed, index)) return *outcome;
  }
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (exact.kind == ResultKind::kUnspecified || anything_) {
    const bool measurable = exact.kind == ResultKind::kFinite;
    return {Rule::kUnspecified,
            measurable ? Distance(exact, numerics::FormatOf(type), observed) : kNotApplicable};
  }
  if (exact.kind == ResultKind::kInteger) {
    return EqualIntegers(exact, type, observed) ? Outcome{Rule::kWithinLimit, kNotApplicable}
                                                : Outcome{Rule::kWrongInteger, kInfinity};
  }
  const Format format = numerics::FormatOf(type);
  const bool is_nan = numerics::IsNan(format, observed);
  const Tolerance tolerance =
      constant_ ? tolerance_ : ToleranceAt(*limit_, operation_, args, index);
  // lgamma has no accuracy limit, but C99 still wants NaN for NaN and infinity at its poles; what
  // the tables leave open altogether (geometric functions and mad, embedded) may be anything.
  const bool unbounded = tolerance.kind == LimitKind::kUnbounded && !exact.prescribed;
  const bool open = unbounded && (unsafe_ || !is_lgamma_);
  if (exact.kind == ResultKind::kNan) {
    if (is_nan) return {Rule::kWithinLimit, kNotApplicable};
    if (edges_open_ || open) return {Rule::kUnspecified, kNotApplicable};
    return {Rule::kWrongNan, kInfinity};
  }
  if (exact.kind == ResultKind::kInfinite) {
    if (observed == exact.below) return {Rule::kWithinLimit, 0};
    if (edges_open_ || open) return {Rule::kUnspecified, kNotApplicable};
    return {is_nan ? Rule::kWrongNan : Rule::kWrongInfinity, kInfinity};
  }
  // OpenCL C says "Undefined" of lgamma where the environment says "Implementation-defined": a NaN
  // is no error of any size, but it is an undefined value.
  const bool undefined = unbounded && is_lgamma_ && options_.reading == Reading::kOpenClC;
  if (open || undefined)
    return {Rule::kUnspecified, is_nan ? kNotApplicable : Distance(exact, format, observed)};
  if (is_nan) return {Rule::kWrongNan, kInfinity};
  return JudgeNumber(exact, tolerance, format, observed);
}

Outcome Judge::JudgeNumber(const Exact& exact, const Tolerance& tolerance, Format format,
                           Bits observed) const {
  // -cl-finite-math-only: an infinite result is undefined.
  if (finite_ && numerics::IsInfinite(format, Round(exact, format, Rounding::kRte))) {
    return {Rule::kUnspecified, kNotApplicable};
  }
  // Overflow in a directed mode gives the largest number, however far the exact value lies beyond.
  const bool overflows = IsOverflow(exact, format);
  if (overflows && !exact.prescribed && IsRounded(exact, format, observed)) {
    return {Rule::kWithinLimit, 0};
  }
  const double ulp = Distance(exact, format, observed);
  const bool both_zero = numerics::IsZero(format, observed) &&
                         numerics::IsZero(format, exact.below) && exact.fraction == 0;
  if (both_zero) {
    // An exact zero has a sign that IEEE 754, Annex F or 7.5.1 prescribes, but where it says not;
    // a tolerance around zero has zeros of both signs in it.
    const bool in_tolerance = tolerance.kind == LimitKind::kAbsolute && !exact.prescribed;
    const bool sign_matters = !exact.any_zero_sign && !no_zero_signs_ && !suite_ && !in_tolerance;
    return {IsRounded(exact, format, observed) || !sign_matters ? Rule::kWithinLimit
                                                                : Rule::kWrongZeroSign,
            0};
  }
  if (exact.prescribed && !unsafe_ && !suite_) {
    return {observed == exact.below ? Rule::kWithinLimit : Rule::kWrongPrescribed, ulp};
  }
  switch (tolerance.kind) {
    case LimitKind::kCorrectlyRounded:
    case LimitKind::kExact:
    case LimitKind::kOneOf: {
      if (IsRounded(exact, format, observed)) return {Rule::kWithinLimit, ulp};
      const Bits expected = Round(exact, format, rounding_);
      const bool only_sign =
          numerics::IsZero(format, observed) && numerics::IsZero(format, expected);
      if (only_sign && (no_zero_signs_ || suite_)) return {Rule::kWithinLimit, ulp};
      return {only_sign ? Rule::kWrongZeroSign : Rule::kOverLimit, ulp};
    }
    case LimitKind::kAbsolute:
      // No tolerance is tighter than the format: each operation may underflow to its grid, and
      // the correctly rounded result conforms however small max * max is.
      return {
          AbsoluteError(exact, format, observed) <= tolerance.absolute + UnderflowSlack(format) ||
                  IsRounded(exact, format, observed)
              ? Rule::kWithinLimit
              : Rule::kOverLimit,
          ulp};
    case LimitKind::kUnbounded:
      return {Rule::kUnspecified, ulp};
    case LimitKind::kUlp:
    case LimitKind::kDerivedOrUlp:
    case LimitKind::kPiecewise:
      break;
  }
  return {ulp <= tolerance.ulp ? Rule::kWithinLimit : Rule::kOverLimit, ulp};
}

bool Judge::IsRounded(const Exact& exact, Format format, Bits observed) const {
  return observed == Round(exact, format, rounding_) ||
         observed == Round(exact, format, default_rounding_);
}

Bits Judge::Expected(const Exact& exact, int index) const {
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (!numerics::IsFloating(type)) {
    return exact.below & numerics::WidthMask(type);
  }
  return Round(exact, numerics::FormatOf(type), rounding_);
}

bool Judge::AllowsOtherComputations() const {
  const LimitKind kind = KindOf(*limit_);
  const bool by_formula =
      operation_.kind == OperationKind::kBuiltin &&
      (operation_.function == Function::mix || operation_.function == Function::smoothstep);
  return kind == LimitKind::kOneOf || kind == LimitKind::kDerivedOrUlp || by_formula;
}

// The last number, from the correctly rounded one on in one direction, that is accepted. Tolerances
// are intervals, so that doubling steps and bisection find it.
Bits Judge::LastAccepted(std::span<const Bits> args, const Exact& exact, int index,
                         bool upward) const {
  const Format format = numerics::FormatOf(types_[static_cast<std::size_t>(index)]);
  const auto accepts = [&](Bits bits) {
    return Accepts(JudgePlainly(args, exact, bits, index).rule);
  };
  // Steps are unsigned: from one infinity of double to the other there are more than 2^63.
  const std::int64_t center = numerics::OrderedIndex(format, Expected(exact, index));
  const auto number = [&](std::uint64_t steps) {
    const auto from = static_cast<std::uint64_t>(center);
    return numerics::FromOrderedIndex(
        format, static_cast<std::int64_t>(upward ? from + steps : from - steps));
  };
  const auto good = [&](std::uint64_t steps) {
    const Bits bits = number(steps);
    return accepts(bits) ||
           (numerics::IsZero(format, bits) && accepts(numerics::Negate(format, bits)));
  };
  const Bits infinity = numerics::Infinity(format);
  const std::uint64_t room = upward ? infinity - static_cast<std::uint64_t>(center)
                                    : infinity + static_cast<std::uint64_t>(center);
  std::uint64_t inside = 0, outside = room + 1;  // steps from the center
  for (std::uint64_t step = 1; inside < room; step = step <= room / 2 ? 2 * step : room) {
    if (!good(step)) {
      outside = step;
      break;
    }
    inside = step;
  }
  while (outside - inside > 1) {
    const std::uint64_t middle = inside + (outside - inside) / 2;
    (good(middle) ? inside : outside) = middle;
  }
  const Bits last = number(inside);
  if (!numerics::IsZero(format, last)) return last;
  const Bits outer = upward ? 0 : numerics::SignMask(format);
  return accepts(outer) ? outer : numerics::Negate(format, outer);
}

Accepted Judge::AcceptedAnswers(std::span<const Bits> args, std::span<const Exact> all,
                                int index) const {
  const Exact& exact = all[static_cast<std::size_t>(index)];
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  const bool open = edges_open_ && AnyOperandNotFinite(args);
  if (exact.kind == ResultKind::kUnspecified || anything_ || open) {
    return {.kind = Accepted::Kind::kAnything};
  }
  if (exact.kind == ResultKind::kInteger) {
    const Bits mask = numerics::WidthMask(type);
    const Bits value = exact.below & mask;
    if (exact.low_seven_bits) return {Accepted::Kind::kLowSevenBits, value, value};
    const auto other = static_cast<Bits>(std::int64_t{exact.alternative}) & mask;
    return {Accepted::Kind::kIntegers, value, exact.has_alternative ? other : value};
  }
  const Format format = numerics::FormatOf(type);
  // An answer that is accepted for a reason other than its distance is accepted at any distance.
  const Bits wrong = exact.kind == ResultKind::kNan ? 0 : numerics::QuietNan(format);
  if (Accepts(JudgePlainly(args, exact, wrong, index).rule)) {
    return {.kind = Accepted::Kind::kAnything};
  }
  if (exact.kind == ResultKind::kNan) return {.kind = Accepted::Kind::kNan};
  if (exact.kind == ResultKind::kInfinite) {
    return {Accepted::Kind::kRange, exact.below, exact.below};
  }
  Accepted range{Accepted::Kind::kRange, LastAccepted(args, exact, index, false),
                 LastAccepted(args, exact, index, true)};
  const Bits expected = Expected(exact, index);
  const bool one_zero =
      numerics::IsZero(format, expected) &&
      !Accepts(JudgePlainly(args, exact, numerics::Negate(format, expected), index).rule);
  if (one_zero) (numerics::IsNegative(format, expected) ? range.high : range.low) = expected;
  return range;
}

bool Judge::AcceptAnyOther(const Exact& exact, Bits observed, int index, double* ulp) const {
  if (!constant_) return false;
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (!numerics::IsFloating(type)) {
    *ulp = kNotApplicable;
    return exact.kind == ResultKind::kInteger && EqualIntegers(exact, type, observed);
  }
  const Format format = numerics::FormatOf(type);
  if (exact.kind == ResultKind::kNan) {
    *ulp = kNotApplicable;
    return numerics::IsNan(format, observed);
  }
  if (exact.kind != ResultKind::kFinite || numerics::IsNan(format, observed)) return false;
  if (IsOverflow(exact, format)) {
    // The rounded value is right, and how far the exact one lies beyond says nothing (JudgeNumber).
    const bool open = anything_ || finite_ || tolerance_.kind == LimitKind::kUnbounded;
    *ulp = 0;
    return !open && !suite_ && !exact.prescribed && observed == Round(exact, format, rounding_);
  }
  *ulp = Distance(exact, format, observed);
  if (tolerance_.kind == LimitKind::kUlp && !exact.prescribed && exact.fraction != 0) {
    return *ulp <= tolerance_.ulp;
  }
  if (exact.fraction == 0) return observed == exact.below;
  const bool wants_rounded =
      tolerance_.kind == LimitKind::kCorrectlyRounded || tolerance_.kind == LimitKind::kOneOf;
  return wants_rounded && observed == Round(exact, format, rounding_);
}

Outcome Judge::Item(std::span<const Bits> args, std::span<const Exact> exact,
                    std::span<const Bits> observed, int index) const {
  const auto at = static_cast<std::size_t>(index);
  const Outcome outcome = JudgePlainly(args, exact[at], observed[at], index);
  if (Accepts(outcome.rule)) return outcome;
  if (IsClear(outcome, exact[at], index))
    return SecondThoughts(args, exact[at], observed[at], index, outcome);
  // Uses MPFR and not the fast path: a verdict at the limit must not depend on the last digits of
  // the fast path.
  std::array<Exact, numerics::kMaxResults> truth;
  EvaluateExact(operation_, args, std::span(truth).first(types_.size()));
  const Outcome sharp = JudgePlainly(args, truth[at], observed[at], index);
  return Accepts(sharp.rule) ? sharp : SecondThoughts(args, truth[at], observed[at], index, sharp);
}

std::optional<double> Judge::RefusedFrom() const {
  if (!ConstantLimit() || AllowsFlushing() || AllowsOtherComputations() || no_zero_signs_) {
    return std::nullopt;
  }
  return near_limit_ + kMargin;
}

// Would the refusal stand if the fraction of the exact value were off by what the fast path may be?
// All else of an exact value is certain (exact.h).
bool Judge::IsClear(const Outcome& refused, const Exact& exact, int index) const {
  if (refused.rule != Rule::kOverLimit) return true;
  // Of a value far beyond the largest number the fast path says "at least" (fast_path.h).
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (!constant_ || IsOverflow(exact, numerics::FormatOf(type))) return false;
  const LimitKind kind = tolerance_.kind;
  if (kind == LimitKind::kUlp) return refused.ulp > tolerance_.ulp + kMargin;
  return kind == LimitKind::kCorrectlyRounded || kind == LimitKind::kExact;
}

}  // namespace assay::oracle
