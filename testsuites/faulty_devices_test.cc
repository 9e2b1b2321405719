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
  options.search_evaluations = setting.search;
  if (!setting.all_widths) options.widths = {1};
  options.build_options = setting.build_options;
  options.reading = setting.reading;
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

class SearchFaultTest : public testing::TestWithParam<Case> {};

// The same number of inputs, all of them random: without the search nobody would know.
TEST_P(SearchFaultTest, IsMissedByRandomInputs) {
  Case row = GetParam();
  row.setting.samples += row.setting.search;
  row.setting.search = 0;
  FaultyDevice device(row);
  const FunctionResult result = Judge(device, row);
  EXPECT_EQ(result.verdict, Verdict::kPass) << "random inputs find it, too";
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

class UnusualDeviceTest : public testing::TestWithParam<UnusualDevice> {};

TEST_P(UnusualDeviceTest, PassesByItsOwnReading) {
  const UnusualDevice& row = GetParam();
  const Operation operation = OperationOf(row.device);
  FaultyDevice device(row.device);
  const FunctionResult result = Judge(device, row.device);
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.message;
  for (std::size_t i = 0; i < std::min<std::size_t>(result.statistics.recorded.size(), 5); ++i) {
    ADD_FAILURE() << Show(operation, result.statistics.recorded[i]);
  }
  EXPECT_EQ(device.Alterations().empty(), row.device.fault == nullptr);
}

TEST_P(UnusualDeviceTest, FailsWhenSlightlyWrong) {
  const UnusualDevice& row = GetParam();
  ASSERT_TRUE(row.wrong != nullptr || row.refused_by) << "nothing shows that anything is asked";
  if (row.wrong == nullptr) return;  // any value conforms
  Case wrong = row.device;
  wrong.fault = row.wrong;
  FaultyDevice device(wrong);
  const FunctionResult result = Judge(device, wrong);
  ASSERT_FALSE(device.Alterations().empty()) << "the inputs never meet the fault";
  ASSERT_EQ(result.verdict, Verdict::kFail);
  for (const Sighting& failure : result.statistics.recorded) {
    EXPECT_NE(failure.refused_by & oracle::ReadingBit(wrong.setting.reading), 0);
    const bool known = std::any_of(
        device.Alterations().begin(), device.Alterations().end(),
        [&](const auto& a) { return a.args == failure.args && a.observed == failure.observed; });
    EXPECT_TRUE(known) << "a correct answer was refused: " << Show(OperationOf(wrong), failure);
  }
}

// What another reading refuses is told in the same run, and is what that reading refuses itself.
TEST_P(UnusualDeviceTest, OtherReadingsAreReportedToo) {
  const UnusualDevice& row = GetParam();
  FaultyDevice device(row.device);
  const FunctionResult own = Judge(device, row.device);
  for (oracle::Reading reading : oracle::kReadings) {
    if (reading == row.device.setting.reading) continue;
    SCOPED_TRACE(oracle::ReadingName(reading));
    const auto& told = own.statistics.readings[static_cast<std::size_t>(reading)];
    Case theirs = row.device;
    theirs.setting.reading = reading;
    FaultyDevice again(theirs);
    const FunctionResult result = Judge(again, theirs);
    EXPECT_EQ(told.failures, result.statistics.failures);
    if (row.refused_by == reading) {
      EXPECT_EQ(result.verdict, Verdict::kFail);
    }
    if (result.verdict == Verdict::kUnsupported) continue;
    ASSERT_EQ(told.has_first, result.statistics.failures > 0);
    if (!told.has_first) continue;
    EXPECT_EQ(told.first.args, result.statistics.recorded.front().args);
    EXPECT_EQ(told.first.rule, result.statistics.recorded.front().rule);
  }
}

INSTANTIATE_TEST_SUITE_P(Readings, UnusualDeviceTest,
                         testing::ValuesIn(UnusualDevices().begin(), UnusualDevices().end()),
                         [](const testing::TestParamInfo<UnusualDevice>& info) {
                           return std::string(info.param.device.name);
                         });
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
INSTANTIATE_TEST_SUITE_P(Search, FaultyDeviceTest,
                         testing::ValuesIn(SearchFaults().begin(), SearchFaults().end()), NameOf);
INSTANTIATE_TEST_SUITE_P(Search, SearchFaultTest,
                         testing::ValuesIn(SearchFaults().begin(), SearchFaults().end()), NameOf);
INSTANTIATE_TEST_SUITE_P(Unusual, CorrectDeviceTest,
                         testing::ValuesIn(CorrectDevices().begin(), CorrectDevices().end()),
                         NameOf);

TEST(FaultyDevicesTest, ThereAreEnoughOfThem) {
  std::set<std::string_view> faulty;
  std::size_t rows = 0;
  for (const auto table :
       {ZeroSignFaults(), SpecialValueFaults(), AccuracyFaults(), ExactResultFaults(),
        RangeFaults(), ConversionFaults(), WidthFaults(), SecondResultFaults(),
        CommonAndGeometricFaults(), RelaxedMathFaults(), SearchFaults()}) {
    rows += table.size();
    for (const Case& row : table) faulty.insert(row.name);
  }
  EXPECT_EQ(faulty.size(), rows) << "two devices share a name";
  EXPECT_GE(faulty.size(), 80u);
  EXPECT_GE(CorrectDevices().size(), 20u);
  EXPECT_GE(UnusualDevices().size(), 20u);
}

}  // namespace
}  // namespace assay::testsuites
