// Devices that do not write, write too much, or answer one question in two ways.
#include "oracle/sweep/batch_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "numerics/function.h"
#include "oracle/testing/device.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

// Answers correctly, and then does `meddle` to the answers; `again`: they were asked for again.
class Meddler : public TestingDevice {
 public:
  struct Call {
    int number = 0;  // of this call, from 1 on
    int width = 1;
    std::size_t count = 0;
    bool again = false;
    std::span<const Column> outputs;
    std::vector<std::vector<std::byte>> before;  // what the outputs held
  };
  using Meddle = std::function<void(const Call&)>;
  explicit Meddler(Meddle meddle) : meddle_(std::move(meddle)) {}

  Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override {
    return Answer(width, inputs, outputs, count, false);
  }
  Expected<void> RunAgain(int width, std::span<const numerics::ConstColumn> inputs,
                          std::span<const Column> outputs, std::size_t count) override {
    return Answer(width, inputs, outputs, count, true);
  }
  Expected<void> EndTask() override { return end; }
  std::vector<std::string> TakeNotes() override { return notes; }

  Expected<void> end;
  std::vector<std::string> notes;
  int calls = 0;

 private:
  Expected<void> Answer(int width, std::span<const numerics::ConstColumn> inputs,
                        std::span<const Column> outputs, std::size_t count, bool again) {
    Call call{.number = ++calls, .width = width, .count = count, .again = again};
    for (const Column& column : outputs) {
      const auto* data = static_cast<const std::byte*>(column.data);
      call.before.emplace_back(data, data + count * SizeOf(column.slot.type));
    }
    call.outputs = outputs;
    auto ran = TestingDevice::Run(width, inputs, outputs, count);
    if (ran) meddle_(call);
    return ran;
  }
  Meddle meddle_;
};

// Puts back what stood there before the answer.
void Unwrite(const Meddler::Call& call, std::size_t result, std::size_t item) {
  const std::size_t size = SizeOf(call.outputs[result].slot.type);
  std::memcpy(static_cast<std::byte*>(call.outputs[result].data) + item * size,
              call.before[result].data() + item * size, size);
}

void Nudge(const Meddler::Call& call, std::size_t item, int steps) {
  const Column& column = call.outputs[0];
  const Bits bits = LoadElement(column.slot.type, column.data, item);
  const Format format = FormatOf(column.slot.type);
  if (!numerics::IsFinite(format, bits) || numerics::Magnitude(format, bits) < 0x1000) return;
  StoreElement(column.slot.type, column.data, item, bits + static_cast<Bits>(steps));
}

const Operation kSin = Operation::Builtin(Function::sin, Format::kFloat);

// convert_char_sat(float)
const Operation kToChar = Operation::Convert(numerics::ScalarType::kFloat,
                                             numerics::ScalarType::kChar, std::nullopt, true);

FunctionResult Ask(Meddler& device, const Operation& operation, std::vector<int> widths = {1, 4}) {
  SweepOptions options;
  options.inputs.level = Level::kSmoke;
  options.widths = std::move(widths);
  options.threads = 1;
  options.batch_items = std::uint64_t{1} << 15;  // all in one batch
  return SweepOperation(device, operation, options);
}

TEST(BatchRunnerTest, ADeviceThatWritesNothingFails) {
  for (int width : {1, 4}) {
    Meddler device([&](const Meddler::Call& call) {
      for (std::size_t i = 0; call.width == width && i < call.count; ++i) Unwrite(call, 0, i);
    });
    const FunctionResult result = Ask(device, kSin);
    EXPECT_EQ(result.verdict, Verdict::kFail);
    EXPECT_EQ(result.statistics.failures, result.statistics.inputs);
    EXPECT_EQ(result.statistics.failures_by_width.at(width), result.statistics.inputs);
    ASSERT_FALSE(result.statistics.recorded.empty());
    for (const Sighting& s : result.statistics.recorded) {
      EXPECT_EQ(s.rule, Rule::kNotWritten);
      EXPECT_EQ(s.width, width);
    }
  }
}

TEST(BatchRunnerTest, OneUnwrittenAnswerIsReported) {
  // In every format, results of eight bits included, and where anything is accepted.
  const Operation operations[] = {kSin, Operation::Builtin(Function::sin, Format::kHalf),
                                  Operation::Builtin(Function::fabs, Format::kDouble), kToChar,
                                  Operation::Builtin(Function::native_sin, Format::kFloat)};
  for (const Operation& operation : operations) {
    // Of the first batch, each time that all of it is asked.
    std::size_t all = 0;
    Meddler device([&all](const Meddler::Call& call) {
      if (all == 0) all = call.count;
      if (call.count == all) Unwrite(call, 0, 100);
    });
    SweepOptions options;
    options.inputs.level = Level::kSmoke;
    options.widths = {1};
    options.threads = 1;
    if (operation == operations[4]) options.math = MathMode::kNative;
    const FunctionResult result = SweepOperation(device, operation, options);
    ASSERT_EQ(result.verdict, Verdict::kFail) << operation.Name() << result.message;
    EXPECT_EQ(result.statistics.recorded[0].rule, Rule::kNotWritten) << operation.Name();
    EXPECT_EQ(result.statistics.recorded[0].item, 100u);
  }
}

TEST(BatchRunnerTest, AnAnswerThatEqualsThePoisonByChanceIsNone) {
  // One in 256 does.
  Meddler device([](const Meddler::Call&) {});
  const FunctionResult result = Ask(device, kToChar, {1});
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_GT(result.statistics.inputs, 1000u);
  EXPECT_EQ(device.calls, 3) << "asked, asked with other poison, and the sample";
}

TEST(BatchRunnerTest, WritingOutsideOfTheResultsIsADeviceError) {
  for (const bool before : {false, true}) {
    Meddler device([&](const Meddler::Call& call) {
      auto* data = static_cast<std::byte*>(call.outputs[0].data);
      (before ? data[-1] : data[call.count * 4 + 17]) ^= std::byte{1};
    });
    const FunctionResult result = Ask(device, kSin);
    EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
    EXPECT_THAT(result.message,
                HasSubstr(before ? "bytes 1 to 1 before the answers of result 0"
                                 : "bytes 17 to 17 behind the answers of result 0"));
  }
}

TEST(BatchRunnerTest, TwoAnswersThatConformAreNotDeterministic) {
  Meddler device([](const Meddler::Call& call) {
    for (std::size_t i = 0; call.again && i < call.count; i += 3) Nudge(call, i, 1);
  });
  const FunctionResult result = Ask(device, kSin);
  EXPECT_EQ(result.verdict, Verdict::kPass);
  const Statistics& s = result.statistics;
  EXPECT_GT(s.asked_again, 100u);
  EXPECT_GT(s.not_deterministic, s.asked_again / 6);
  EXPECT_LT(s.not_deterministic, s.asked_again);
  ASSERT_EQ(s.unstable.size(), 1u);
  EXPECT_EQ(s.unstable[0].rule, Rule::kNotDeterministic);
  EXPECT_EQ(s.unstable[0].observed, s.unstable[0].before + 1);
  EXPECT_EQ(s.failures, 0u);
}

TEST(BatchRunnerTest, ASecondAnswerThatDoesNotConformFails) {
  Meddler device([](const Meddler::Call& call) {
    for (std::size_t i = 0; call.again && i < call.count; ++i) Nudge(call, i, 100);
  });
  const FunctionResult result = Ask(device, kSin);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.statistics.recorded.at(0).rule, Rule::kOverLimit);
  EXPECT_EQ(result.statistics.recorded.at(0).lanes.size(),
            result.statistics.recorded.at(0).width == 1 ? 0u : 4u);
}

TEST(BatchRunnerTest, LanesOfOneInputThatDifferAreSeen) {
  Meddler device([](const Meddler::Call& call) {
    for (std::size_t i = 0; i < call.count; i += 16) Nudge(call, i, 1);
  });
  SweepOptions options;
  options.widths = {16};
  options.only_inputs = {{0x3f800000}};
  options.threads = 1;
  const FunctionResult result = SweepOperation(device, kSin, options);
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_GE(result.statistics.not_deterministic, 45u);
  EXPECT_LE(result.statistics.not_deterministic, result.statistics.asked_again);
}

TEST(BatchRunnerTest, ADeterministicDeviceIsCalledSo) {
  Meddler device([](const Meddler::Call&) {});
  for (Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
    const FunctionResult result = Ask(device, Operation::Builtin(Function::exp, format));
    EXPECT_EQ(result.verdict, Verdict::kPass);
    EXPECT_EQ(result.statistics.not_deterministic, 0u);
    EXPECT_GT(result.statistics.asked_again, 100u);
  }
}

TEST(BatchRunnerTest, ADeviceThatSaysTooMuchIsNotMeasured) {
  Meddler device([](const Meddler::Call& call) { Nudge(call, 50, 1000); });
  device.end = Fail(ErrorKind::kDevice, "said more than it was asked");
  device.notes = {"hums"};
  const FunctionResult result = Ask(device, kSin);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_EQ(result.message, "said more than it was asked");
  EXPECT_EQ(result.statistics.failures, 0u);
  EXPECT_EQ(result.notes, device.notes);
}

}  // namespace
}  // namespace assay::oracle
