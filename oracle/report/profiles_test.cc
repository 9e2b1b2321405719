#include "oracle/report/profiles.h"

#include <gtest/gtest.h>

#include "numerics/function.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using numerics::Function;

// The environment specification's tables: exp is 3 ulp in the full and 4 in the embedded profile,
// sin 4 in both, division 2.5 and 3; half_sin 8192 in both.
ProfileVerdict Embedded(const FunctionResult& result) {
  return VerdictUnder(Profile::kEmbedded, {}, {}, result);
}
FunctionResult Exp(double ulp) {
  return ResultOf(FloatOperation(Function::exp), ulp, ulp <= 3 ? Verdict::kPass : Verdict::kFail);
}

TEST(ReportProfilesTest, TheMeasuredProfileIsMeasured) {
  const ProfileVerdict full = VerdictUnder(Profile::kFull, {}, {}, Exp(3.5));
  EXPECT_TRUE(full.measured);
  EXPECT_EQ(full.verdict, Verdict::kFail);
}

TEST(ReportProfilesTest, AnErrorIsHeldAgainstTheOtherLimit) {
  EXPECT_EQ(Embedded(Exp(2)).verdict, Verdict::kPass);
  EXPECT_EQ(Embedded(Exp(3.5)).verdict, Verdict::kPass);
  EXPECT_EQ(Embedded(Exp(4)).verdict, Verdict::kPass);
  EXPECT_EQ(Embedded(Exp(4.01)).verdict, Verdict::kFail);
  EXPECT_FALSE(Embedded(Exp(2)).measured);
}

TEST(ReportProfilesTest, AFullVerdictFollowsFromAnEmbeddedRun) {
  RunInfo run;
  run.options.profile = Profile::kEmbedded;
  FunctionResult result = Exp(3.5);
  result.limit = "4";
  result.verdict = Verdict::kPass;
  result.statistics.failures = 0;
  result.statistics.recorded.clear();
  EXPECT_EQ(VerdictUnder(Profile::kFull, run, {}, result).verdict, Verdict::kFail);
  result.statistics.max_ulp = 2.9;
  EXPECT_EQ(VerdictUnder(Profile::kFull, run, {}, result).verdict, Verdict::kPass);
}

TEST(ReportProfilesTest, AFailureOfClassFailsInBoth) {
  for (Rule rule : {Rule::kWrongNan, Rule::kWrongInfinity, Rule::kWrongZeroSign,
                    Rule::kWrongPrescribed, Rule::kWrongInteger}) {
    FunctionResult result = Exp(3.5);
    result.statistics.recorded[0].rule = rule;
    EXPECT_EQ(Embedded(result).verdict, Verdict::kFail) << RuleText(rule);
  }
  EXPECT_EQ(Embedded(Exp(std::numeric_limits<double>::infinity())).verdict, Verdict::kFail);
}

TEST(ReportProfilesTest, UnknownVerdictsAreNotMeasured) {
  // More failures than are recorded: one of them may be of class.
  FunctionResult result = Exp(3.5);
  result.statistics.failures = 2;
  EXPECT_EQ(Embedded(result).verdict, Verdict::kNotMeasured);
  // An error that is too large is enough, however little else is known.
  result.statistics.max_ulp = 9;
  EXPECT_EQ(Embedded(result).verdict, Verdict::kFail);
  FunctionResult partial = Exp(2);
  partial.verdict = Verdict::kNotMeasured;
  EXPECT_EQ(Embedded(partial).verdict, Verdict::kNotMeasured);
  FunctionResult lost = Exp(3.5);
  lost.lost.push_back({.width = 8});
  EXPECT_EQ(Embedded(lost).verdict, Verdict::kNotMeasured);
  FunctionResult nothing = Exp(2);
  nothing.statistics = {};
  EXPECT_EQ(Embedded(nothing).verdict, Verdict::kNotMeasured);
}

TEST(ReportProfilesTest, TheSameLimitGivesTheSameVerdict) {
  const FunctionResult sin = ResultOf(FloatOperation(Function::sin), 9, Verdict::kFail);
  EXPECT_EQ(Embedded(sin).verdict, Verdict::kFail);
  EXPECT_FALSE(Embedded(sin).measured);
  FunctionResult partial = ResultOf(FloatOperation(Function::sin), 1, Verdict::kNotMeasured);
  EXPECT_EQ(Embedded(partial).verdict, Verdict::kNotMeasured);
  FunctionResult unsupported = Exp(2);
  unsupported.verdict = Verdict::kUnsupported;
  EXPECT_EQ(Embedded(unsupported).verdict, Verdict::kUnsupported);
}

// Double sqrt is correctly rounded in both; a directed suffix has errors up to a whole ulp.
TEST(ReportProfilesTest, PlotsHaveTheLimitOfTheMode) {
  using numerics::ScalarType;
  const auto plotted = [](const numerics::Operation& operation) {
    return PlottedLimit(Profile::kFull, {}, {}, operation);
  };
  EXPECT_EQ(plotted(FloatOperation(Function::exp)), 3);
  EXPECT_EQ(plotted(FloatOperation(Function::add)), 0.5);
  EXPECT_EQ(plotted(numerics::Operation::VstoreHalf(ScalarType::kFloat, numerics::Rounding::kRtz)),
            1);
  EXPECT_EQ(plotted(FloatOperation(Function::native_sin)), std::nullopt);
}

}  // namespace
}  // namespace assay::oracle
