#include "oracle/report/brief.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/text.h"
#include "numerics/function.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using numerics::Function;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Lines that are no command, which stays whole so that it can be pasted.
void ExpectNarrow(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (!line.starts_with("    assay ")) {
      EXPECT_LE(line.size(), base::kColumns) << line;
    }
    at = end + 1;
  }
}

FunctionResult Failed(Function function, double ulp) {
  FunctionResult result = ResultOf(FloatOperation(function), ulp, Verdict::kFail);
  result.statistics.worst.rule = Rule::kOverLimit;
  result.statistics.AddFailure(result.statistics.worst, 10);
  return result;
}

FunctionResult Unsupported(Function function) {
  FunctionResult result = ResultOf(FloatOperation(function), 0, Verdict::kUnsupported);
  result.statistics = {};
  result.message = result.operation.Name() +
                   " has no counterpart in a C math library, and the "
                   "text of this reason is longer than one line";
  return result;
}

TEST(BriefTest, FailuresComeFirstAndPassesAreACount) {
  std::vector<FunctionResult> results;
  for (int i = 0; i < 20; ++i) results.push_back(ResultOf(FloatOperation(Function::sin), 1));
  results.push_back(Failed(Function::exp, 3.5));
  results.push_back(Failed(Function::exp2, 900));
  results.push_back(Unsupported(Function::cospi));
  results.push_back(Unsupported(Function::sinpi));
  const std::string text = TableEnd(TableKind::kBrief, ReportOf("one", results).report);
  EXPECT_THAT(text,
              StartsWith("exp float: fails, error over the limit; largest error 3.50000 ulp"));
  EXPECT_THAT(text, Not(HasSubstr("sin float")));
  EXPECT_THAT(text, HasSubstr("\n20 pass, 2 fail, 2 unsupported, 0 not measured; "));
  EXPECT_THAT(text, HasSubstr("\n2 unsupported: ... has no counterpart in a C math library, and"));
  // Of the largest error.
  EXPECT_THAT(text, HasSubstr("The worst failure again (--json FILE has a command for each):\n"
                              "    assay validate"));
  EXPECT_THAT(text, HasSubstr("--functions exp2 "));
  EXPECT_THAT(text, Not(HasSubstr("--functions exp ")));
  ExpectNarrow(text);
}

// The command asks the answer that the text shows, and not the first one that failed.
TEST(BriefTest, TheCommandIsOfTheAnswerThatIsShown) {
  FunctionResult result = ResultOf(FloatOperation(Function::exp), 900, Verdict::kFail);
  result.statistics.worst.rule = Rule::kOverLimit;
  result.statistics.worst.args = {0x47000000};
  Sighting earlier = result.statistics.worst;
  earlier.args = {0xc16912cd};
  earlier.ulp = 5;
  result.statistics.AddFailure(earlier, 10);
  const std::string text = TableEnd(TableKind::kBrief, ReportOf("one", {result}).report);
  EXPECT_THAT(text, HasSubstr("exp(32768 (0x47000000)) gave"));
  EXPECT_THAT(text, HasSubstr(" --at 0x47000000"));
  EXPECT_THAT(text, Not(HasSubstr("0xc16912cd")));
}

TEST(BriefTest, PassesOfFewFunctionsAreToldWithTheirErrors) {
  const InputReport one = ReportOf("one", {ResultOf(FloatOperation(Function::sin), 1)});
  const std::string text = TableEnd(TableKind::kBrief, one.report);
  EXPECT_THAT(text, StartsWith("sin float: pass; largest error 1.00000 ulp, limit "));
  EXPECT_THAT(text, HasSubstr("    sin("));
  EXPECT_THAT(text, Not(HasSubstr("again")));
  ExpectNarrow(text);
}

TEST(BriefTest, AnInfiniteErrorHasTheLargestOfOtherBinadesBesideIt) {
  FunctionResult result = Failed(Function::exp, std::numeric_limits<double>::infinity());
  result.statistics.binades[2] = {10, 7.5};
  const std::string text = TableEnd(TableKind::kBrief, ReportOf("one", {result}).report);
  EXPECT_THAT(text, HasSubstr("largest error inf ulp (in other\n    binades 7.50000)"));
}

TEST(BriefTest, RowsFitAndTheWideTableIsTheOldOne) {
  const FunctionResult result = ResultOf(FloatOperation(Function::sin), 1);
  for (const std::string& line :
       {TableBegin(TableKind::kRows), TableLine(TableKind::kRows, result)}) {
    ExpectNarrow(line);
  }
  EXPECT_THAT(TableLine(TableKind::kRows, result), HasSubstr(" pass\n"));
  EXPECT_EQ(TableLine(TableKind::kBrief, result), "");
  EXPECT_THAT(TableBegin(TableKind::kWide), HasSubstr("observed"));
}

TEST(BriefTest, TheWideTableIsAskedFor) {
  EXPECT_EQ(TableKindOf(false, false), TableKind::kBrief);
  EXPECT_EQ(TableKindOf(true, false), TableKind::kRows);
  EXPECT_EQ(TableKindOf(true, true), TableKind::kWide);
}

}  // namespace
}  // namespace assay::oracle
