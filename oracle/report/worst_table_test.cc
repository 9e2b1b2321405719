#include "oracle/report/worst_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;
using testing::Not;

FunctionResult Result(Function function, Format format, double ulp, bool exhaustive,
                      numerics::Bits operand) {
  FunctionResult result;
  result.operation = Operation::Builtin(function, format);
  result.verdict = ulp > 4 ? Verdict::kFail : Verdict::kPass;
  result.exhaustive = exhaustive;
  result.limit = "4";
  result.statistics.inputs = 10;
  result.statistics.OfferWorst({.args = {operand}, .ulp = ulp});
  return result;
}

InputReport Of(const std::string& label, const std::string& name,
               std::vector<FunctionResult> results) {
  InputReport input;
  input.label = label;
  input.report.device.kind = "opencl";
  input.report.device.name = name;
  input.report.device.driver_version = "1.0";
  input.report.run.origin.date = "2026-11-22T17:05:00Z";
  input.report.results = std::move(results);
  return input;
}

TEST(WorstTableTest, OneColumnForADeviceAndTheExhaustiveResultFirst) {
  const std::vector<InputReport> reports = {
      Of("a", "GPU", {Result(Function::sin, Format::kFloat, 9, false, 0x3f800000)}),
      Of("b", "GPU",
         {Result(Function::sin, Format::kFloat, 1.25, true, 0x40000000),
          Result(Function::cos, Format::kDouble, 0.50001, false, 1)}),
      Of("c", "CPU <1>", {Result(Function::sin, Format::kFloat, 5.00001, false, 0x3f000000)})};
  const std::vector<WorstColumn> columns = WorstColumns(reports);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].device, "GPU");
  EXPECT_EQ(columns[0].date, "2026-11-22");
  const std::string text = WorstTableMarkdown(columns);
  EXPECT_THAT(text, HasSubstr("| sin | **1.2500** `0x40000000` | 5.0001! `0x3f000000` |"));
  EXPECT_THAT(text, HasSubstr("| cos | 0.5001 `0x0000000000000001` |\n"));
  EXPECT_THAT(text, HasSubstr("## double"));
  EXPECT_THAT(text, Not(HasSubstr("## half")));
}

// All numbers of a range are not all that there are.
TEST(WorstTableTest, ARangeIsNotExhaustive) {
  std::vector<InputReport> reports = {
      Of("a", "GPU", {Result(Function::sin, Format::kFloat, 1.25, true, 0x40000000)}),
      Of("b", "GPU", {Result(Function::sin, Format::kFloat, 1.5, false, 0x3f800000)})};
  reports[0].report.run.options.inputs.range = RangeEnds{"1", "2"};
  const std::string text = WorstTableMarkdown(WorstColumns(reports));
  EXPECT_THAT(text, HasSubstr("| sin | 1.5000 `0x3f800000` |"));
  reports.pop_back();
  EXPECT_THAT(WorstTableMarkdown(WorstColumns(reports)),
              HasSubstr("| sin | 1.2500 `0x40000000` |"));
}

TEST(WorstTableTest, OtherOptionsAreOtherColumns) {
  std::vector<InputReport> reports = {
      Of("a", "GPU", {Result(Function::sin, Format::kFloat, 1, false, 1)}),
      Of("b", "GPU", {Result(Function::sin, Format::kFloat, 2, false, 1)})};
  reports[1].report.run.options.build_options = "-cl-mad-enable";
  EXPECT_EQ(WorstColumns(reports).size(), 2u);
  EXPECT_THAT(WorstTableMarkdown(WorstColumns(reports)), HasSubstr("-cl-mad-enable"));
}

// An error that is printed bounds the one that was measured.
TEST(WorstTableTest, ErrorsAreRoundedUp) {
  const auto shown = [](double ulp) {
    const std::vector<InputReport> reports = {
        Of("a", "GPU", {Result(Function::sin, Format::kFloat, ulp, false, 1)})};
    return WorstTableMarkdown(WorstColumns(reports));
  };
  EXPECT_THAT(shown(0.5), HasSubstr(" 0.5000 "));
  EXPECT_THAT(shown(0.50000001), HasSubstr(" 0.5001 "));
  EXPECT_THAT(shown(123.451), HasSubstr(" 123.46! "));
  EXPECT_THAT(shown(HUGE_VAL), HasSubstr(" inf! "));
}

}  // namespace
}  // namespace assay::oracle
