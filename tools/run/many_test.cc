// Many runs of one job: the order of an exploration, and merging.
#include "tools/run/many.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "interp/rules/rule.h"
#include "tools/run/merge.h"
#include "tools/run/replay.h"

namespace assay::tools {
namespace {

using interp::Choice;
using interp::LaunchEnd;
using testing::ElementsAre;
using testing::HasSubstr;

// Every run of a program that makes choices of these sizes, one after the other.
std::set<std::vector<std::uint32_t>> Explore(const std::vector<std::uint32_t>& sizes,
                                             std::uint32_t bound) {
  std::set<std::vector<std::uint32_t>> runs;
  std::optional<std::vector<std::uint32_t>> prefix = std::vector<std::uint32_t>{0};
  while (prefix) {
    std::vector<Choice> made;
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      made.push_back({sizes[i], i < prefix->size() ? (*prefix)[i] : 0});
      chosen.push_back(made.back().chosen);
    }
    EXPECT_TRUE(runs.insert(chosen).second) << "twice: " << ChoicesText(chosen);
    prefix = NextChoices(made, bound);
  }
  return runs;
}

TEST(ExploreTest, EveryWayIsTakenOnce) {
  EXPECT_EQ(Explore({2, 3, 2}, 3).size(), 12u);
  EXPECT_EQ(Explore({}, 3).size(), 1u);
  EXPECT_EQ(Explore({1, 1}, 3).size(), 1u);
}

TEST(ExploreTest, TheBoundIsOnChoicesThatDifferFromTheFirst) {
  EXPECT_EQ(Explore({2, 2, 2, 2}, 0).size(), 1u);
  EXPECT_EQ(Explore({2, 2, 2, 2}, 1).size(), 5u);
  EXPECT_EQ(Explore({2, 2, 2, 2}, 2).size(), 11u);
  EXPECT_EQ(Explore({3, 3, 3}, 1).size(), 7u);
  for (const auto& run : Explore({3, 2, 3, 2}, 2)) {
    EXPECT_LE(run.size() - static_cast<std::size_t>(std::count(run.begin(), run.end(), 0u)), 2u);
  }
}

RunReport Report(std::uint64_t seed, const std::vector<std::uint32_t>& places) {
  RunReport report;
  report.settings.seed = seed;
  report.instructions = 10;
  report.replay.command = "--seed " + std::to_string(seed);
  report.replay.seed = seed;
  for (const std::uint32_t place : places) {
    ReportedFinding reported{.finding = interp::Finding(interp::Rule::kRaceNonatomic),
                             .seed = seed};
    reported.finding.place.instruction = place;
    reported.replay = "--seed " + std::to_string(seed);
    report.findings.push_back(reported);
  }
  return report;
}

TEST(RunMergeTest, EachFindingOnceWithTheFirstSeedThatShowsIt) {
  RunMerge merge({.what = "seeds", .first_seed = 5, .planned = 3});
  merge.Add(Report(5, {}));
  merge.Add(Report(6, {7}));
  merge.Add(Report(7, {3, 7}));
  const RunReport merged = merge.Take(true, std::nullopt, 1.5);
  ASSERT_EQ(merged.findings.size(), 2u);
  EXPECT_EQ(merged.findings[0].finding.place.instruction, 7u);
  EXPECT_EQ(merged.findings[0].seed, 6u);
  EXPECT_EQ(merged.findings[0].runs, 2u);
  EXPECT_EQ(merged.findings[0].finding.count, 2u);
  EXPECT_EQ(merged.findings[1].seed, 7u);
  EXPECT_EQ(merged.settings.seed, 5u);
  EXPECT_EQ(merged.replay.command, "--seed 6");
  EXPECT_EQ(merged.instructions, 30u);
  EXPECT_EQ(merged.runs->done, 3u);
  EXPECT_EQ(merged.runs->with_findings, 2u);
  EXPECT_EQ(RunExitCode(merged), 1);
}

TEST(RunMergeTest, OneSeedThatFailsIsEnough) {
  RunMerge merge({.what = "seeds", .planned = 2});
  RunReport good = Report(0, {}), bad = Report(1, {}), unjudged = Report(2, {});
  good.expectations = {{"output", true, ""}};
  bad.expectations = {{"output", false, "differs"}};
  bad.end = LaunchEnd::kDeadlock;
  bad.message = "stuck";
  bad.expectations[0].replay = bad.replay.command;
  unjudged.expectations = {{"output", std::nullopt, "no end"}};
  merge.Add(good);
  merge.Add(bad);
  merge.Add(unjudged);
  merge.Add(good);
  const RunReport merged = merge.Take(true, std::nullopt, 0);
  EXPECT_EQ(merged.expectations[0].met, false);
  EXPECT_EQ(merged.expectations[0].message, "seed 1: differs");
  EXPECT_EQ(merged.expectations[0].replay, "--seed 1");
  EXPECT_EQ(merged.replay.seed, 1u) << "the first that fails is the one to run again";
  EXPECT_EQ(merged.end, LaunchEnd::kDeadlock);
  EXPECT_EQ(merged.message, "seed 1: stuck");
}

TEST(RunMergeTest, AnInterruptBetweenRunsIsReported) {
  RunMerge merge({.what = "seeds", .planned = 2});
  merge.Add(Report(0, {}));
  EXPECT_EQ(merge.Take(false, RunStop{LaunchEnd::kStopped, "interrupted"}, 0).end,
            LaunchEnd::kStopped);
}

// The limit on time holds for all runs together.
TEST(RunMergeTest, TheEndOfTheTimeSaysMoreThanThatOfARun) {
  const RunStop late{LaunchEnd::kTimeLimit, "late"};
  RunReport stuck = Report(0, {3});
  stuck.end = LaunchEnd::kDeadlock;
  {
    RunMerge merge({.what = "seeds", .planned = 2});
    merge.Add(stuck);
    const RunReport merged = merge.Take(false, late, 0);
    EXPECT_EQ(merged.end, LaunchEnd::kTimeLimit);
    EXPECT_EQ(merged.message, "late");
    EXPECT_EQ(merged.findings.size(), 1u);
    EXPECT_EQ(RunExitCode(merged), 1);
  }
  RunMerge merge({.what = "seeds", .planned = 1});
  merge.Add(stuck);
  EXPECT_EQ(merge.Take(true, late, 0).end, LaunchEnd::kDeadlock) << "all were made by then";
}

TEST(RunMergeTest, ChoicesNameTheirRuns) {
  RunMerge merge({.what = "choices", .planned = 9, .bound = 1});
  RunReport bad = Report(0, {});
  bad.replay.choices = {0, 1, 0};
  bad.expectations = {{"output", false, "differs"}};
  merge.Add(bad);
  const RunReport merged = merge.Take(false, std::nullopt, 0);
  EXPECT_EQ(merged.expectations[0].message, "choices 0,1: differs");
  EXPECT_THAT(SummaryText(merged),
              HasSubstr("; 1 run, every schedule with at most 1 other choice, not exhausted "
                        "(--max-runs), 0 with findings; seed 0"));
}

TEST(RunMergeTest, ExecutionsAreOfAClass) {
  RunMerge merge({.what = "executions",
                  .planned = 9,
                  .bound = kEveryExecution,
                  .explored = "those of a class"});
  merge.Add(Report(0, {}));
  merge.Add(Report(0, {7}));
  RunReport merged = merge.Take(true, std::nullopt, 0);
  merged.runs->given_up = 1;
  merged.runs->repeated = 3;
  EXPECT_THAT(SummaryText(merged),
              HasSubstr("; 2 executions, exhausted: those of a class (1 run given up, 3 repeated), "
                        "1 with findings; seed 0"));
  const auto json = RunReportToJson(merged)["runs"];
  EXPECT_EQ(json["what"], "executions");
  EXPECT_EQ(json["explored"], "those of a class");
  EXPECT_EQ(json["given_up"], 1);
  EXPECT_EQ(json["repeated"], 3);
  EXPECT_EQ(json["exhausted"], true);
  EXPECT_FALSE(json.contains("bound"));
}

TEST(ReplayTest, AnExecutionIsRepeatedAsItWasExplored) {
  RunOptions options;
  options.modules = {"a.cl"};
  options.explore = "all";
  const std::vector<std::uint32_t> choices = {1, 0};
  EXPECT_THAT(RunCommand(options, 0, choices), HasSubstr("--explore all --seed 0 --choices 1"));
}

TEST(ReplayTest, TheCommandCanBePasted) {
  RunOptions options;
  options.modules = {"my kernel.cl"};
  options.kernel = "k";
  options.global = "64";
  options.arguments = {"float[8]=range(0,1)", "char=1"};
  options.build_options = "-DX='a'";
  options.detect = "-races";
  options.print = {"0"};
  options.json = "r.json";
  options.max_instructions = 1000;
  EXPECT_EQ(RunCommand(options, 17, {}),
            "assay run 'my kernel.cl' -k k -g 64 --build-options '-DX='\\''a'\\''' --detect -races "
            "-a 'float[8]=range(0,1)' -a char=1 --max-instructions 1000 --seed "
            "17");
  const std::vector<std::uint32_t> choices = {0, 2, 0, 0};
  EXPECT_THAT(RunCommand(options, 0, choices), HasSubstr("--seed 0 --choices 0,2"));
  EXPECT_THAT(RunCommand(options, 1, choices), HasSubstr("--choices 0,2,0,0"));
}

TEST(ReplayTest, ChoicesAsText) {
  EXPECT_THAT(*ParseChoices("0,2"), ElementsAre(0, 2));
  EXPECT_TRUE(ParseChoices("")->empty());
  for (const char* text : {"a", "1,", "-1", "4294967296"}) EXPECT_FALSE(ParseChoices(text)) << text;
  EXPECT_EQ(ChoicesText(std::vector<std::uint32_t>{0, 0}), "0");
}

}  // namespace
}  // namespace assay::tools
