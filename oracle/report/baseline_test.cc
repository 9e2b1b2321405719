// What counts as worse than a baseline, and what cannot be compared with it.
#include "oracle/report/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "numerics/function.h"
#include "oracle/report/junit.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using numerics::Function;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

FunctionResult SineOf(double ulp) {
  return ResultOf(FloatOperation(Function::sin), ulp, ulp <= 4 ? Verdict::kPass : Verdict::kFail);
}

FunctionResult SineOf(Verdict verdict) {
  FunctionResult result = SineOf(1);
  result.verdict = verdict;
  return result;
}

struct HeldPair {
  InputReport before, after;
  BaselineComparison comparison;
};

// Its comparison points into it.
std::unique_ptr<HeldPair> HeldAgainst(std::vector<FunctionResult> before,
                                      std::vector<FunctionResult> after, bool all_formats = true) {
  auto pair = std::make_unique<HeldPair>(ReportOf("old", std::move(before)),
                                         ReportOf("new", std::move(after)));
  pair->comparison = CompareWithBaseline(pair->before, pair->after.report, all_formats);
  return pair;
}

std::string Said(const FunctionResult& before, const FunctionResult& after) {
  const auto pair = HeldAgainst({before}, {after});
  if (pair->comparison.rows.empty()) return "the same";
  const BaselineRow& row = pair->comparison.rows.at(0);
  return std::string(TrendText(row.trend)) + ": " + row.reason;
}

TEST(BaselineTest, WhatIsWorse) {
  EXPECT_EQ(Said(SineOf(1), SineOf(1)), "the same");
  EXPECT_EQ(Said(SineOf(1), SineOf(5)), "worse: newly failing");
  EXPECT_EQ(Said(SineOf(5), SineOf(6)), "worse: a larger error");
  EXPECT_EQ(Said(SineOf(5), SineOf(5)), "the same") << "an old failure";
  EXPECT_EQ(Said(SineOf(1), SineOf(2)), "changed: a larger error, within the limit");
  EXPECT_EQ(Said(SineOf(2), SineOf(1)), "better: a smaller error");
  EXPECT_EQ(Said(SineOf(6), SineOf(5)), "better: a smaller error");
  EXPECT_EQ(Said(SineOf(5), SineOf(1)), "better: fixed");
  EXPECT_EQ(Said(SineOf(1), SineOf(Verdict::kNotMeasured)), "worse: no longer measured");
  EXPECT_EQ(Said(SineOf(5), SineOf(Verdict::kUnsupported)), "worse: no longer supported");
  EXPECT_EQ(Said(SineOf(Verdict::kNotMeasured), SineOf(Verdict::kNotMeasured)), "the same");
  EXPECT_EQ(Said(SineOf(Verdict::kNotMeasured), SineOf(1)), "better: measured now");
  EXPECT_EQ(Said(SineOf(Verdict::kNotMeasured), SineOf(5)), "worse: newly failing");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Said(SineOf(5), SineOf(infinity)), "worse: a larger error");
}

TEST(BaselineTest, OtherAndMoreFailuresOfARowThatFails) {
  FunctionResult more = SineOf(5);
  Sighting other = more.statistics.recorded[0];
  other.args = {0x40000000};
  more.statistics.AddFailure(other, 10);
  EXPECT_EQ(Said(SineOf(5), more), "worse: other inputs fail");
  EXPECT_EQ(Said(more, SineOf(5)), "better: fewer inputs fail");
  // Where not all of them are known, their number tells it.
  FunctionResult many = SineOf(5), most = SineOf(5);
  many.statistics.failures = 100;
  most.statistics.failures = 101;
  EXPECT_EQ(Said(many, most), "worse: more inputs fail");
  EXPECT_EQ(Said(most, many), "better: fewer inputs fail");
  // A smaller error does not make up for new failures.
  FunctionResult smaller = ResultOf(FloatOperation(Function::sin), 4.5, Verdict::kFail);
  smaller.statistics.failures = 101;
  EXPECT_EQ(Said(many, smaller), "worse: more inputs fail");
}

TEST(BaselineTest, RowsOfOneRunOnly) {
  const FunctionResult cos = ResultOf(FloatOperation(Function::cos), 1);
  const FunctionResult tan = ResultOf(FloatOperation(Function::tan), 9, Verdict::kFail);
  const auto pair = HeldAgainst({cos}, {SineOf(1), tan});
  ASSERT_THAT(pair->comparison.rows, SizeIs(3));
  EXPECT_EQ(pair->comparison.rows[0].reason, "fails, and is not in the baseline");
  EXPECT_EQ(pair->comparison.rows[1].reason, "not in the baseline");
  EXPECT_EQ(pair->comparison.rows[2].reason, "not asked in this run");
  EXPECT_THAT(pair->comparison.counts, ElementsAre(1, 0, 0, 2, 0));
}

TEST(BaselineTest, AFormatThatTheDeviceHasNoMoreIsWorse) {
  const auto wide = numerics::Operation::Builtin(Function::sin, numerics::Format::kDouble);
  const auto compare = [&](bool all_formats, bool has_it) {
    InputReport before = ReportOf("old", {ResultOf(wide, 1)});
    InputReport after = ReportOf("new", {SineOf(1)});
    before.report.device.supports[3] = true;
    after.report.device.supports[3] = has_it;
    return CompareWithBaseline(before, after.report, all_formats).rows.at(0).reason;
  };
  EXPECT_EQ(compare(true, false), "the device no longer has double");
  EXPECT_EQ(compare(true, true), "not in the baseline");
  EXPECT_EQ(compare(false, false), "not in the baseline") << "--formats float";
}

TEST(BaselineTest, AnotherLimitIsNotCompared) {
  FunctionResult other = SineOf(5);
  other.limit = "2 ulp";
  EXPECT_THAT(Said(SineOf(1), other), HasSubstr("not comparable: the limit was"));
}

TEST(BaselineTest, AnInterruptedRunAccusesNobodyOfWhatItDidNotMeasure) {
  InputReport before = ReportOf("old", {SineOf(1)});
  InputReport after = ReportOf("new", {SineOf(Verdict::kNotMeasured)});
  after.report.interrupted = true;
  const auto comparison = CompareWithBaseline(before, after.report, true);
  EXPECT_EQ(comparison.Count(Trend::kWorse), 0u);
  EXPECT_EQ(comparison.rows.at(0).reason, "this run was interrupted");
}

TEST(BaselineTest, RunsThatCannotBeCompared) {
  InputReport before = ReportOf("old", {SineOf(1)});
  const Report& report = before.report;
  EXPECT_THAT(WhyIncomparable(before, report.device, report.run), IsEmpty());
  DeviceDescription newer = report.device;
  newer.driver_version = "2.0";
  EXPECT_THAT(WhyIncomparable(before, newer, report.run), IsEmpty()) << "what a baseline is for";
  newer.name = "another device";
  EXPECT_THAT(WhyIncomparable(before, newer, report.run), SizeIs(1));
  RunInfo run = report.run;
  run.level = "standard";
  run.options.inputs.seed += 1;
  run.options.inputs.range = RangeEnds{"0.5", "2"};
  run.tool_version = "9.9.9";
  EXPECT_THAT(
      WhyIncomparable(before, report.device, run),
      ElementsAre("the version of assay was  and is 9.9.9", "--level was smoke and is standard",
                  "--seed was 1 and is 2", "--range was not given and is 0.5,2"));
  // A library lies in another folder in each build.
  before.report.device = {.kind = "library", .name = "/a/libm.so"};
  EXPECT_THAT(WhyIncomparable(before, {.kind = "library", .name = "/b/libm.so"}, report.run),
              IsEmpty());
  EXPECT_THAT(WhyIncomparable(before, {.kind = "library", .name = "/a/libn.so"}, report.run),
              SizeIs(1));
}

TEST(BaselineTest, TextAndJsonSayIt) {
  const auto pair = HeldAgainst({SineOf(1)}, {SineOf(5)});
  const std::string text = BaselineText(pair->comparison, pair->after.report);
  EXPECT_THAT(text, HasSubstr("against the baseline old.json: 1 worse, 0 better, 0 changed, 0 not "
                              "comparable, 0 the same\n"));
  EXPECT_THAT(text, HasSubstr("pass 1.00000 -> fail 5.00000: newly failing\n"));
  EXPECT_THAT(text, HasSubstr("    assay validate --opencl Mine --functions sin --formats float"));
  const auto json = BaselineJson(pair->comparison, pair->after.report);
  EXPECT_EQ(json["counts"]["worse"], 1);
  EXPECT_EQ(json["counts"]["not_comparable"], 0);
  EXPECT_EQ(json["rows"][0]["trend"], "worse");
  EXPECT_EQ(json["rows"][0]["after"]["verdict"], "fail");
  EXPECT_EQ(json["rows"][0]["before"]["max_ulp"], 1);
}

TEST(BaselineTest, JUnitFailsForWhatIsWorseOnly) {
  const FunctionResult old = ResultOf(FloatOperation(Function::cos), 9, Verdict::kFail);
  const FunctionResult gone = ResultOf(FloatOperation(Function::tan), 1);
  const auto pair = HeldAgainst({SineOf(1), old, gone}, {SineOf(5), old});
  const std::string xml = ToJUnit(pair->after.report, pair->comparison);
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" skipped=\"1\" errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<property name=\"baseline\" value=\"old.json\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"worse than the baseline: newly failing\">"));
  EXPECT_THAT(xml, HasSubstr("<system-out>as in the baseline\n"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"not asked in this run\"/>"));
  EXPECT_THAT(xml, Not(HasSubstr("<error")));
}

}  // namespace
}  // namespace assay::oracle
