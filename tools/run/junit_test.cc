// What continuous integration is told of a run: failures where the exit code is 1, and only there.
#include "tools/run/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/rules/rule.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using interp::LaunchEnd;
using interp::Rule;
using testing::HasSubstr;
using testing::Not;

ReportedFinding Finding(Rule rule, std::size_t launch = 0) {
  ReportedFinding reported{.finding = interp::Finding(rule), .launch = launch};
  reported.finding.message = "a < b & \"c\"";
  reported.finding.source = "k.cl:3:1";
  return reported;
}

RunReport Report() {
  RunReport report;
  report.modules = {"k.cl"};
  report.launches.push_back({.kernel = "first"});
  report.replay.command = "assay run k.cl -g 4";
  return report;
}

TEST(RunJUnitTest, ARunWithoutFailures) {
  RunReport report = Report();
  report.expectations.push_back({.what = "output", .met = true});
  const std::string xml = RunJUnit(report);
  EXPECT_EQ(RunExitCode(report), kExitConforming);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"assay run k.cl\" tests=\"3\" failures=\"0\" "
                             "skipped=\"0\" errors=\"0\" time=\"0.000\">"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"command\" value=\"assay run k.cl -g 4\"/>"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"k.cl\" name=\"first\">\n  </testcase>"));
  EXPECT_THAT(xml, HasSubstr("name=\"expects output\">\n  </testcase>"));
}

TEST(RunJUnitTest, FindingsFailTheirLaunch) {
  RunReport report = Report();
  report.planned_launches = 2;
  report.launches.push_back({.kernel = "second"});
  report.findings = {Finding(Rule::kMemoryNull, 1), Finding(Rule::kUndefinedBranch, 1)};
  const std::string xml = RunJUnit(report);
  EXPECT_EQ(RunExitCode(report), kExitNonconforming);
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"1\" skipped=\"0\" errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("name=\"launch 0: first\">\n  </testcase>"));
  EXPECT_THAT(xml, HasSubstr("name=\"launch 1: second\">\n    <failure message=\"a &lt; b &amp; "
                             "&quot;c&quot; (memory-null), and 1 more finding\">error[memory-null]"
                             ": a &lt; b &amp; &quot;c&quot;\n"));
  EXPECT_THAT(xml, HasSubstr("error[undefined-branch]"));
}

TEST(RunJUnitTest, ObservationsAreNoFailures) {
  RunReport report = Report();
  report.findings = {Finding(Rule::kNanOrigin), Finding(Rule::kItemProgress),
                     Finding(Rule::kRaceSameValue)};
  report.findings[2].allowed = true;
  EXPECT_EQ(RunExitCode(report), kExitConforming);
  EXPECT_THAT(RunJUnit(report), HasSubstr("failures=\"0\" skipped=\"0\" errors=\"0\""));
  EXPECT_THAT(RunJUnit(report), HasSubstr("<system-out>note[nan-origin]: "));
  report.findings[2].allowed = false;
  EXPECT_THAT(RunJUnit(report), HasSubstr("failures=\"1\""));
  report.findings_expected = true;  // then the expectation judges
  report.expectations.push_back({.what = "findings", .met = false, .message = "others"});
  EXPECT_THAT(RunJUnit(report), HasSubstr("failures=\"1\""));
  EXPECT_THAT(RunJUnit(report), HasSubstr("<failure message=\"others\">"));
}

TEST(RunJUnitTest, ARunThatHasNoEnd) {
  RunReport report = Report();
  report.end = LaunchEnd::kTimeLimit;
  report.message = "5 s";
  report.expectations.push_back({.what = "output"});
  EXPECT_EQ(RunExitCode(report), kExitDevice);
  const std::string xml = RunJUnit(report);
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"0\" skipped=\"1\" errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<error message=\"time-limit: 5 s\">"));
  report.end = LaunchEnd::kDeadlock;
  EXPECT_EQ(RunExitCode(report), kExitNonconforming);
  EXPECT_THAT(RunJUnit(report), HasSubstr("failures=\"1\" skipped=\"1\" errors=\"0\""));
  EXPECT_THAT(RunJUnit(report), Not(HasSubstr("<error")));
}

}  // namespace
}  // namespace assay::tools
