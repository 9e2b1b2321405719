// Equal findings of several processes are one; what differs stays apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/exec/report.h"
#include "tools/run/filter.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using driver::ProcessLog;
using interp::Rule;

driver::LoggedApiFinding Call(Rule rule, std::uint64_t offset, std::uint64_t count) {
  return {.finding = {.rule = rule, .call = "clFinish", .frames = {{"/no/app", offset, "f"}}},
          .count = count};
}

driver::LoggedFinding Kernel(const char* source, const char* program, std::uint64_t count) {
  interp::Finding finding(Rule::kMemoryNull);
  finding.source = source;
  finding.count = count;
  return {.finding = finding, .launch = {.kernel = "k", .launch = 1, .program = program}};
}

TEST(ExecMergeTest, EqualFindingsOfProcessesAreOne) {
  ProcessLog a, b;
  a.pid = 1;
  b.pid = 2;
  a.calls = {Call(Rule::kHostLeak, 1, 2), Call(Rule::kHostLeak, 2, 1)};
  b.calls = {Call(Rule::kHostLeak, 1, 3), Call(Rule::kHostOverRelease, 1, 1)};
  a.findings = {Kernel("k.cl:1:1", "p", 4), Kernel("k.cl:2:1", "p", 1)};
  b.findings = {Kernel("k.cl:1:1", "p", 5), Kernel("k.cl:1:1", "q", 1)};
  a.left_out = {{"host-leak", 1}};
  b.left_out = {{"host-leak", 2}};
  const ExecReport report = MergeLogs({a, b}, "/nowhere");
  ASSERT_EQ(report.calls.size(), 3u);
  EXPECT_EQ(report.calls[0].count, 5u);
  EXPECT_EQ(report.calls[0].processes, (std::set<std::uint64_t>{1, 2}));
  ASSERT_EQ(report.findings.size(), 3u);
  EXPECT_EQ(report.findings[0].reported.finding.count, 9u);
  EXPECT_EQ(report.findings[0].reported.launches, 2u);
  EXPECT_EQ(report.left_out.at("host-leak"), 3u);
  EXPECT_EQ(report.processes.size(), 2u);
}

TEST(ExecMergeTest, IgnoredSourcesAreToldAtTheirCallersOnce) {
  ProcessLog log;
  log.findings = {Kernel("/h/a.hpp:1:1", "p", 1), Kernel("/h/a.hpp:2:1", "p", 2),
                  Kernel("/h/b.hpp:3:1", "p", 1), Kernel("k.cl:7:1", "p", 1)};
  log.findings[0].callers = {"/h/b.hpp:4:1", "k.cl:9:3"};
  log.findings[1].callers = {"k.cl:9:3", "k.cl:2:1"};
  log.findings[2].callers = {"/h/b.hpp:4:1"};
  const ExecReport all = MergeLogs({log}, "/nowhere");
  EXPECT_EQ(all.findings.size(), 4u);
  const ExecReport report = MergeLogs({log}, "/nowhere", {IgnoreSource("/h/*")});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].reported.finding.source, "k.cl:9:3");
  EXPECT_EQ(report.findings[0].reported.finding.count, 3u);
  EXPECT_THAT(report.findings[0].reported.finding.history[0], testing::HasSubstr("/h/a.hpp:1:1"));
  EXPECT_EQ(report.findings[1].reported.finding.source, "k.cl:7:1");
  EXPECT_THAT(ExecSummary(report),
              testing::HasSubstr("ignored sources (unsound) /h/*: 1 finding hidden, 2 told"));
}

TEST(ExecMergeTest, AProgramThatFailsIsToldWhatItDidNotFind) {
  ProcessLog a, b;
  a.missing = {"clB", "clA"};
  b.missing = {"clA"};
  ExecReport report = MergeLogs({a, b}, "/nowhere");
  EXPECT_THAT(ExecSummary(report), testing::Not(testing::HasSubstr("clA")));
  report.end.exit_code = 1;
  EXPECT_THAT(ExecSummary(report), testing::HasSubstr("functions that assay's driver has not: "
                                                      "clA, clB\n"));
}

TEST(ExecMergeTest, TheExitCodeIsThatOfTheFindingsOrTheProgram) {
  const auto code = [](ProcessLog log) {
    ExecReport report = MergeLogs({std::move(log)}, "/nowhere");
    report.end.exit_code = 9;
    return ExecExitCode(report);
  };
  EXPECT_EQ(code({}), 9);
  EXPECT_EQ(code({.calls = {Call(Rule::kHostLeak, 1, 1)}}), 9);
  EXPECT_EQ(code({.calls = {Call(Rule::kHostInvalidHandle, 1, 1)}}), 9);
  EXPECT_EQ(code({.calls = {Call(Rule::kHostRaceCommands, 1, 1)}}), kExitNonconforming);
  EXPECT_EQ(code({.findings = {Kernel("", "", 1)}}), kExitNonconforming);
  EXPECT_EQ(code({.left_out = {{"host-leak", 1}}}), 9);
  EXPECT_EQ(code({.left_out = {{"host-over-release", 1}}}), kExitNonconforming);
  // A variant is the rule by name, and not by class.
  EXPECT_EQ(code({.left_out = {{"printf-specifier/implementation-defined", 1}}}), 9);
  EXPECT_EQ(code({.left_out = {{"memory-null/undefined-behavior", 1}}}), kExitNonconforming);
  EXPECT_EQ(code({.ends = {{.end = "time-limit", .launch = {.kernel = "k"}}}}), 9);
}

TEST(ExecMergeTest, TextsOfOthersAreEscaped) {
  ProcessLog log;
  log.calls = {Call(Rule::kHostLeak, 1, 1)};
  log.calls[0].finding.message = "a\x1b[31mb\nerror[x]: c";
  const ExecReport report = MergeLogs({log}, "/nowhere");
  const std::string text = ExecText(report, false);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\nerror[x]"), std::string::npos);
}

}  // namespace
}  // namespace assay::tools
