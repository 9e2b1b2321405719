// Decides whether one answer conforms: the rules of the numerical compliance chapter, applied to
// bits.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "numerics/exact.h"
#include "numerics/operation.h"
#include "oracle/judge/device_description.h"
#include "oracle/judge/limits.h"
#include "oracle/judge/math_options.h"
#include "oracle/judge/reading.h"

namespace assay::oracle {

// Why an answer was accepted or refused; reports print RuleText.
enum class Rule : std::uint8_t {
  kWithinLimit,       // the error is within the table's limit
  kFlushedResult,     // 7.5.3 (2): a result subnormal before rounding, flushed
  kFlushedOperand,    // 7.5.3 (3), (4): as if subnormal operands were flushed
  kFlushedNextafter,  // 7.5.3: the alternative nextafter results
  kDerivation,        // another computation that the table allows (mad, unsafe math)
  kNotDeterministic,  // asked twice, and both answers conform
  kUnspecified,       // the specification leaves the value open
  kOverLimit,         // refused: the error exceeds the limit
  kWrongNan,          // refused: a number where NaN is due, or NaN where a number is
  kWrongInfinity,     // refused: an infinity of the wrong sign, or a number for an exact infinity
  kWrongZeroSign,     // refused: the sign of a zero that is prescribed or exact
  kWrongPrescribed,   // refused: a clause prescribes another value
  kWrongInteger,      // refused: an integer result
  kNotWritten,        // refused: the content from before the request
};
inline constexpr Rule kLastRule = Rule::kNotWritten;
constexpr bool Accepts(Rule rule) { return rule <= Rule::kUnspecified; }
std::string_view RuleText(Rule rule);

// The error where no ulp applies.
inline constexpr double kNotApplicable = std::numeric_limits<double>::quiet_NaN();

struct Outcome {
  Rule rule = Rule::kWithinLimit;
  // The error in ulp of the answer as given; under kFlushed* and kDerivation still measured against
  // the unflushed exact value but not counted in statistics.  kNotApplicable of NaN and integer
  // results and of unspecified values; +infinity for a wrong class.
  double ulp = 0;
};

struct JudgeOptions {
  Profile profile = Profile::kFull;
  MathMode math = MathMode::kDefault;
  numerics::Rounding rounding = numerics::Rounding::kRte;  // the device's default mode
  bool denormals = true;  // false: 7.5.3 applies to the operation's format (its operands)
  // Of the result, where its format is another one (conversions).
  std::optional<bool> result_denormals = std::nullopt;
  // The effect of the build options; kRelaxed has -cl-fast-relaxed-math without them.
  MathOptions build{};
  Reading reading = Reading::kEnvironment;
};
JudgeOptions OptionsFor(const DeviceDescription& device, const numerics::Operation& operation,
                        Profile profile, MathMode math);

// The answers to one item that conform without any allowance: flushing (7.5.3) and other
// computations that the table permits may add more.
struct Accepted {
  enum class Kind : std::uint8_t {
    kNoLimit,       // the operation does not exist there
    kAnything,      // the specification leaves the answer open
    kNan,           // any NaN
    kRange,         // low to high, both included, in the order -inf .. -0, +0 .. +inf
    kIntegers,      // low or high
    kLowSevenBits,  // integers with the sign of low and its magnitude's low seven bits (remquo)
  };
  Kind kind = Kind::kNoLimit;
  numerics::Bits low = 0, high = 0;
  bool operator==(const Accepted&) const = default;
};

class Judge {
 public:
  // `limit` must be the limit of `operation`.
  Judge(const numerics::Operation& operation, const Limit& limit, const JudgeOptions& options);

  // `exact`, `observed`: all results of one item.  Judges result `index`.
  Outcome Item(std::span<const numerics::Bits> args, std::span<const numerics::Exact> exact,
               std::span<const numerics::Bits> observed, int index) const;

  // The common case, quickly: true only where Item would answer kWithinLimit with this ulp.
  bool QuickAccept(const numerics::Exact& exact, numerics::Bits observed, int index,
                   double* ulp) const {
    // Most answers are one of the exact value's two neighbours, and nearly all of those the nearer:
    // their difference is exact.  Which of the two cannot be foretold, so there is one branch.
    const numerics::Bits step = observed - exact.below;
    const bool nearer = (step == 0) | ((step == 1) & (exact.fraction >= 0.5));
    const double error =
        std::fabs(static_cast<double>(static_cast<int>(step & 1)) - exact.fraction);
    if (nearer & (exact.kind == numerics::ResultKind::kFinite) & !exact.prescribed &
        ((exact.below & near_mask_) < near_end_) & (error <= near_limit_)) {
      *ulp = error;
      return true;
    }
    return AcceptAnyOther(exact, observed, index, ulp);
  }

  // Every answer that Item accepts as kWithinLimit or kUnspecified.  `exact` of all results, from
  // EvaluateExact (the fast path's fractions are not sharp enough).  Where an exact zero must have
  // one sign, numbers of the other sign are left out, however small: they are no range with that
  // zero.
  Accepted AcceptedAnswers(std::span<const numerics::Bits> args,
                           std::span<const numerics::Exact> exact, int index) const;

  // May other answers conform: another computation that the table allows; a subnormal result or
  // operand taken as zero?
  bool AllowsOtherComputations() const;
  bool AllowsFlushing() const { return may_flush_operands_ || may_flush_results_; }

  // The limit where it is the same number of ulp for all operands, and all results are of one
  // floating type.
  std::optional<double> ConstantLimit() const {
    return near_end_ == 0 ? std::nullopt : std::optional(near_limit_);
  }

  // An error from which every finite answer is refused as kOverLimit, to finite operands with a
  // normal exact value that no clause prescribes, between two numbers of the format.  Nothing where
  // the limit is no constant one, or an allowance may accept more.
  std::optional<double> RefusedFrom() const;

  // Whether any finite answer is accepted as kUnspecified, with its error, where the exact value is
  // a number between two of the format and no clause prescribes one (lgamma, native_ functions).
  bool AcceptsAnyNumber() const {
    return numerics::IsFloating(types_.front()) &&
           (anything_ || (constant_ && tolerance_.kind == LimitKind::kUnbounded));
  }

  // Is the infinity that is nearest to a value beyond every number accepted, as no error?
  bool AcceptsRoundedOverflow() const {
    const bool has_limit = tolerance_.kind == LimitKind::kUlp ||
                           tolerance_.kind == LimitKind::kCorrectlyRounded ||
                           tolerance_.kind == LimitKind::kOneOf;
    return constant_ && has_limit && !anything_ && !finite_ && !suite_ &&
           rounding_ == numerics::Rounding::kRte;
  }

  // The answer of a correctly rounding device.
  numerics::Bits Expected(const numerics::Exact& exact, int index) const;

  const numerics::Operation& operation() const { return operation_; }
  const Limit& limit() const { return *limit_; }
  const JudgeOptions& options() const { return options_; }

 private:
  bool AcceptAnyOther(const numerics::Exact& exact, numerics::Bits observed, int index,
                      double* ulp) const;
  Outcome JudgePlainly(std::span<const numerics::Bits> args, const numerics::Exact& exact,
                       numerics::Bits observed, int index) const;
  numerics::Bits LastAccepted(std::span<const numerics::Bits> args, const numerics::Exact& exact,
                              int index, bool upward) const;
  Outcome JudgeNumber(const numerics::Exact& exact, const Tolerance& tolerance,
                      numerics::Format format, numerics::Bits observed) const;
  bool IsClear(const Outcome& refused, const numerics::Exact& exact, int index) const;
  Outcome SecondThoughts(std::span<const numerics::Bits> args, const numerics::Exact& truth,
                         numerics::Bits observed, int index, const Outcome& refused) const;
  bool IsDerivation(std::span<const numerics::Bits> args, numerics::Bits observed, int index) const;
  bool IsFlushedProduct(std::span<const numerics::Bits> args, numerics::Bits observed) const;
  bool IsRounded(const numerics::Exact& exact, numerics::Format format,
                 numerics::Bits observed) const;
  bool IsExemptFromFlushing(const numerics::Exact& exact) const;
  bool IsDefinition(std::span<const numerics::Bits> args, numerics::Bits observed) const;
  bool AnyOperandNotFinite(std::span<const numerics::Bits> args) const;
  bool IsNextafter() const;
  bool IsFlushedResult(const numerics::Exact& exact, std::span<const numerics::Bits> args,
                       numerics::Bits observed, int index) const;
  bool IsFlushedNextafter(std::span<const numerics::Bits> args, numerics::Bits observed) const;
  enum class Alter : std::uint8_t { kZeroSigns, kSubnormalsAndZeroSigns };
  std::span<const numerics::Bits> TakenFor(std::size_t operand, numerics::Bits bits, Alter alter,
                                           std::array<numerics::Bits, 2>* values) const;
  bool ConformsForOtherOperands(std::span<const numerics::Bits> args, numerics::Bits observed,
                                int index, Alter alter) const;
  // verdict_suite.cc: the differences between the suite and the texts.
  std::optional<Outcome> JudgeAsSuite(std::span<const numerics::Bits> args,
                                      const numerics::Exact& exact, numerics::Bits observed,
                                      int index) const;

  numerics::Operation operation_;
  const Limit* limit_;
  JudgeOptions options_;
  std::vector<numerics::ScalarType> types_;           // of the results, component by component
  std::vector<numerics::ScalarType> argument_types_;  // likewise of the operands
  numerics::Rounding rounding_{};                     // of the answer expected
  numerics::Rounding default_rounding_{};  // of one accepted as well: the device's default
  bool unsafe_ = false;                    // -cl-unsafe-math-optimizations
  bool finite_ = false;                    // -cl-finite-math-only
  bool edges_open_ = false;  // either: NaN and infinities, as operands or results, are not checked
  bool no_zero_signs_ = false;  // -cl-no-signed-zeros, or a reading that looks at none
  bool suite_ = false;          // Reading::kSuite
  bool is_lgamma_ = false;
  bool may_flush_operands_ = false;
  bool may_flush_results_ = false;
  bool anything_ = false;  // native_: accuracy and range are implementation-defined
  bool constant_ = false;  // the tolerance is the same for every operand
  Tolerance tolerance_;
  // QuickAccept's neighbours: magnitudes below this one, the largest number; 0: there are none,
  // since the limit is no constant number of ulp or results are not all of one floating type.
  numerics::Bits near_mask_ = 0, near_end_ = 0;
  double near_limit_ = 0;
};

}  // namespace assay::oracle
