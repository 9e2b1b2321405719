// The self-test of the verdicts: deliberately wrong devices are judged `fail` at the right input,
// correct but unusual ones `pass`.  The rows stand in faulty_devices/.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "numerics/literal.h"
#include "testsuites/faulty_devices/faulty_device.h"

namespace assay::testsuites {
namespace {

using oracle::FunctionResult;
using oracle::Sighting;
using oracle::Verdict;

constexpr std::size_t kMaxFailures = 50;

Operation OperationOf(const Case& row) {
  auto operation = numerics::OperationFromName(row.function, row.format);
  if (!operation) {
    ADD_FAILURE() << operation.error().message;
    return {};
  }
  return *operation;
}

FunctionResult Judge(FaultyDevice& device, const Case& row) {
  const Setting& setting = row.setting;
  oracle::SweepOptions options;
  options.profile = setting.profile;
  options.math = setting.math;
  options.inputs = {.level = setting.level, .samples = setting.samples};
  if (!setting.all_widths) options.widths = {1};
  options.build_options = setting.build_options;
  options.max_failures = kMaxFailures;
  options.threads = 1;
  return SweepOperation(device, OperationOf(row), options);
}

std::vector<Bits> ParseOperands(const Operation& operation, std::string_view text) {
  std::vector<Bits> operands;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    auto bits = numerics::ParseLiteral(operation.Inputs()[column++].type, text.substr(0, end));
    EXPECT_TRUE(bits) << text;
    operands.push_back(bits ? *bits : 0);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return operands;
}

std::string Show(const Operation& operation, const Sighting& s) {
  std::string text;
  std::size_t i = 0;
  for (const numerics::Slot& slot : operation.Inputs()) {
    for (int c = 0; c < slot.components; ++c) {
      text += numerics::FormatDecimal(slot.type, s.args[i++]) + " ";
    }
  }
  return fmt::format("{}-> result {} {:#x}, expected {:#x}, {} ulp, width {} lane {}: {}", text,
                     s.result, s.observed, s.expected, s.ulp, s.width, s.lane,
                     oracle::RuleText(s.rule));
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.name);
}

class FaultyDeviceTest : public testing::TestWithParam<Case> {};

TEST_P(FaultyDeviceTest, IsJudgedFailAtTheRightInput) {
  const Case& row = GetParam();
  const Operation operation = OperationOf(row);
  FaultyDevice device(row);
  const FunctionResult result = Judge(device, row);
  const oracle::Statistics& statistics = result.statistics;
  const std::vector<FaultyDevice::Alteration>& altered = device.Alterations();

  ASSERT_FALSE(altered.empty()) << "the inputs never meet the fault";
  ASSERT_EQ(result.verdict, Verdict::kFail) << altered.size() << " wrong answers survived";
  ASSERT_FALSE(statistics.recorded.empty());
  const Sighting& first = statistics.recorded.front();
  EXPECT_EQ(first.rule, row.rule.value_or(first.rule)) << Show(operation, first);
  EXPECT_EQ(first.args, row.at.empty() ? first.args : ParseOperands(operation, row.at));

  // Every failure is one of the faulty answers, told with the right place.
  for (const Sighting& failure : statistics.recorded) {
    const bool known = std::any_of(altered.begin(), altered.end(), [&](const auto& a) {
      return std::tie(a.item, a.width, a.lane, a.result, a.args, a.observed) ==
             std::tie(failure.item, failure.width, failure.lane, failure.result, failure.args,
                      failure.observed);
    });
    EXPECT_TRUE(known) << "a correct answer was refused: " << Show(operation, failure);
  }
  if (row.every_is_wrong) {
    EXPECT_EQ(statistics.failures, altered.size() + device.Repetitions());
    const auto earliest =
        std::min_element(altered.begin(), altered.end(), [](const auto& a, const auto& b) {
          return std::tie(a.item, a.width, a.result) < std::tie(b.item, b.width, b.result);
        });
    EXPECT_EQ(first.item, earliest->item);
    EXPECT_EQ(first.width, earliest->width);
  }
  // The worst answer is the one with the largest error of all.
  const FaultyDevice::Worst& worst = device.WorstAnswer();
  ASSERT_TRUE(statistics.has_worst);
  // The device goes by the fast path, whose fractions are true to 2^-22; the report is exact.
  if (std::isfinite(worst.ulp)) {
    EXPECT_NEAR(statistics.worst.ulp, worst.ulp, 1e-6 * std::max(1.0, worst.ulp))
        << Show(operation, statistics.worst);
  } else {
    EXPECT_EQ(statistics.worst.ulp, worst.ulp) << Show(operation, statistics.worst);
  }
  EXPECT_EQ(statistics.worst.args, worst.args) << Show(operation, statistics.worst);
  EXPECT_EQ(statistics.worst.width, worst.width);
  EXPECT_EQ(statistics.worst.result, worst.result);
}

class CorrectDeviceTest : public testing::TestWithParam<Case> {};

TEST_P(CorrectDeviceTest, IsJudgedPass) {
  const Case& row = GetParam();
  const Operation operation = OperationOf(row);
  FaultyDevice device(row);
  const FunctionResult result = Judge(device, row);
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.message;
  for (std::size_t i = 0; i < std::min<std::size_t>(result.statistics.recorded.size(), 5); ++i) {
    ADD_FAILURE() << Show(operation, result.statistics.recorded[i]);
  }
  // Unusual indeed: some answers differ from the correctly rounded ones.
  EXPECT_EQ(device.Alterations().empty(), row.fault == nullptr);
}

INSTANTIATE_TEST_SUITE_P(ZeroSigns, FaultyDeviceTest,
                         testing::ValuesIn(ZeroSignFaults().begin(), ZeroSignFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(SpecialValues, FaultyDeviceTest,
                         testing::ValuesIn(SpecialValueFaults().begin(),
                                           SpecialValueFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Accuracy, FaultyDeviceTest,
                         testing::ValuesIn(AccuracyFaults().begin(), AccuracyFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(ExactResults, FaultyDeviceTest,
                         testing::ValuesIn(ExactResultFaults().begin(), ExactResultFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Ranges, FaultyDeviceTest,
                         testing::ValuesIn(RangeFaults().begin(), RangeFaults().end()), NameOf);
INSTANTIATE_TEST_SUITE_P(Conversions, FaultyDeviceTest,
                         testing::ValuesIn(ConversionFaults().begin(), ConversionFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Widths, FaultyDeviceTest,
                         testing::ValuesIn(WidthFaults().begin(), WidthFaults().end()), NameOf);
INSTANTIATE_TEST_SUITE_P(SecondResults, FaultyDeviceTest,
                         testing::ValuesIn(SecondResultFaults().begin(),
                                           SecondResultFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(CommonAndGeometric, FaultyDeviceTest,
                         testing::ValuesIn(CommonAndGeometricFaults().begin(),
                                           CommonAndGeometricFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(RelaxedMath, FaultyDeviceTest,
                         testing::ValuesIn(RelaxedMathFaults().begin(), RelaxedMathFaults().end()),
                         NameOf);
INSTANTIATE_TEST_SUITE_P(Unusual, CorrectDeviceTest,
                         testing::ValuesIn(CorrectDevices().begin(), CorrectDevices().end()),
                         NameOf);

TEST(FaultyDevicesTest, ThereAreEnoughOfThem) {
  std::set<std::string_view> faulty;
  std::size_t rows = 0;
  for (const auto table : {ZeroSignFaults(), SpecialValueFaults(), AccuracyFaults(),
                           ExactResultFaults(), RangeFaults(), ConversionFaults(), WidthFaults(),
                           SecondResultFaults(), CommonAndGeometricFaults(), RelaxedMathFaults()}) {
    rows += table.size();
    for (const Case& row : table) faulty.insert(row.name);
  }
  EXPECT_EQ(faulty.size(), rows) << "two devices share a name";
  EXPECT_GE(faulty.size(), 80u);
  EXPECT_GE(CorrectDevices().size(), 20u);
}

}  // namespace
}  // namespace assay::testsuites
