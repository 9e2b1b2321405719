#include "oracle/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "numerics/evaluate.h"
#include "oracle/ulp_distance.h"

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

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotApplicable = std::numeric_limits<double>::quiet_NaN();

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
  const Bits mask =
      numerics::WidthOf(type) == 64 ? ~Bits{0} : (Bits{1} << numerics::WidthOf(type)) - 1;
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
      return "another computation that the table allows";
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
  default_rounding_ = operation.suffix.value_or(options.rounding);
  rounding_ = cls == FunctionClass::kOperator ? default_rounding_ : Rounding::kRte;
  relaxed_ = options.math == MathMode::kRelaxed;
  // half_ functions may flush whatever the device declares (6.15.2).  Doubles flush only under
  // -cl-denorms-are-zero, which unsafe math includes; half in memory never (6.1.1.2).
  const bool anyway = relaxed_ || cls == FunctionClass::kHalf;
  const auto may_flush = [&](ScalarType type, bool denormals) {
    return numerics::IsFloating(type) && (anyway || !denormals) &&
           (type != ScalarType::kDouble || relaxed_);
  };
  may_flush_operands_ = may_flush(argument_types_[0], options.denormals) &&
                        operation.kind != OperationKind::kVloadHalf;
  may_flush_results_ = may_flush(types_[0], options.result_denormals.value_or(options.denormals)) &&
                       operation.kind != OperationKind::kVloadHalf &&
                       operation.kind != OperationKind::kVstoreHalf;
  anything_ = cls == FunctionClass::kNative;
  const LimitKind kind = KindOf(limit);
  constant_ = !relaxed_ && kind != LimitKind::kAbsolute && kind != LimitKind::kPiecewise;
  const std::array<Bits, numerics::kMaxArguments> zeros{};
  if (constant_) {
    tolerance_ = ToleranceAt(limit, operation, std::span(zeros).first(argument_types_.size()), 0);
  }
  const bool divide_or_sqrt =
      operation.kind == OperationKind::kBuiltin &&
      (operation.function == Function::div || operation.function == Function::recip_div ||
       operation.function == Function::sqrt);
  if (options.correctly_rounded_divide_sqrt && divide_or_sqrt &&
      operation.format == Format::kFloat) {
    constant_ = true;
    tolerance_ = {.kind = LimitKind::kCorrectlyRounded, .ulp = 0.5};
  }
}

Outcome Judge::JudgePlainly(std::span<const Bits> args, const Exact& exact, Bits observed,
                            int index) const {
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
  const bool keeps_classes =
      operation_.kind == OperationKind::kBuiltin &&
      (operation_.function == Function::lgamma || operation_.function == Function::lgamma_r);
  const bool open =
      tolerance.kind == LimitKind::kUnbounded && !exact.prescribed && (relaxed_ || !keeps_classes);
  if (exact.kind == ResultKind::kNan) {
    if (is_nan) return {Rule::kWithinLimit, kNotApplicable};
    if (relaxed_ || open) return {Rule::kUnspecified, kNotApplicable};
    return {Rule::kWrongNan, kInfinity};
  }
  if (exact.kind == ResultKind::kInfinite) {
    if (observed == exact.below) return {Rule::kWithinLimit, 0};
    if (relaxed_ || open) return {Rule::kUnspecified, kNotApplicable};
    return {is_nan ? Rule::kWrongNan : Rule::kWrongInfinity, kInfinity};
  }
  if (open)
    return {Rule::kUnspecified, is_nan ? kNotApplicable : Distance(exact, format, observed)};
  if (is_nan) return {Rule::kWrongNan, kInfinity};
  return JudgeNumber(exact, tolerance, format, observed);
}

Outcome Judge::JudgeNumber(const Exact& exact, const Tolerance& tolerance, Format format,
                           Bits observed) const {
  // -cl-finite-math-only: an infinite result is undefined.
  if (relaxed_ && numerics::IsInfinite(format, Round(exact, format, Rounding::kRte))) {
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
    const bool sign_matters = !exact.any_zero_sign && !relaxed_ && !in_tolerance;
    return {IsRounded(exact, format, observed) || !sign_matters ? Rule::kWithinLimit
                                                                : Rule::kWrongZeroSign,
            0};
  }
  if (exact.prescribed && !relaxed_) {
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
      if (only_sign && relaxed_) return {Rule::kWithinLimit, ulp};
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
    return exact.below & (~Bits{0} >> (64 - numerics::WidthOf(type)));
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
  const bool open = relaxed_ && AnyOperandNotFinite(args);
  if (exact.kind == ResultKind::kUnspecified || anything_ || open) {
    return {.kind = Accepted::Kind::kAnything};
  }
  if (exact.kind == ResultKind::kInteger) {
    const Bits mask = ~Bits{0} >> (64 - numerics::WidthOf(type));
    const Bits value = exact.below & mask;
    if (exact.low_seven_bits) return {Accepted::Kind::kLowSevenBits, value, value};
    const auto other = static_cast<Bits>(std::int64_t{exact.alternative}) & mask;
    return {Accepted::Kind::kIntegers, value, exact.has_alternative ? other : value};
  }
  const Format format = numerics::FormatOf(type);
  // What is accepted for a reason that is not the distance is accepted wherever it lies.
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

bool Judge::QuickAccept(const Exact& exact, Bits observed, int index, double* ulp) const {
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
  if (IsOverflow(exact, format)) return false;
  *ulp = Distance(exact, format, observed);
  if (tolerance_.kind == LimitKind::kUlp && !exact.prescribed && exact.fraction != 0) {
    return *ulp <= tolerance_.ulp;
  }
  return exact.fraction == 0 ? observed == exact.below
                             : tolerance_.kind == LimitKind::kCorrectlyRounded &&
                                   observed == Round(exact, format, rounding_);
}

Outcome Judge::Item(std::span<const Bits> args, std::span<const Exact> exact,
                    std::span<const Bits> observed, int index) const {
  const auto at = static_cast<std::size_t>(index);
  const Outcome outcome = JudgePlainly(args, exact[at], observed[at], index);
  if (Accepts(outcome.rule)) return outcome;
  if (IsClear(outcome, exact[at], index))
    return SecondThoughts(args, exact[at], observed[at], index, outcome);
  // The truth, not the fast path: a verdict at the very limit must not hang on its last digits.
  std::array<Exact, numerics::kMaxResults> truth;
  EvaluateExact(operation_, args, std::span(truth).first(types_.size()));
  const Outcome sharp = JudgePlainly(args, truth[at], observed[at], index);
  return Accepts(sharp.rule) ? sharp : SecondThoughts(args, truth[at], observed[at], index, sharp);
}

// Would the refusal stand if the fraction of the exact value were off by what the fast path may be?
// All else of an exact value is certain (exact.h).
bool Judge::IsClear(const Outcome& refused, const Exact& exact, int index) const {
  constexpr double kMargin = 0x1p-16;  // of an ulp; the fast path is good to 2^-22
  if (refused.rule != Rule::kOverLimit) return true;
  // Of a value far beyond the largest number the fast path says "at least" (fast_path.h).
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (!constant_ || IsOverflow(exact, numerics::FormatOf(type))) return false;
  switch (tolerance_.kind) {
    case LimitKind::kCorrectlyRounded:
    case LimitKind::kExact:
      return true;
    case LimitKind::kUlp:
      return refused.ulp > tolerance_.ulp + kMargin;
    default:
      return false;
  }
}

// Refused by the plain rule: every allowance that the chapter grants is tried.
Outcome Judge::SecondThoughts(std::span<const Bits> args, const Exact& truth, Bits observed,
                              int index, const Outcome& refused) const {
  if (IsDerivation(args, observed, index)) return {Rule::kDerivation, refused.ulp};
  if (IsDefinition(args, observed)) return {Rule::kDerivation, refused.ulp};
  if (relaxed_ && AnyOperandNotFinite(args)) return {Rule::kUnspecified, kNotApplicable};
  if (may_flush_operands_ && IsFlushedNextafter(args, observed)) {
    return {Rule::kFlushedNextafter, refused.ulp};
  }
  if (IsExemptFromFlushing(truth)) return refused;
  if (may_flush_results_ &&
      (IsFlushedResult(truth, args, observed, index) || IsFlushedProduct(args, observed))) {
    return {Rule::kFlushedResult, refused.ulp};
  }
  if (may_flush_operands_ && IsFlushedOperand(args, observed, index)) {
    return {Rule::kFlushedOperand, refused.ulp};
  }
  return refused;
}

// 7.5: "The usual allowances for rounding error or flushing behavior shall not apply for those
// values for which" F.9 or 7.5.1 "prescribe a result (e.g. ceil(-1 < x < 0) returns -0)."  What is
// prescribed of nextafter at equal operands stands elsewhere (C99 7.12.11.3).
bool Judge::IsExemptFromFlushing(const Exact& exact) const {
  return exact.prescribed && !relaxed_ &&
         !(operation_.kind == OperationKind::kBuiltin &&
           operation_.function == Function::nextafter);
}

bool Judge::IsDerivation(std::span<const Bits> args, Bits observed, int index) const {
  const LimitKind kind = KindOf(*limit_);
  if (kind != LimitKind::kOneOf && kind != LimitKind::kDerivedOrUlp) return false;
  return AllowedByDerivation(*limit_, operation_, options_.profile, args, index, observed,
                             rounding_) ||
         (default_rounding_ != rounding_ &&
          AllowedByDerivation(*limit_, operation_, options_.profile, args, index, observed,
                              default_rounding_));
}

// 7.5.3 inside a * b + c: a product that is subnormal before rounding may be flushed, which leaves
// the addend.
bool Judge::IsFlushedProduct(std::span<const Bits> args, Bits observed) const {
  if (KindOf(*limit_) != LimitKind::kOneOf || args.size() != 3) return false;
  std::array<Exact, 1> product;
  const Format f = operation_.format;
  EvaluateExact(Operation::Builtin(Function::mul, f), args.first(2), product);
  return IsSubnormalBeforeRounding(product[0], f) &&
         (observed == args[2] || (numerics::IsZero(f, observed) && numerics::IsZero(f, args[2])));
}

// mix and smoothstep are "implemented as" a formula (6.15.4): what the formula gives in the
// format's own arithmetic conforms, its overflows and rounding errors at large operands included.
bool Judge::IsDefinition(std::span<const Bits> args, Bits observed) const {
  if (operation_.kind != OperationKind::kBuiltin) return false;
  const Format f = operation_.format;
  const auto apply = [&](Function function, std::initializer_list<Bits> operands) {
    std::array<Exact, 1> exact;
    EvaluateExact(Operation::Builtin(function, f), std::vector<Bits>(operands), exact);
    return Round(exact[0], f, rounding_);
  };
  const auto equal = [&](Bits result) {
    return observed == result || (numerics::IsNan(f, observed) && numerics::IsNan(f, result));
  };
  if (operation_.function == Function::mix) {
    const Bits x = args[0], a = args[2];
    const Bits difference = apply(Function::sub, {args[1], x});
    return equal(apply(Function::add, {x, apply(Function::mul, {difference, a})})) ||
           equal(apply(Function::fma, {difference, a, x}));
  }
  if (operation_.function == Function::smoothstep) {
    const Bits one = numerics::One(f);
    const Bits two = one + numerics::MinNormal(f), three = two + numerics::MinNormal(f) / 2;
    const Bits quotient = apply(Function::div, {apply(Function::sub, {args[2], args[0]}),
                                                apply(Function::sub, {args[1], args[0]})});
    const Bits t = apply(Function::fmin, {apply(Function::fmax, {quotient, 0}), one});
    const Bits square = apply(Function::mul, {t, t});
    return equal(apply(Function::mul,
                       {square, apply(Function::sub, {three, apply(Function::mul, {two, t})})}));
  }
  return false;
}

bool Judge::AnyOperandNotFinite(std::span<const Bits> args) const {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (numerics::IsFloating(argument_types_[i]) &&
        !numerics::IsFinite(numerics::FormatOf(argument_types_[i]), args[i])) {
      return true;
    }
  }
  return false;
}

// 7.5.3 (2): a conforming result that is subnormal before rounding may become a zero of any sign.
// A result within the limit of a subnormal one counts: some conforming answer is subnormal.
bool Judge::IsFlushedResult(const Exact& exact, std::span<const Bits> args, Bits observed,
                            int index) const {
  const ScalarType type = types_[static_cast<std::size_t>(index)];
  if (!numerics::IsFloating(type) || !may_flush_results_) return false;
  const Format format = numerics::FormatOf(type);
  if (!numerics::IsZero(format, observed) || exact.kind != ResultKind::kFinite ||
      exact.prescribed) {
    return false;
  }
  if (IsSubnormalBeforeRounding(exact, format)) return true;
  const Tolerance tolerance =
      constant_ ? tolerance_ : ToleranceAt(*limit_, operation_, args, index);
  const Bits magnitude = numerics::Magnitude(format, exact.below);
  return tolerance.kind == LimitKind::kUlp && magnitude >= numerics::MinNormal(format) &&
         static_cast<double>(magnitude - numerics::MinNormal(format)) + exact.fraction <
             tolerance.ulp;
}

// 7.5.3: nextafter on a grid without subnormals.
bool Judge::IsFlushedNextafter(std::span<const Bits> args, Bits observed) const {
  if (operation_.kind != OperationKind::kBuiltin || operation_.function != Function::nextafter) {
    return false;
  }
  const Format f = operation_.format;
  const Bits x = args[0], y = args[1], normal = numerics::MinNormal(f);
  if (numerics::IsNan(f, y) || numerics::IsNan(f, x)) return false;
  const std::int64_t to = numerics::OrderedIndex(f, y);
  const auto step = static_cast<std::int64_t>(normal);
  if (x == normal && to < step) return observed == 0;
  if (x == numerics::Negate(f, normal) && to > -step) return observed == numerics::SignMask(f);
  if (!numerics::IsZero(f, x) && !numerics::IsSubnormal(f, x)) return false;
  if (to > 0) return observed == normal;
  if (to < 0) return observed == numerics::Negate(f, normal);
  return false;
}

// 7.5.3 (3) and (4): conforming for some non-empty set of subnormal operands taken as zeros of
// some sign, with a subnormal result flushed or not.
bool Judge::IsFlushedOperand(std::span<const Bits> args, Bits observed, int index) const {
  std::array<std::size_t, numerics::kMaxArguments> subnormal{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (numerics::IsFloating(argument_types_[i]) &&
        numerics::IsSubnormal(numerics::FormatOf(argument_types_[i]), args[i])) {
      subnormal[count++] = i;
    }
  }
  std::size_t choices = 1;  // kept, +0 or -0 for each
  for (std::size_t i = 0; i < count; ++i) choices *= 3;
  std::array<Bits, numerics::kMaxArguments> flushed{};
  std::array<Exact, numerics::kMaxResults> exact;
  for (std::size_t choice = 1; choice < choices; ++choice) {
    std::copy(args.begin(), args.end(), flushed.begin());
    std::size_t digits = choice;
    for (std::size_t i = 0; i < count; ++i, digits /= 3) {
      const Format f = numerics::FormatOf(argument_types_[subnormal[i]]);
      if (digits % 3 != 0) flushed[subnormal[i]] = digits % 3 == 1 ? 0 : numerics::SignMask(f);
    }
    const auto operands = std::span<const Bits>(flushed).first(args.size());
    EvaluateExact(operation_, operands, std::span(exact).first(types_.size()));
    Exact& truth = exact[static_cast<std::size_t>(index)];
    truth.any_zero_sign = true;
    if (Accepts(JudgePlainly(operands, truth, observed, index).rule) ||
        IsFlushedResult(truth, operands, observed, index) ||
        IsDerivation(operands, observed, index)) {
      return true;
    }
  }
  return false;
}

}  // namespace assay::oracle
