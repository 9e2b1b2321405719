#include "oracle/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "numerics/function.h"
#include "oracle/campaign/results_json.h"
#include "oracle/testing/device.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

const Operation kSqrt = Operation::Builtin(Function::sqrt, Format::kFloat);

SweepOptions Small() {
  SweepOptions options;
  options.inputs.level = Level::kSmoke;
  options.inputs.samples = 200;
  options.widths = {1};
  options.threads = 1;
  return options;
}

bool IsNumber(Bits bits) { return numerics::IsFinite(Format::kFloat, bits); }

// Ten numbers off for negative results, of one sign of the logarithm.
Bits WrongBelowOne(std::span<const Bits>, int, Bits right) {
  return IsNumber(right) && numerics::IsNegative(Format::kFloat, right) &&
                 !numerics::IsZero(Format::kFloat, right)
             ? right + 10
             : right;
}

TEST(SweepTest, ACorrectDevicePasses) {
  TestingDevice device;
  const FunctionResult result = SweepOperation(device, kSqrt, Small());
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.message, "");
  EXPECT_GT(result.statistics.inputs, 200u);
  EXPECT_EQ(result.statistics.answers, result.statistics.inputs);
  EXPECT_TRUE(result.statistics.has_worst);
  EXPECT_LE(result.statistics.max_ulp, 0.5);
  EXPECT_GT(result.statistics.max_ulp, 0.4) << "among hundreds of roots one is nearly a midpoint";
  EXPECT_EQ(result.limit, "3");
  EXPECT_THAT(result.citation, HasSubstr("7.4"));
}

TEST(SweepTest, CountsBinadesAndThresholds) {
  TestingDevice device([](std::span<const Bits> args, int, Bits right) {
    return args[0] >= 0x3f800000 && args[0] < 0x40000000 ? right + 2 : right;  // [1, 2)
  });
  const FunctionResult result = SweepOperation(device, kSqrt, Small());
  const Statistics& s = result.statistics;
  std::uint64_t in_binades = 0;
  for (const auto& [exponent, binade] : s.binades) {
    in_binades += binade.inputs;
    if (exponent != 0) {
      EXPECT_LE(binade.max_ulp, 0.5) << exponent;
    }
  }
  EXPECT_LT(in_binades, s.inputs) << "zeros, infinities and NaN have no binade";
  EXPECT_GT(s.binades.at(0).max_ulp, 1.5);
  EXPECT_EQ(s.binades.at(0).max_ulp, s.max_ulp);
  EXPECT_GT(s.over[1], 0u);
  EXPECT_LE(s.over[1], s.binades.at(0).inputs);
  EXPECT_EQ(s.over[3], 0u);
}

// Tells its answers the width that they are for.
class WidthDevice : public TestingDevice {
 public:
  using Wrong = std::function<Bits(std::span<const Bits> args, int width, Bits right)>;
  explicit WidthDevice(const Wrong& wrong)
      : TestingDevice([this, wrong](std::span<const Bits> args, int, Bits right) {
          return wrong(args, width_, right);
        }) {}
  Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override {
    width_ = width;
    return TestingDevice::Run(width, inputs, outputs, count);
  }

 private:
  int width_ = 0;
};

// Which sign errs, and in which width: the device is wrong for one negative operand in vectors of
// four.
TEST(SweepTest, BinadesKnowTheSignAndTheWidth) {
  WidthDevice device([](std::span<const Bits> args, int width, Bits right) {
    return args[0] == 0xc0400000 && width == 4 ? right + 3 : right;
  });
  SweepOptions options = Small();
  options.widths = {1, 2, 4};
  options.only_inputs = {{0x40400000}, {0xc0400000}, {0x40000000}, {0x41000000}};
  const Operation cbrt = Operation::Builtin(Function::cbrt, Format::kFloat);
  const Statistics s = SweepOperation(device, cbrt, options).statistics;
  const BinadeStatistics& binade = s.binades.at(1);  // 2, 3 and -3
  EXPECT_EQ(binade.signs[0].inputs + binade.signs[1].inputs, binade.inputs);
  EXPECT_LE(binade.signs[0].max_ulp, 0.5);
  EXPECT_GT(binade.signs[1].max_ulp, 2);
  EXPECT_EQ(binade.signs[1].width, 4);
  EXPECT_EQ(binade.max_ulp, binade.signs[1].max_ulp);
  EXPECT_TRUE(s.plane.empty());
}

TEST(SweepTest, TwoOperandsHaveAPlane) {
  TestingDevice device([](std::span<const Bits> args, int, Bits right) {
    return args[0] == 0x3f800000 && args[1] == 0xc0800000 ? right + 9 : right;
  });
  SweepOptions options = Small();
  options.only_inputs = {{0x3f800000, 0xc0800000}, {0x40000000, 0x40000000}, {0, 0x3f800000}};
  const Operation add = Operation::Builtin(Function::add, Format::kFloat);
  const Statistics s = SweepOperation(device, add, options).statistics;
  const Exponents range = ExponentsOf(numerics::ScalarType::kFloat);
  const int one = PlaneStep(range, {0, false}), minus_four = PlaneStep(range, {2, true});
  ASSERT_TRUE(s.plane.contains({one, minus_four}));
  EXPECT_GT(s.plane.at({one, minus_four}).max_ulp, 8);
  // Two and two; zero stands nowhere.
  EXPECT_EQ(s.plane.size(), 2u);
}

TEST(SweepTest, NumberOfThreadsAndBatchesChangeNothing) {
  const Operation log = Operation::Builtin(Function::log, Format::kFloat);
  TestingDevice device(WrongBelowOne);
  SweepOptions options = Small();
  options.inputs.samples = 40000;  // more than one batch where MPFR answers
  options.widths = {1, 3, 4};
  const FunctionResult alone = SweepOperation(device, log, options);
  EXPECT_EQ(alone.verdict, Verdict::kFail);
  options.threads = 4;
  const FunctionResult together = SweepOperation(device, log, options);
  EXPECT_EQ(ToCheckpoint(alone).dump(), ToCheckpoint(together).dump());
}

TEST(SweepTest, ResumesFromAnyBatch) {
  const Operation log = Operation::Builtin(Function::log, Format::kDouble);
  TestingDevice device([](std::span<const Bits> args, int, Bits right) {
    return args[0] % 1024 == 5 ? right + 9 : right;
  });
  SweepOptions options = Small();
  options.inputs.samples = 70000;
  std::vector<SweepProgress> steps;
  SweepHooks hooks{.progress = [&](const SweepProgress& p) { steps.push_back(p); }};
  const FunctionResult whole = SweepOperation(device, log, options, hooks);
  ASSERT_GE(steps.size(), 3u);
  EXPECT_EQ(steps.back().next_item, steps.back().count);
  EXPECT_EQ(whole.statistics.inputs, steps.back().count);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    EXPECT_LT(steps[i].next_item, steps[i + 1].next_item);
    const FunctionResult rest = SweepOperation(device, log, options, {}, steps[i]);
    EXPECT_EQ(ToCheckpoint(rest).dump(), ToCheckpoint(whole).dump());
  }
}

TEST(SweepTest, StopKeepsMeasuredResults) {
  const Operation log = Operation::Builtin(Function::log, Format::kDouble);
  SweepOptions options = Small();
  options.inputs.samples = 70000;
  std::atomic<bool> stop = false;
  TestingDevice device;
  SweepHooks hooks{.stop = &stop, .progress = [&](const SweepProgress&) { stop = true; }};
  const FunctionResult result = SweepOperation(device, log, options, hooks);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_THAT(result.message, HasSubstr("interrupted after"));
  EXPECT_GT(result.statistics.inputs, 0u);
  EXPECT_LT(result.statistics.inputs, 70000u);
}

TEST(SweepTest, AFailureStandsThoughTheSweepWasStopped) {
  const Operation log = Operation::Builtin(Function::log, Format::kDouble);
  SweepOptions options = Small();
  options.inputs.samples = 70000;
  std::atomic<bool> stop = true;
  TestingDevice device([](std::span<const Bits>, int, Bits right) { return right + 100; });
  const FunctionResult result =
      SweepOperation(device, log, options, {.stop = &stop, .progress = {}});
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

TEST(SweepTest, EndsAfterSoManyFailuresAndSaysSo) {
  TestingDevice device(
      [](std::span<const Bits>, int, Bits right) { return IsNumber(right) ? right + 10 : right; });
  SweepOptions options = Small();
  options.batch_items = 48;
  const FunctionResult whole = SweepOperation(device, kSqrt, options);
  options.stop_after_failures = 5;
  const FunctionResult some = SweepOperation(device, kSqrt, options);
  EXPECT_EQ(some.verdict, Verdict::kFail);
  EXPECT_GE(some.statistics.failures, 5u);
  EXPECT_LE(some.statistics.failures, 5u + 48);
  EXPECT_LT(some.statistics.inputs, whole.statistics.inputs);
  EXPECT_THAT(some.message, HasSubstr("failures, with"));
  EXPECT_FALSE(some.exhaustive);
  options.stop_after_failures = whole.statistics.failures + 1;
  const FunctionResult all = SweepOperation(device, kSqrt, options);
  EXPECT_EQ(all.statistics.inputs, whole.statistics.inputs);
  EXPECT_EQ(all.message, "");
}

TEST(SweepTest, ADeviceWithoutTheFunctionIsUnsupported) {
  TestingDevice device;
  device.prepare_error = Error{ErrorKind::kUnsupported, "no fp16"};
  const FunctionResult result = SweepOperation(device, kSqrt, Small());
  EXPECT_EQ(result.verdict, Verdict::kUnsupported);
  EXPECT_EQ(result.message, "no fp16");
  EXPECT_EQ(result.operation, kSqrt);
  EXPECT_EQ(result.statistics.inputs, 0u);
}

TEST(SweepTest, ABrokenDeviceIsNotMeasured) {
  TestingDevice device;
  device.prepare_error = Error{ErrorKind::kDevice, "build log: no"};
  EXPECT_EQ(SweepOperation(device, kSqrt, Small()).verdict, Verdict::kNotMeasured);
  device.prepare_error.reset();
  device.run_error = Error{ErrorKind::kDevice, "the driver died"};
  const FunctionResult result = SweepOperation(device, kSqrt, Small());
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_EQ(result.message, "the driver died");
  EXPECT_EQ(result.statistics.inputs, 0u);
}

TEST(SweepTest, ADeviceThatDiesLaterKeepsItsFirstBatches) {
  const Operation log = Operation::Builtin(Function::log, Format::kDouble);
  SweepOptions options = Small();
  options.inputs.samples = 70000;
  TestingDevice device;
  device.run_error = Error{ErrorKind::kDevice, "the driver died"};
  device.run_error_at = 1;
  const FunctionResult result = SweepOperation(device, log, options);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_EQ(result.message, "the driver died");
  EXPECT_GT(result.statistics.inputs, 0u);
}

TEST(SweepTest, AWidthThatFailsCostsThatWidthOnly) {
  SweepOptions options = Small();
  options.widths = {1, 2, 8, 16};
  TestingDevice device;
  for (int broken : options.widths) {
    device.broken_widths = {broken};
    const FunctionResult result = SweepOperation(device, kSqrt, options);
    EXPECT_EQ(result.verdict, Verdict::kNotMeasured) << "three widths that conform are not four";
    EXPECT_EQ(result.message, "");
    ASSERT_EQ(result.lost.size(), 1u);
    EXPECT_EQ(result.lost[0].width, broken);
    EXPECT_EQ(result.lost[0].first_item, 0u);
    EXPECT_GT(result.lost[0].items, 200u);
    EXPECT_THAT(result.lost[0].message, HasSubstr("the driver died"));
    EXPECT_EQ(result.statistics.answers, 3 * result.statistics.inputs);
    EXPECT_EQ(device.prepared_widths.size(), 3u) << "prepared anew, without the lost width";
  }
  TestingDevice wrong(WrongBelowOne);
  wrong.broken_widths = {1};
  const FunctionResult failed =
      SweepOperation(wrong, Operation::Builtin(Function::log, Format::kFloat), options);
  EXPECT_EQ(failed.verdict, Verdict::kFail) << "a failure stands whatever else was lost";
  ASSERT_FALSE(failed.statistics.recorded.empty());
  EXPECT_EQ(failed.statistics.recorded[0].width, 2);
  EXPECT_EQ(failed.statistics.failures_by_width.size(), 3u);
}

TEST(SweepTest, ALongExhaustivePlanIsCompleteInTheFirstWidthOnly) {
  SweepOptions options = Small();
  options.inputs.level = Level::kExhaustive;
  options.widths = {1, 4, 16};
  const Operation sqrt = Operation::Builtin(Function::sqrt, Format::kHalf);
  TestingDevice device;
  const FunctionResult all = SweepOperation(device, sqrt, options);
  EXPECT_EQ(all.statistics.answers, 3u * 65536);
  options.all_widths_limit = 1000;
  const FunctionResult result = SweepOperation(device, sqrt, options);
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_TRUE(result.exhaustive);
  EXPECT_EQ(result.statistics.inputs, 65536u) << "each input counts once";
  EXPECT_GT(result.statistics.answers, 65536u);
  EXPECT_EQ(result.statistics.max_ulp, all.statistics.max_ulp);
  EXPECT_EQ(result.statistics.over, all.statistics.over);
  EXPECT_EQ(result.statistics.binades.at(0).inputs, all.statistics.binades.at(0).inputs);
  // The other widths are judged too, and a lost one is no pass.
  TestingDevice broken;
  broken.broken_widths = {16};
  EXPECT_EQ(SweepOperation(broken, sqrt, options).verdict, Verdict::kNotMeasured);
}

// A hang costs time for each width that is tried: the wider ones are not.
TEST(SweepTest, AfterAHangTheWiderWidthsAreSkipped) {
  SweepOptions options = Small();
  options.widths = {1, 2, 4};
  TestingDevice device;
  device.broken_widths = {2};
  int calls = 0;
  device.on_run = [&] {
    if (++calls == 2) std::this_thread::sleep_for(std::chrono::milliseconds(5100));
  };
  const FunctionResult result = SweepOperation(device, kSqrt, options);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  ASSERT_EQ(result.lost.size(), 2u);
  EXPECT_EQ(result.lost[0].width, 2);
  EXPECT_EQ(result.lost[1].width, 4);
  EXPECT_EQ(result.lost[1].items, 0u) << "not asked";
  EXPECT_EQ(result.statistics.answers, result.statistics.inputs);
  EXPECT_EQ(device.prepared_widths, std::vector<int>{1});
}

// A width asked alone, or judged first because a narrower one is lost: what its neighbours held is
// part of the evidence.
TEST(SweepTest, AFailureInAVectorKeepsItsLanes) {
  SweepOptions options = Small();
  const Operation log = Operation::Builtin(Function::log, Format::kFloat);
  for (const std::vector<int>& widths : {std::vector<int>{4}, std::vector<int>{1, 4}}) {
    TestingDevice device(WrongBelowOne);
    device.broken_widths = {1};
    options.widths = widths;
    const FunctionResult result = SweepOperation(device, log, options);
    ASSERT_FALSE(result.statistics.recorded.empty());
    const Sighting& failure = result.statistics.recorded[0];
    ASSERT_EQ(failure.lanes.size(), 4u);
    EXPECT_EQ(failure.lanes[static_cast<std::size_t>(failure.lane)], failure.args);
  }
  TestingDevice device(WrongBelowOne);
  options.widths = {1, 4};
  EXPECT_TRUE(SweepOperation(device, log, options).statistics.recorded[0].lanes.empty());
}

TEST(SweepTest, EveryWidthLostIsTheDevicesError) {
  SweepOptions options = Small();
  options.widths = {1, 16};
  TestingDevice device;
  device.broken_widths = {1, 16};
  const FunctionResult result = SweepOperation(device, kSqrt, options);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_THAT(result.message, HasSubstr("the driver died"));
  EXPECT_EQ(result.statistics.inputs, 0u);
}

TEST(SweepTest, ALostWidthStaysLostAfterAResume) {
  SweepOptions options = Small();
  options.widths = {1, 2};
  TestingDevice device;
  SweepProgress resume;
  resume.next_item = 100;
  resume.lost = {{.width = 2, .first_item = 0, .items = 100, .message = "it died"}};
  const FunctionResult result = SweepOperation(device, kSqrt, options, {}, resume);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  ASSERT_EQ(result.lost.size(), 1u);
  EXPECT_EQ(device.prepared_widths, std::vector<int>{1});
}

TEST(SweepTest, AFormatWithoutALimitIsUnsupported) {
  TestingDevice device;
  const Operation operation = Operation::Builtin(Function::sin, Format::kBfloat16);
  const FunctionResult result = SweepOperation(device, operation, Small());
  EXPECT_EQ(result.verdict, Verdict::kUnsupported);
  EXPECT_THAT(result.message, HasSubstr("sin bfloat16"));
  EXPECT_EQ(device.prepared, 0);
}

TEST(SweepTest, TestsEveryWidthButOneForGeometricFunctions) {
  TestingDevice device;
  SweepOptions options = Small();
  options.widths = {1, 2, 3, 4, 8, 16};
  const FunctionResult scalar = SweepOperation(device, kSqrt, options);
  EXPECT_EQ(device.prepared_widths, options.widths);
  EXPECT_EQ(scalar.statistics.answers, 6 * scalar.statistics.inputs);
  SweepOperation(device, Operation::Builtin(Function::dot, Format::kFloat, 3), options);
  EXPECT_EQ(device.prepared_widths, std::vector<int>{1});
}

TEST(SweepTest, GivenInputsMeetEveryLane) {
  SweepOptions options = Small();
  options.widths = {1, 3, 16};
  options.only_inputs = {{0x40000000}, {0x40800000}};
  std::multiset<Bits> asked;
  TestingDevice device([&](std::span<const Bits> args, int, Bits right) {
    asked.insert(args[0]);
    return args[0] == 0x40800000 ? right + 10 : right;
  });
  const FunctionResult result = SweepOperation(device, kSqrt, options);
  EXPECT_EQ(result.statistics.inputs, 96u);
  // And again, in another order, the first 64 of them and one of each sixteen behind.
  EXPECT_GE(asked.count(0x40000000), 3u * 48);
  EXPECT_EQ(asked.size(), 3u * (96 + 66));
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.statistics.failures, 3u * 48);
  EXPECT_EQ(result.statistics.failures_by_width,
            (std::map<int, std::uint64_t>{{1, 48}, {3, 48}, {16, 48}}));
  EXPECT_FALSE(result.exhaustive);
}

TEST(SweepTest, KnownWorstInputsComeFirst) {
  SweepOptions options = Small();
  options.known_worst[{"sqrt", "float"}] = {{0x3f812345}};
  options.known_worst[{"sqrt", "double"}] = {{0x3ff0000000000007}};
  std::optional<Bits> first;
  TestingDevice device([&](std::span<const Bits> args, int, Bits right) {
    if (!first) first = args[0];
    return right;
  });
  SweepOperation(device, kSqrt, options);
  EXPECT_EQ(first, Bits{0x3f812345});
}

TEST(SweepTest, ARecordingBringsItsOwnInputs) {
  TestingDevice device;
  device.recording = {{0x40000000}, {0x3f800000}, {0x7f800000}};
  const FunctionResult result = SweepOperation(device, kSqrt, Small());
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.statistics.inputs, 3u);
  EXPECT_EQ(result.statistics.worst.args, std::vector<Bits>{0x40000000});
}

TEST(SweepTest, HalfIsExhaustiveAtLevelStandard) {
  TestingDevice device;
  SweepOptions options = Small();
  options.inputs.level = Level::kStandard;
  const FunctionResult result =
      SweepOperation(device, Operation::Builtin(Function::sqrt, Format::kHalf), options);
  EXPECT_TRUE(result.exhaustive);
  EXPECT_EQ(result.statistics.inputs, 65536u);
  EXPECT_EQ(result.verdict, Verdict::kPass);
}

TEST(SweepTest, BuildOptionOfCorrectDivisionTightensTheLimit) {
  const Operation div = Operation::Builtin(Function::div, Format::kFloat);
  TestingDevice device([](std::span<const Bits>, int, Bits right) {
    const Bits magnitude = right & 0x7fffffff;
    return magnitude > 0x3f800000 && magnitude < 0x40000000 ? right + 1 : right;
  });
  SweepOptions options = Small();
  EXPECT_EQ(SweepOperation(device, div, options).verdict, Verdict::kPass);
  options.build_options = "-cl-fp32-correctly-rounded-divide-sqrt";
  EXPECT_EQ(SweepOperation(device, div, options).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace assay::oracle
