#include "oracle/shards/merge.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/json_text.h"
#include "numerics/function.h"
#include "oracle/campaign/results_json.h"
#include "oracle/testing/device.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ScalarType;
using testing::HasSubstr;

// An operation that has fewer blocks than shards, one of two operands, one with every operand in
// one width and some in the others, and one that has no limit in this profile of the test.
std::vector<Operation> SomeOperations() {
  return {Operation::Builtin(Function::trunc, Format::kFloat),
          Operation::Builtin(Function::fmax, Format::kDouble),
          Operation::Builtin(Function::sqrt, Format::kHalf),
          Operation::Convert(ScalarType::kShort, ScalarType::kChar),
          Operation::Builtin(Function::fabs, Format::kFloat)};
}

// Wrong in many places by the same amount: the largest error has ties, and the first failures are
// in different shards.  Far wrong (of another class) once in a while.
Bits SometimesWrong(std::span<const Bits> args, int, Bits right) {
  if (args[0] % 40961 == 17) return right ^ 0x40;
  return args[0] % 4093 == 5 ? right ^ 1 : right;
}

RunInfo SmallRun() {
  RunInfo run;
  run.tool_version = "test";
  run.device_option = "--testing";
  run.level = "standard";
  run.options.inputs.level = Level::kStandard;
  run.options.inputs.samples = 100000;
  run.options.all_widths_limit = 30000;
  run.options.reading = Reading::kOpenClC;
  run.options.widths = {1, 3, 4};
  run.options.threads = 1;
  run.origin = {.date = "2026-11-22T17:05:00Z", .host = "here", .command = "assay validate"};
  return run;
}

Report RunOne(const RunInfo& run, const std::vector<Operation>& operations = SomeOperations(),
              const TestingDevice::Change& change = SometimesWrong) {
  TestingDevice device(change);
  auto report = RunCampaign(device, run, operations, "", false, 0, {});
  EXPECT_TRUE(report);
  return std::move(*report);
}

std::string WholeText() {
  static const std::string kText = base::JsonText(ReportToJson(RunOne(SmallRun())), 1);
  return kText;
}

ShardFile ShardOfRun(std::uint64_t index, std::uint64_t count, RunInfo run = SmallRun()) {
  run.options.shard = Shard{.index = index, .count = count};
  // A shard has batches of its own.
  run.options.batch_items = count % 2 == 0 ? 0 : 48 * (50 + index);
  const std::string text = ToText(ShardFileOf(RunOne(run)));
  auto read = ShardFileFromText(text, fmt::format("{}.json", index));
  EXPECT_TRUE(read) << (read ? "" : read.error().message);
  return std::move(*read);
}

std::vector<ShardFile> AllShards(std::uint64_t count) {
  std::vector<ShardFile> files;
  for (std::uint64_t index = 1; index <= count; ++index) files.push_back(ShardOfRun(index, count));
  return files;
}

std::string MergedText(const ShardFile& file) {
  const auto merged = MergedReportOf(file, MergedOrigin(file));
  EXPECT_TRUE(merged) << (merged ? "" : merged.error().message);
  return merged ? base::JsonText(merged->json, 1) : "";
}

// In groups of random sizes, groups of groups, with some files twice.
ShardFile MergedAtRandom(std::vector<ShardFile> files, std::mt19937& random) {
  files.push_back(files[random() % files.size()]);
  while (files.size() > 1) {
    std::shuffle(files.begin(), files.end(), random);
    const std::size_t size = 1 + random() % files.size();
    std::vector<ShardFile> group(files.end() - static_cast<std::ptrdiff_t>(size), files.end());
    files.resize(files.size() - size);
    auto merged = MergeFiles(std::move(group));
    EXPECT_TRUE(merged) << (merged ? "" : merged.error().message);
    // Through its text, as through a file.
    auto read = ShardFileFromText(ToText(*merged), "partial.json");
    EXPECT_TRUE(read);
    files.push_back(std::move(*read));
  }
  return files.front();
}

class MergeTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(MergeTest, AnyOrderAndGroupingGivesTheReportOfOneRun) {
  const std::vector<ShardFile> files = AllShards(GetParam());
  std::mt19937 random(20);
  std::string before;
  for (int round = 0; round < 5; ++round) {
    const ShardFile merged = MergedAtRandom(files, random);
    const std::string text = ToText(merged);
    if (round > 0) {
      EXPECT_EQ(text, before);
    }
    before = text;
    EXPECT_EQ(MergedText(merged), WholeText());
  }
}

INSTANTIATE_TEST_SUITE_P(Divisions, MergeTest, testing::Values(1, 2, 7, 100));

TEST(MergeTestOfReports, TheRunOfTheTestHasWhatMergingCouldGetWrong) {
  const Report report = RunOne(SmallRun());
  const Statistics& s = report.results[0].statistics;
  EXPECT_GT(s.failures, 10u);
  EXPECT_EQ(s.recorded.size(), 10u);
  EXPECT_TRUE(report.results[2].exhaustive);
  EXPECT_FALSE(report.results[1].statistics.plane.empty());
  EXPECT_GT(s.failures_by_width.size(), 2u);
  EXPECT_GT(s.asked_again, 100u);
}

// kill -9 within a shard: the checkpoint leads to the same file.
TEST(MergeTestOfReports, AShardIsResumedWithinItself) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("assay_merge_test_" + std::to_string(::getpid()));
  RunInfo run = SmallRun();
  run.options.shard = Shard{.index = 2, .count = 3};
  run.options.batch_items = 4800;
  const std::string whole = ToText(ShardFileOf(RunOne(run)));
  int interrupted = 0;
  for (int batches = 1; batches < 20; batches += 3) {
    TestingDevice device(SometimesWrong);
    std::atomic<bool> stop = false;
    int seen = 0;
    CampaignHooks hooks{.stop = &stop,
                        .begin = nullptr,
                        .progress = [&](const SweepProgress&) { stop = ++seen >= batches; },
                        .finished = nullptr};
    auto first = RunCampaign(device, run, SomeOperations(), path, false, 0, hooks);
    ASSERT_TRUE(first);
    interrupted += first->interrupted ? 1 : 0;
    const auto rest = RunCampaign(device, run, SomeOperations(), path, true, 0, {});
    ASSERT_TRUE(rest) << rest.error().message;
    EXPECT_EQ(ToText(ShardFileOf(*rest)), whole);
  }
  EXPECT_GT(interrupted, 3);
  // A checkpoint of one shard is no other's.
  run.options.shard->index = 1;
  TestingDevice device(SometimesWrong);
  const auto other = RunCampaign(device, run, SomeOperations(), path, true, 0, {});
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("shard"));
  std::filesystem::remove(path);
}

TEST(MergeTestOfReports, GapsAreNamed) {
  std::vector<ShardFile> files = AllShards(7);
  files.erase(files.begin() + 6);
  files.erase(files.begin() + 2, files.begin() + 5);
  const auto merged = MergeFiles(files);
  ASSERT_TRUE(merged);
  EXPECT_EQ(MissingShards(*merged), "3 to 5, 7");
  const auto report = MergedReportOf(*merged, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("of 7 shards these are missing: 3 to 5, 7"));
}

std::string Refusal(ShardFile a, ShardFile b) {
  const auto merged = MergeFiles({std::move(a), std::move(b)});
  EXPECT_FALSE(merged);
  return merged ? "" : merged.error().message;
}

TEST(MergeTestOfReports, OtherRunsAreRefused) {
  const ShardFile first = ShardOfRun(1, 2);
  EXPECT_THAT(Refusal(first, ShardOfRun(2, 3)), HasSubstr("2.json has shards of 3"));
  RunInfo seed = SmallRun();
  seed.options.inputs.seed = 9;
  EXPECT_THAT(Refusal(first, ShardOfRun(2, 2, seed)), HasSubstr("run.seed (here 9, there 1)"));
  RunInfo level = SmallRun();
  level.level = "smoke";
  EXPECT_THAT(Refusal(first, ShardOfRun(2, 2, level)), HasSubstr("run.level"));
  RunInfo option = SmallRun();
  option.device_option = "--pipe other";
  EXPECT_THAT(Refusal(first, ShardOfRun(2, 2, option)), HasSubstr("two devices"));
  ShardFile driver = ShardOfRun(2, 2);
  driver.key["device"]["driver_version"] = "2.0";
  EXPECT_THAT(Refusal(first, driver),
              HasSubstr("device.driver_version (here \"2.0\", there \"\")"));
}

TEST(MergeTestOfReports, DevicesOfOneOpenClDriverMayTakeTurns) {
  RunInfo run = SmallRun();
  run.device_option = "--opencl Some:0";
  const ShardFile first = ShardOfRun(1, 2, run);
  run.device_option = "--opencl Some:1";
  const auto merged = MergeFiles({ShardOfRun(2, 2, run), first});
  ASSERT_TRUE(merged) << merged.error().message;
  const auto report = MergedReportOf(*merged, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->json["run"]["device_option"], "--opencl Some:0");
}

TEST(MergeTestOfReports, AShardWithTwoContentsIsRefused) {
  RunInfo run = SmallRun();
  run.options.shard = Shard{.index = 1, .count = 2};
  const Report other =
      RunOne(run, SomeOperations(), [](std::span<const Bits> args, int, Bits bits) {
        return args[0] == 0x3f800000 ? bits ^ 2 : bits;
      });
  EXPECT_THAT(Refusal(ShardOfRun(1, 2), ShardFileOf(other)), HasSubstr("shard 1/2 of"));
}

// One of them has run later: which one stays does not depend on the order.
TEST(MergeTestOfReports, AShardThatWasRunTwiceCountsOnce) {
  RunInfo later = SmallRun();
  later.origin.date = "2026-11-23T00:00:00Z";
  const ShardFile a = ShardOfRun(1, 1), b = ShardOfRun(1, 1, later);
  const auto ab = MergeFiles({a, b}), ba = MergeFiles({b, a});
  ASSERT_TRUE(ab);
  ASSERT_TRUE(ba);
  EXPECT_EQ(ToText(*ab), ToText(*ba));
  EXPECT_EQ(ab->shards[0].origin.date, "2026-11-22T17:05:00Z");
}

TEST(MergeTestOfReports, UnsupportedAndBrokenOperationsAreThoseOfOneRun) {
  const auto merged_with = [](const Error& error, std::string* whole) {
    std::vector<ShardFile> files;
    for (std::uint64_t index = 0; index <= 3; ++index) {
      TestingDevice device;
      device.prepare_error = error;
      RunInfo run = SmallRun();
      if (index > 0) run.options.shard = Shard{.index = index, .count = 3};
      const auto report = RunCampaign(device, run, SomeOperations(), "", false, 0, {});
      if (index > 0) files.push_back(ShardFileOf(*report));
      if (index == 0) *whole = base::JsonText(ReportToJson(*report), 1);
    }
    return MergedText(*MergeFiles(files));
  };
  std::string whole;
  EXPECT_EQ(merged_with({ErrorKind::kUnsupported, "no half here"}, &whole), whole);
  EXPECT_EQ(merged_with({ErrorKind::kDevice, "the build failed"}, &whole), whole);
}

// The device dies in one shard only: what the others say stands, and nothing passes.
TEST(MergeTestOfReports, ABrokenShardIsNoPass) {
  std::vector<ShardFile> files;
  for (std::uint64_t index = 1; index <= 2; ++index) {
    TestingDevice device;
    if (index == 2) device.run_error = Error{ErrorKind::kDevice, "the driver died"};
    RunInfo run = SmallRun();
    run.options.shard = Shard{.index = index, .count = 2};
    files.push_back(ShardFileOf(*RunCampaign(device, run, SomeOperations(), "", false, 0, {})));
  }
  const auto merged = MergedReportOf(*MergeFiles(files), {});
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->report.results[0].verdict, Verdict::kNotMeasured);
  EXPECT_EQ(merged->report.results[0].message, "the driver died");
  EXPECT_GT(merged->report.results[0].statistics.inputs, 0u);
}

TEST(ShardFileTest, DamageIsFound) {
  const std::string text = ToText(ShardOfRun(1, 2));
  ASSERT_TRUE(ShardFileFromText(text, "x"));
  const auto message = [](const std::string& damaged) {
    const auto read = ShardFileFromText(damaged, "x.json");
    EXPECT_FALSE(read);
    return read ? "" : read.error().message;
  };
  EXPECT_THAT(message(text.substr(0, text.size() / 2)), HasSubstr("x.json: it is not JSON"));
  EXPECT_THAT(message(""), HasSubstr("not JSON"));
  EXPECT_THAT(message("{}"), HasSubstr("schema"));
  EXPECT_THAT(message(WholeText()), HasSubstr("whole report"));
  std::string changed = text;
  const std::size_t at = changed.find("\"failures\": ") + 12;
  changed[at] = changed[at] == '7' ? '8' : '7';
  EXPECT_THAT(message(changed), HasSubstr("changed since it was written"));
}

}  // namespace
}  // namespace assay::oracle
