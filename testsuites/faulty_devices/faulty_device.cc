#include "testsuites/faulty_devices/faulty_device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>
#include <tuple>

#include "oracle/devices/batch.h"

namespace assay::testsuites {
namespace {

using numerics::ResultKind;

constexpr double kWrongClass = std::numeric_limits<double>::infinity();

void Gather(std::span<const numerics::ConstColumn> columns, std::size_t item,
            std::span<Bits> scalars) {
  std::size_t at = 0;
  for (const numerics::ConstColumn& column : columns) {
    const auto n = static_cast<std::size_t>(column.slot.components);
    for (std::size_t c = 0; c < n; ++c) {
      scalars[at++] = numerics::LoadElement(column.slot.type, column.data, item * n + c);
    }
  }
}

double IntegerValue(ScalarType type, Bits bits) {
  const int unused = 64 - numerics::WidthOf(type);
  if (!numerics::IsSigned(type)) return static_cast<double>(bits);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

// Conversions and operators round in the device's default mode, everything else to nearest
// (OpenCL C 6.15.2: as if called with the round to nearest even rounding mode).
Rounding RoundingOf(const Operation& operation, Rounding declared) {
  if (operation.suffix) return *operation.suffix;
  const bool builtin = operation.kind == numerics::OperationKind::kBuiltin;
  const bool is_operator =
      builtin && numerics::Info(operation.function).cls == numerics::FunctionClass::kOperator;
  return !builtin || is_operator ? declared : Rounding::kRte;
}

}  // namespace

double Answer::Argument(std::size_t i) const {
  const ScalarType t = argument_types[i];
  return numerics::IsFloating(t) ? numerics::ToDouble(numerics::FormatOf(t), args[i])
                                 : IntegerValue(t, args[i]);
}
bool Answer::IsNan(std::size_t i) const { return std::isnan(Argument(i)); }
bool Answer::IsInfinite(std::size_t i) const { return std::isinf(Argument(i)); }
bool Answer::IsFinite(std::size_t i) const { return std::isfinite(Argument(i)); }
bool Answer::IsSubnormal(std::size_t i) const {
  const ScalarType t = argument_types[i];
  return numerics::IsFloating(t) && numerics::IsSubnormal(numerics::FormatOf(t), args[i]);
}
bool Answer::IsMinusZero(std::size_t i) const {
  return Argument(i) == 0 && std::signbit(Argument(i));
}
bool Answer::AllFinite() const {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!IsFinite(i)) return false;
  }
  return true;
}

// Consecutive magnitudes have consecutive bits.
Bits Answer::Moved(std::int64_t steps) const { return Right() + static_cast<Bits>(steps); }

Bits Answer::Over(double ulp) const {
  // The second condition is false for NaN, which a growing limit gives at a NaN operand.
  if (Truth().kind != ResultKind::kFinite || !(ulp < 0x1p20) || !IsNumber()) return Right();
  for (std::int64_t n = std::max<std::int64_t>(1, static_cast<std::int64_t>(ulp / 2));; ++n) {
    const Bits bits = Moved(n);
    if (!numerics::IsFinite(format(), bits)) return Right();
    if (UlpError(Truth(), format(), bits) > ulp) return bits;
  }
}

Bits Answer::Under(double ulp) const {
  if (Truth().kind != ResultKind::kFinite || !IsNumber()) return Right();
  for (auto n = static_cast<std::int64_t>(ulp) + 1; n > 0; --n) {
    const Bits bits = Moved(n);
    if (numerics::IsFinite(format(), bits) && UlpError(Truth(), format(), bits) <= ulp) {
      return bits;
    }
  }
  return Right();
}

Bits Compute(Function function, Format format, std::initializer_list<Bits> args,
             Rounding rounding) {
  std::array<Exact, numerics::kMaxResults> exact;
  EvaluateExact(Operation::Builtin(function, format), {args.begin(), args.size()},
                std::span(exact).first(1));
  return Round(exact[0], format, rounding);
}

void PrintTo(const Case& row, std::ostream* out) {
  *out << row.name << " (" << row.function << ", " << row.format << ")";
}

void PrintTo(const UnusualDevice& row, std::ostream* out) { PrintTo(row.device, out); }

PerfectDevice::PerfectDevice(const Setting& setting) {
  description_.kind = "faulty";
  description_.name = "in-process reference";
  description_.profile = setting.profile;
  const bool flushes[] = {setting.flushes_half, false, setting.flushes_float,
                          setting.flushes_double};
  for (std::size_t f = 0; f < 4; ++f) {
    description_.supports[f] = true;
    description_.denormals[f] = !flushes[f];
    description_.rounding[f] = setting.rounding;
  }
}

Expected<void> PerfectDevice::Prepare(const oracle::TaskSpec& task) {
  operation_ = task.operation;
  evaluator_ = std::make_unique<numerics::BatchEvaluator>(task.operation);
  argument_types_ = task.operation.ArgumentTypes();
  result_types_ = task.operation.ResultTypes();
  rounding_ = RoundingOf(task.operation, description_.rounding[0]);
  asked_.clear();
  answered_.clear();
  return {};
}

void PerfectDevice::Alter(const Answer&, std::uint64_t, std::span<Bits>) {}

Expected<void> PerfectDevice::RunAgain(int width, std::span<const numerics::ConstColumn> inputs,
                                       std::span<const oracle::Column> outputs, std::size_t count) {
  std::vector<Bits> args(argument_types_.size());
  for (std::size_t i = 0; i < count; ++i) {
    Gather(inputs, i, args);
    oracle::Scatter(outputs, i, answered_.at({width, args}));
  }
  return {};
}

Expected<void> PerfectDevice::Run(int width, std::span<const numerics::ConstColumn> inputs,
                                  std::span<const oracle::Column> outputs, std::size_t count) {
  const std::size_t results = result_types_.size();
  std::vector<Exact> exact(count * results);
  evaluator_->Evaluate(inputs, 0, count, exact.data());
  std::vector<Bits> args(argument_types_.size()), right(results), answers(results);
  const auto lanes = static_cast<std::size_t>(width);
  for (std::size_t i = 0; i < count; ++i) {
    Gather(inputs, i, args);
    const auto truth = std::span<const Exact>(exact).subspan(i * results, results);
    for (std::size_t r = 0; r < results; ++r) {
      right[r] = numerics::IsFloating(result_types_[r])
                     ? Round(truth[r], numerics::FormatOf(result_types_[r]), rounding_)
                     : truth[r].below & numerics::WidthMask(result_types_[r]);
    }
    answers = right;
    Alter({.operation = *operation_,
           .argument_types = argument_types_,
           .result_types = result_types_,
           .args = args,
           .exact = truth,
           .right = right,
           .width = width,
           .lane = static_cast<int>(i % lanes),
           .partial_vector = i / lanes == count / lanes,
           .rounding = rounding_},
          asked_[width] + i, answers);
    oracle::Scatter(outputs, i, answers);
    // The same operands may stand in several lanes: a right answer is no new failure for any.
    const auto [known, added] = answered_.emplace(std::pair(width, args), answers);
    if (!added && answers == right) known->second = answers;
  }
  asked_[width] += count;
  return {};
}

FaultyDevice::FaultyDevice(const Case& row) : PerfectDevice(row.setting), case_(row) {}

void FaultyDevice::Alter(const Answer& answer, std::uint64_t item, std::span<Bits> answers) {
  if (first_width_ == 0) first_width_ = answer.width;
  for (std::size_t r = 0; r < answers.size(); ++r) {
    Answer one = answer;
    one.result = static_cast<int>(r);
    const bool concerned = case_.result == kEveryResult || case_.result == one.result;
    if (concerned && case_.fault != nullptr) {
      if (const std::optional<Bits> instead = case_.fault(one)) answers[r] = *instead;
    }
    const Bits mask = numerics::WidthMask(one.type());
    answers[r] &= mask;
    Measure(one, item, answers[r]);
    if (answers[r] == one.Right()) continue;
    const std::pair<std::uint64_t, int> key{item, one.result};
    if (answer.width == first_width_) {
      first_answers_[key] = answers[r];
    } else if (const auto it = first_answers_.find(key);
               it != first_answers_.end() && it->second == answers[r]) {
      ++repetitions_;
      continue;
    }
    alterations_.push_back({item,
                            answer.width,
                            answer.lane,
                            one.result,
                            {answer.args.begin(), answer.args.end()},
                            answers[r]});
  }
}

void FaultyDevice::Measure(const Answer& answer, std::uint64_t item, Bits observed) {
  double ulp = -1;
  Exact truth = answer.Truth();
  if (observed != answer.Right()) {
    // Of an overflow the fast path says only "at least".
    std::array<Exact, numerics::kMaxResults> exact;
    EvaluateExact(answer.operation, answer.args, std::span(exact).first(answer.right.size()));
    truth = exact[static_cast<std::size_t>(answer.result)];
  }
  if (truth.kind == ResultKind::kFinite && !numerics::IsNan(answer.format(), observed)) {
    ulp = UlpError(truth, answer.format(), observed);
    // A directed mode overflows to the largest number, whatever its distance.
    const bool overflow = truth.fraction >= 1 &&
                          numerics::Magnitude(answer.format(), truth.below) == answer.MaxFinite();
    if (overflow && observed == answer.Right()) ulp = 0;
  } else if (truth.kind != ResultKind::kUnspecified && observed != answer.Right()) {
    ulp = kWrongClass;
  }
  const bool earlier = std::tuple(item, answer.width, answer.result) <
                       std::tuple(worst_.item, worst_.width, worst_.result);
  if (ulp < 0 || ulp < worst_.ulp || (ulp == worst_.ulp && !earlier)) return;
  worst_ = {item, answer.width, answer.result, {answer.args.begin(), answer.args.end()}, ulp};
}

}  // namespace assay::testsuites
