// Devices that answer in process: correctly, or correctly but for one deliberate fault.
//
// The self-test of the verdicts: a faulty device has to be judged `fail`, with the right input as
// the worst one, and a correct but unusual device `pass`.  Each is a row of a table (Case): what
// the device declares, what it does to which answers, and what the judge has to say.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "numerics/convert.h"
#include "numerics/evaluate.h"
#include "oracle/devices/device.h"
#include "oracle/sweep/sweep.h"

namespace assay::testsuites {

using numerics::Bits;
using numerics::Exact;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::Rounding;
using numerics::ScalarType;

// One answer that a device is about to give, correctly rounded so far, and all that a fault may
// depend on.
struct Answer {
  const Operation& operation;
  std::span<const ScalarType> argument_types;
  std::span<const ScalarType> result_types;
  std::span<const Bits> args;
  std::span<const Exact> exact;  // all results
  std::span<const Bits> right;   // likewise, as a correct device answers
  int result = 0;                // the one in question
  int width = 1;
  int lane = 0;
  bool partial_vector = false;  // in the last vector, which the items do not fill
  Rounding rounding = Rounding::kRte;

  // Operands as numbers (integers too, as far as a double holds them) and as bits.
  double X() const { return Argument(0); }
  double Y() const { return Argument(1); }
  double Z() const { return Argument(2); }
  double Argument(std::size_t i) const;
  bool IsNan(std::size_t i) const;
  bool IsInfinite(std::size_t i) const;
  bool IsFinite(std::size_t i) const;
  bool IsSubnormal(std::size_t i) const;
  bool IsMinusZero(std::size_t i) const;
  bool AllFinite() const;

  // The correct answer.
  ScalarType type() const { return result_types[static_cast<std::size_t>(result)]; }
  Format format() const { return numerics::FormatOf(type()); }
  Bits Right() const { return right[static_cast<std::size_t>(result)]; }
  const Exact& Truth() const { return exact[static_cast<std::size_t>(result)]; }
  double Value() const { return numerics::ToDouble(format(), Right()); }
  bool IsNumber() const { return numerics::IsFinite(format(), Right()); }
  bool IsZero() const { return numerics::IsZero(format(), Right()); }
  bool IsSubnormalResult() const { return numerics::IsSubnormal(format(), Right()); }
  Bits Negated() const { return numerics::Negate(format(), Right()); }

  // Other answers, in the format of the result.
  Bits Number(double value) const { return numerics::FromDouble(format(), value); }
  Bits Infinity() const { return numerics::Infinity(format()); }
  Bits NaN() const { return numerics::QuietNan(format()); }
  Bits MaxFinite() const { return numerics::MaxFinite(format()); }
  Bits MinNormal() const { return numerics::MinNormal(format()); }
  // The correct answer moved by `steps` numbers, away from zero.
  Bits Moved(std::int64_t steps) const;
  // The first number away from zero whose error exceeds `ulp`, and the last whose error does not;
  // the correct answer where that is not a finite number.
  Bits Over(double ulp) const;
  Bits Under(double ulp) const;
};

// The answer that a device gives instead of the correct one, or nothing: the correct one.
using Fault = std::optional<Bits> (*)(const Answer&);

inline std::optional<Bits> If(bool applies, Bits instead) {
  return applies ? std::optional<Bits>(instead) : std::nullopt;
}

// A correctly rounded step of a device that computes in several.
Bits Compute(Function function, Format format, std::initializer_list<Bits> args,
             Rounding rounding = Rounding::kRte);

// What a device declares and how it is asked.
struct Setting {
  oracle::Profile profile = oracle::Profile::kFull;
  oracle::MathMode math = oracle::MathMode::kDefault;
  Rounding rounding = Rounding::kRte;  // of every format
  bool flushes_half = false, flushes_float = false, flushes_double = false;
  bool all_widths = false;  // every vector width instead of scalars only
  std::string_view build_options = "";
  oracle::Level level = oracle::Level::kSmoke;
  std::uint64_t samples = 0;
  std::uint64_t search = 0;  // evaluations of a search
  oracle::Reading reading = oracle::Reading::kEnvironment;
};

inline constexpr int kEveryResult = -1;

struct Case {
  std::string_view name;  // letters and digits: part of the test's name
  std::string_view function;
  std::string_view format;
  Fault fault = nullptr;  // nullptr: unusual by what it declares alone
  int result = 0;         // which result the fault is about
  Setting setting{};
  // Faulty devices: the rule that the first failure breaks, where the fault leaves only one.
  std::optional<oracle::Rule> rule = oracle::Rule::kOverLimit;
  // The operands of the first failure (literals, separated by commas) where the fault is about one
  // input.
  std::string_view at = "";
  bool every_is_wrong = true;  // false: some of the altered answers are within the limit
};

void PrintTo(const Case& row, std::ostream* out);  // for GoogleTest

// Answers correctly.
class PerfectDevice : public oracle::Device {
 public:
  explicit PerfectDevice(const Setting& setting);

  const oracle::DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const oracle::TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                     std::span<const oracle::Column> outputs, std::size_t count) override;
  // What it answered to the same operands in this width before: a fault that depends on the lane
  // stays at the items that it met.
  Expected<void> RunAgain(int width, std::span<const numerics::ConstColumn> inputs,
                          std::span<const oracle::Column> outputs, std::size_t count) override;

 protected:
  // Called for every item before it is stored; may alter `answers`, all results of the item.
  virtual void Alter(const Answer& answer, std::uint64_t item, std::span<Bits> answers);

 private:
  oracle::DeviceDescription description_;
  std::optional<Operation> operation_;
  std::unique_ptr<numerics::BatchEvaluator> evaluator_;
  std::vector<ScalarType> argument_types_, result_types_;
  Rounding rounding_ = Rounding::kRte;
  std::map<int, std::uint64_t> asked_;  // items so far, by width
  std::map<std::pair<int, std::vector<Bits>>, std::vector<Bits>>
      answered_;  // by width and operands
};

// Answers correctly but for a fault, and keeps account of it: what a judge ought to find.
class FaultyDevice : public PerfectDevice {
 public:
  explicit FaultyDevice(const Case& row);

  // An answer that was altered.
  struct Alteration {
    std::uint64_t item = 0;
    int width = 1, lane = 0, result = 0;
    std::vector<Bits> args;
    Bits observed = 0;
  };
  // In the order given; an answer that repeats that of the first width is only counted.
  const std::vector<Alteration>& Alterations() const { return alterations_; }
  std::uint64_t Repetitions() const { return repetitions_; }

  // The answer with the largest error in ulp: a wrong class, or a wrong integer, has an infinite
  // one.  The first item of equals, then the first width, then the first result.
  struct Worst {
    std::uint64_t item = 0;
    int width = 1, result = 0;
    std::vector<Bits> args;
    double ulp = -1;
  };
  const Worst& WorstAnswer() const { return worst_; }

 protected:
  void Alter(const Answer& answer, std::uint64_t item, std::span<Bits> answers) override;

 private:
  void Measure(const Answer& answer, std::uint64_t item, Bits observed);

  Case case_;
  int first_width_ = 0;
  std::map<std::pair<std::uint64_t, int>, Bits> first_answers_;
  std::vector<Alteration> alterations_;
  std::uint64_t repetitions_ = 0;
  Worst worst_;
};

// The tables.
std::span<const Case> ZeroSignFaults();
std::span<const Case> SpecialValueFaults();
std::span<const Case> AccuracyFaults();
std::span<const Case> ExactResultFaults();
std::span<const Case> RangeFaults();
std::span<const Case> ConversionFaults();
std::span<const Case> WidthFaults();
std::span<const Case> SecondResultFaults();
std::span<const Case> CommonAndGeometricFaults();
std::span<const Case> RelaxedMathFaults();
std::span<const Case> SearchFaults();  // each is missed by as many random inputs
std::span<const Case> CorrectDevices();

// Correct by a build option or by one reading alone, each beside one that goes a little further.
struct UnusualDevice {
  Case device;
  Fault wrong = nullptr;  // the same device, slightly wrong: it fails
  // A reading under which the correct one fails.
  std::optional<oracle::Reading> refused_by = std::nullopt;
};
void PrintTo(const UnusualDevice& row, std::ostream* out);
std::span<const UnusualDevice> UnusualDevices();

}  // namespace assay::testsuites
