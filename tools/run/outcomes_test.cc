// The set of results of several runs.
#include "tools/run/outcomes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A run that leaves these numbers in a buffer, with this seed.
RunReport Leaving(const std::vector<std::int32_t>& numbers, std::uint64_t seed) {
  RunReport report;
  interp::JobBuffer buffer{.name = "0", .type = *interp::ParseElementType("int"), .bytes = {}};
  buffer.count = numbers.size();
  buffer.bytes.resize(numbers.size() * sizeof(std::int32_t));
  std::memcpy(buffer.bytes.data(), numbers.data(), buffer.bytes.size());
  report.buffers.push_back({std::move(buffer), true});
  report.replay.seed = seed;
  report.replay.command = "--seed " + std::to_string(seed);
  return report;
}

// The report of these runs, in order.
RunReport Of(std::vector<RunReport> runs) {
  Outcomes outcomes({}, {"out"});
  for (const RunReport& run : runs) outcomes.AddRun(run);
  RunReport report = std::move(runs[0]);
  report.outcomes = outcomes.Take();
  return report;
}

TEST(OutcomesTest, TheMostFrequentIsFirstWithItsFirstRun) {
  const RunReport report = Of({Leaving({1, 2}, 5), Leaving({3, 2}, 6), Leaving({3, 2}, 7)});
  ASSERT_EQ(report.outcomes->list.size(), 2u);
  EXPECT_EQ(report.outcomes->list[0].runs, 2u);
  EXPECT_EQ(report.outcomes->list[0].seed, 6u);
  EXPECT_EQ(report.outcomes->list[1].runs, 1u);
  EXPECT_EQ(OutcomesText(report),
            "2 outcomes in 3 runs\n"
            "         2 :> out[0]=3; out[1]=2;\n  = replay: --seed 6\n"
            "         1 :> out[0]=1; out[1]=2;\n  = replay: --seed 5\n");
}

TEST(OutcomesTest, OfLargeBuffersTheFirstDifferencesAreTold) {
  std::vector<std::int32_t> first(100, 0), second(100, 0);
  for (const std::size_t place : {20, 40, 60, 80, 90, 99}) second[place] = 7;
  const RunReport report = Of({Leaving(first, 0), Leaving(second, 1)});
  ASSERT_EQ(report.outcomes->list.size(), 2u);
  const OutcomeContent& content = report.outcomes->list[1].contents[0];
  EXPECT_EQ(content.differing, 6u);
  EXPECT_THAT(content.places, ElementsAre(20, 40, 60, 80));
  EXPECT_THAT(content.values, ElementsAre("7", "7", "7", "7"));
  EXPECT_TRUE(content.bytes.empty());
  EXPECT_THAT(OutcomesText(report), HasSubstr("out[80]=7; and 2 other elements that differ"));
  EXPECT_EQ(OutcomesJson(*report.outcomes)["list"][1]["buffers"][0]["differing"], 6);
}

TEST(OutcomesTest, ARunWithoutAnEndHasNone) {
  RunReport stuck = Leaving({9}, 1);
  stuck.end = interp::LaunchEnd::kDeadlock;
  const RunReport report = Of({Leaving({1}, 0), std::move(stuck)});
  EXPECT_EQ(report.outcomes->list.size(), 1u);
  EXPECT_EQ(report.outcomes->unended, 1u);
  EXPECT_THAT(OutcomesText(report), HasSubstr("1 outcome in 1 run; 1 run did not come to an end"));
}

TEST(OutcomesTest, OneOutcomeIsToldOfPrintedBuffersOnly) {
  RunReport report = Of({Leaving({1}, 0), Leaving({1}, 1)});
  EXPECT_THAT(OutcomesText(report), HasSubstr("1 outcome in 2 runs"));
  EXPECT_THAT(OutcomesText(report), Not(HasSubstr("out[0]")));
  report.buffers[0].printed = false;
  EXPECT_EQ(OutcomesText(report), "");
}

}  // namespace
}  // namespace assay::tools
