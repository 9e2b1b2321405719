// One job with several sizes of sub-groups.
#include "tools/run/subgroup_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

#include "frontend/opencl_c.h"
#include "interp/rules/rule.h"
#include "tools/run/many.h"

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(SubgroupSizes, AreReadOnceAndInOrder) {
  EXPECT_THAT(ParseSubgroupSizes("16"), ElementsAre(16u));
  EXPECT_THAT(ParseSubgroupSizes("32,8,32,16"), ElementsAre(8u, 16u, 32u));
  EXPECT_THAT(ParseSubgroupSizes("all"), SizeIs(128));
  for (const char* wrong : {"", "0", "129", "8,", ",8", "8 16", "-8", "every", "8,,16"}) {
    EXPECT_THAT(ParseSubgroupSizes(wrong), IsEmpty()) << wrong;
  }
}

TEST(SubgroupSizes, AreToldAsRanges) {
  const auto text = [](std::vector<std::uint32_t> sizes) { return SubgroupSizesText(sizes); };
  EXPECT_EQ(text({8}), "8");
  EXPECT_EQ(text({8, 16}), "8 and 16");
  EXPECT_EQ(text({1, 2, 8, 16}), "1, 2, 8 and 16");
  EXPECT_EQ(text({1, 2, 3, 4, 64}), "1 to 4 and 64");
}

// A job of one kernel, as `assay run` makes it from these words.
Expected<RunReport> RunOf(const std::string& source, std::vector<std::string> words) {
  const std::string path = testing::TempDir() + "subgroup_sizes.cl";
  std::ofstream(path) << source;
  words.insert(words.begin(), path);
  words.emplace_back("--quiet");
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  CLI::App app;
  RunOptions options;
  AddRunOptions(&app, &options);
  app.parse(words);
  auto job = JobOf(options);
  if (!job) return tl::unexpected(job.error());
  return RunAsAsked(std::move(*job), options);
}

// A tree in what is taken for one sub-group: its barriers do not order others.
constexpr const char* kTree = R"(
  kernel void sum(const global int* in, global int* out, local int* own) {
    const int i = get_local_id(0);
    own[i] = in[i];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 16; d > 0; d /= 2) {
      if (i < d) own[i] += own[i + d];
      sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) *out = own[0];
  })";

TEST(SubgroupSizes, FindingsSayWithWhichSizeTheyAreThere) {
  if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  const auto report = RunOf(kTree, {"-g", "32", "-l", "32", "-a", "int[32]=1", "-a", "int[1]=0",
                                    "-a", "local(128)", "--sub-group-sizes", "8,16,32,64"});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_TRUE(report->runs);
  EXPECT_EQ(report->runs->done, 4u);
  EXPECT_EQ(report->runs->with_findings, 2u);
  EXPECT_EQ(RunExitCode(*report), 1);
  ASSERT_FALSE(report->findings.empty());
  const ReportedFinding& race = report->findings[0];
  EXPECT_EQ(race.finding.rule, interp::Rule::kRaceNonatomic);
  EXPECT_THAT(race.finding.history.back(),
              HasSubstr("with sub-group size 8 and 16, not with 32 and 64"));
  EXPECT_THAT(race.replay, HasSubstr("--sub-group-size 8"));
  EXPECT_THAT(report->replay.command, HasSubstr("--sub-group-sizes 8,16,32,64"));
}

TEST(SubgroupSizes, ContentsThatDifferAreObserved) {
  if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  const auto report =
      RunOf("kernel void k(global uint* o) { o[get_global_id(0)] = get_sub_group_local_id(); }",
            {"-g", "32", "-l", "32", "-a", "uint[32]=0", "--sub-group-sizes", "8,16,32"});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(RunExitCode(*report), 0);
  ASSERT_THAT(report->findings, SizeIs(1));
  const interp::Finding& finding = report->findings[0].finding;
  EXPECT_EQ(finding.message, "the content of buffer '0' depends on the sub-group size");
  ASSERT_THAT(finding.history, SizeIs(3));
  EXPECT_THAT(finding.history[0], HasSubstr("with sub-group size 8 element 8 is 0"));
  EXPECT_THAT(finding.history[2], HasSubstr("with sub-group size 32 element 8 is 8"));
  EXPECT_THAT(finding.history[2], HasSubstr("--sub-group-size 32"));
}

TEST(SubgroupSizes, ThatAKernelDoesNotAllowAreLeftOut) {
  if (!frontend::DefaultCompiler()) GTEST_SKIP() << "no compiler";
  const std::string source =
      "__attribute__((intel_reqd_sub_group_size(16)))\n"
      "kernel void k(global uint* o) { o[get_global_id(0)] = get_max_sub_group_size(); }";
  const std::vector<std::string> words = {"-g", "32", "-l", "32", "-a", "uint[32]=0"};
  const auto with = [&](const std::string& sizes) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--sub-group-sizes", sizes});
    return RunOf(source, all);
  };
  const auto report = with("8,16");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->runs->done, 1u);
  EXPECT_THAT(report->message, HasSubstr("not with sub-group size 8: "));
  const auto none = with("8,32");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("requires sub-groups of 16"));
}

}  // namespace
}  // namespace assay::tools
