#include "tools/sweep/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/sweep/scripts.h"
#include "tools/sweep/slurm.h"

namespace assay::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ShardWordsTest, TakesTheParentsOptionsOff) {
  EXPECT_THAT(ShardWords({"validate", "--library", "l.so", "--shards", "3", "--json=r.json",
                          "--resume", "--level", "smoke", "--progress", "--devices", "0,1"}),
              ElementsAre("validate", "--library", "l.so", "--level", "smoke"));
  // Values that look like options of the parent, and options that begin like them.
  EXPECT_THAT(ShardWords({"--build-options", "-x", "--sharding", "--junit", "--html"}),
              ElementsAre("--build-options", "-x", "--sharding"));
}

TEST(SlurmTest, NamesTasksOfAnArray) {
  EXPECT_EQ(ArrayOf({1, 2, 3, 4, 5, 6, 7}), "1-7");
  EXPECT_EQ(ArrayOf({3}), "3");
  EXPECT_EQ(ArrayOf({1, 3, 4, 5, 9, 11, 12}), "1,3-5,9,11-12");
}

TEST(SlurmTest, ReadsTheQueue) {
  const QueueState state = QueueStateFrom(
      "RUNNING None\nPENDING Resources\nCOMPLETED None\nFAILED NonZeroExitCode\n"
      "PENDING launch failed requeued held\nCOMPLETING None\nPENDING JobHeldAdmin\n"
      "CANCELLED None\nNODE_FAIL NodeDown\nOUT_OF_MEMORY OutOfMemory\n");
  EXPECT_EQ(state.alive, 5u);
  EXPECT_EQ(state.held, 2u);
  EXPECT_EQ(QueueStateFrom("").alive, 0u);
}

TEST(ScriptsTest, QuoteWhatAShellWouldRead) {
  const SweepPlan plan{.program = "/opt/a b/assay",
                       .words = {"validate", "--pipe", "x 'y' $HOME"},
                       .report = "/data/r.json",
                       .folder = "/data/r.json.shards",
                       .origin = "/home/it's",
                       .count = 12};
  const std::string script = ShardScript(plan);
  EXPECT_THAT(script, HasSubstr("cd '/home/it'\\''s' || exit 4"));
  EXPECT_THAT(script, HasSubstr("'/opt/a b/assay' validate --pipe 'x '\\''y'\\'' $HOME' --shard"));
  EXPECT_THAT(script, HasSubstr("--shard \"$1/12\""));
  EXPECT_THAT(ParallelScript(plan), HasSubstr("seq 1 12 | parallel"));
}

}  // namespace
}  // namespace assay::tools
