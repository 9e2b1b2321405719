#include "oracle/campaign/campaign.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>

#include "base/sealed_text.h"
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

std::vector<Operation> SomeOperations() {
  return {Operation::Builtin(Function::trunc, Format::kFloat),
          Operation::Builtin(Function::copysign, Format::kDouble),
          Operation::Convert(ScalarType::kShort, ScalarType::kChar),
          Operation::Builtin(Function::fabs, Format::kFloat)};
}

// Wrong now and then, so that there are failures to keep.
Bits SometimesWrong(std::span<const Bits> args, int, Bits right) {
  return args[0] % 4093 == 5 ? right ^ 1 : right;
}

RunInfo SmallRun() {
  RunInfo run;
  run.tool_version = "test";
  run.device_option = "--testing";
  run.level = "smoke";
  run.options.inputs.level = Level::kSmoke;
  run.options.inputs.samples = 70000;  // three batches
  run.options.batch_items = 1 << 15;
  run.options.widths = {1, 4};
  run.options.threads = 1;
  return run;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, std::string_view content) { std::ofstream(path) << content; }

class CampaignTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("assay_campaign_test_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
    path_ = (folder_ / "checkpoint.json").string();
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static Expected<Report> Run(const std::string& checkpoint, bool resume,
                              const CampaignHooks& hooks = {}, const RunInfo& run = SmallRun(),
                              const std::vector<Operation>& operations = SomeOperations(),
                              double seconds = 0) {
    TestingDevice device(SometimesWrong);
    return RunCampaign(device, run, operations, checkpoint, resume, seconds, hooks);
  }

  static std::string Whole() {
    const auto report = Run("", false);
    EXPECT_TRUE(report);
    return ReportToJson(*report).dump(2);
  }

  Error ResumeError(const RunInfo& run = SmallRun(),
                    const std::vector<Operation>& operations = SomeOperations()) {
    const auto report = Run(path_, true, {}, run, operations);
    EXPECT_FALSE(report);
    return report ? Error{} : report.error();
  }

  std::filesystem::path folder_;
  std::string path_;
};

TEST_F(CampaignTest, ReportsEveryOperationInOrder) {
  const auto report = Run("", false);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->interrupted);
  ASSERT_EQ(report->results.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(report->results[i].operation, SomeOperations()[i]);
    EXPECT_EQ(report->results[i].verdict, Verdict::kFail);
  }
  EXPECT_EQ(report->device.kind, "testing");
}

TEST_F(CampaignTest, HooksReportEvents) {
  std::vector<std::size_t> begun;
  std::size_t steps = 0, finished = 0;
  CampaignHooks hooks{.begin = [&](std::size_t i, const Operation&) { begun.push_back(i); },
                      .progress = [&](const SweepProgress&) { ++steps; },
                      .finished = [&](const FunctionResult&) { ++finished; }};
  ASSERT_TRUE(Run("", false, hooks));
  EXPECT_EQ(begun, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_GE(steps, 8u);
  EXPECT_EQ(finished, 4u);
}

// Ctrl-C after any batch: the checkpoint leads to the very same report.
TEST_F(CampaignTest, InterruptedAnywhereAndResumedGivesTheSameReport) {
  const std::string whole = Whole();
  for (std::size_t stop_after = 1;; ++stop_after) {
    std::atomic<bool> stop = false;
    std::size_t steps = 0;
    CampaignHooks hooks{.stop = &stop,
                        .begin = {},
                        .progress =
                            [&](const SweepProgress&) {
                              if (++steps == stop_after) stop = true;
                            },
                        .finished = {}};
    auto report = Run(path_, false, hooks, SmallRun(), SomeOperations(), /*seconds=*/1e9);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->results.size(), 4u) << "a valid report, whatever was measured";
    if (!report->interrupted) {
      EXPECT_EQ(ReportToJson(*report).dump(2), whole);
      EXPECT_GE(stop_after, 8u);
      break;
    }
    EXPECT_TRUE(ReportToJson(*report)["interrupted"]);
    const auto resumed = Run(path_, true);
    ASSERT_TRUE(resumed) << resumed.error().message << " (stopped after " << stop_after << ")";
    EXPECT_EQ(ReportToJson(*resumed).dump(2), whole) << "stopped after " << stop_after;
  }
}

// Date, host and command are those of the run that began, and decide nothing.
TEST_F(CampaignTest, AResumedReportKeepsItsOrigin) {
  RunInfo first = SmallRun();
  first.origin = {.date = "2026-11-22T17:05:00Z", .host = "lab", .command = "assay validate ..."};
  std::atomic<bool> stop = false;
  const CampaignHooks hooks{
      .stop = &stop, .begin = {}, .progress = [&](const SweepProgress&) { stop = true; }};
  ASSERT_TRUE(Run(path_, false, hooks, first));
  RunInfo later = first;
  later.origin = {.date = "2026-11-23T08:00:00Z", .host = "elsewhere", .command = "other words"};
  const auto resumed = Run(path_, true, {}, later);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->run.origin, first.origin);
  const auto whole = Run("", false, {}, first);
  ASSERT_TRUE(whole);
  EXPECT_EQ(ReportToJson(*resumed).dump(), ReportToJson(*whole).dump());
}

TEST_F(CampaignTest, InterruptedBetweenOperations) {
  const std::string whole = Whole();
  for (std::size_t stop_after = 1; stop_after <= 3; ++stop_after) {
    std::filesystem::remove(path_);
    std::atomic<bool> stop = false;
    std::size_t finished = 0;
    CampaignHooks hooks{
        .stop = &stop, .begin = {}, .progress = {}, .finished = [&](const FunctionResult&) {
          if (++finished == stop_after) stop = true;
        }};
    const auto report = Run(path_, false, hooks, SmallRun(), SomeOperations(), /*seconds=*/1e9);
    ASSERT_TRUE(report);
    EXPECT_TRUE(report->interrupted);
    EXPECT_EQ(report->results[stop_after - 1].verdict, Verdict::kFail);
    EXPECT_EQ(report->results[stop_after].verdict, Verdict::kNotMeasured);
    EXPECT_THAT(report->results[stop_after].message, HasSubstr("interrupted"));
    const auto resumed = Run(path_, true);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(ReportToJson(*resumed).dump(2), whole);
  }
}

RunInfo SearchingRun() {
  RunInfo run = SmallRun();
  run.level = "search";
  run.options.inputs.samples = 9000;
  run.options.batch_items = 1 << 12;
  run.options.search_evaluations = 9000;
  return run;
}

// A search begins again where it was interrupted, and ends alike.
TEST_F(CampaignTest, InterruptedInASearchAndResumedGivesTheSameReport) {
  const std::vector<Operation> operations = {Operation::Builtin(Function::hypot, Format::kFloat),
                                             Operation::Builtin(Function::fmod, Format::kDouble)};
  const auto uninterrupted = Run("", false, {}, SearchingRun(), operations);
  ASSERT_TRUE(uninterrupted);
  for (const FunctionResult& result : uninterrupted->results) ASSERT_TRUE(result.search);
  const std::string whole = ReportToJson(*uninterrupted).dump(2);
  std::size_t in_search = 0;
  for (std::size_t stop_after = 1;; ++stop_after) {
    std::atomic<bool> stop = false;
    std::size_t steps = 0;
    const auto step = [&] {
      if (++steps == stop_after) stop = true;
    };
    const CampaignHooks hooks{.stop = &stop,
                              .begin = {},
                              .progress = [&](const SweepProgress&) { step(); },
                              .searched = [&](std::uint64_t, std::uint64_t) { step(); },
                              .finished = {}};
    const auto report = Run(path_, false, hooks, SearchingRun(), operations, /*seconds=*/1e9);
    ASSERT_TRUE(report);
    if (!report->interrupted) break;
    for (const FunctionResult& result : report->results) {
      if (result.search && !result.search->complete) ++in_search;
    }
    const auto resumed = Run(path_, true, {}, SearchingRun(), operations);
    ASSERT_TRUE(resumed) << resumed.error().message << " (stopped after " << stop_after << ")";
    // Not ASSERT_EQ, which would compare the lines of two long texts.
    ASSERT_TRUE(ReportToJson(*resumed).dump(2) == whole) << "stopped after " << stop_after;
    stop_after += stop_after / 2;  // near the beginning each, later some
  }
  EXPECT_GT(in_search, 3u);
}

// kill -9 at any moment leaves the file of the last moment before.
TEST_F(CampaignTest, EveryCheckpointLeadsToTheSameReport) {
  const std::string whole = Whole();
  std::vector<std::string> checkpoints;
  CampaignHooks hooks{.stop = nullptr,
                      .begin = {},
                      .progress =
                          [&](const SweepProgress&) {
                            if (std::filesystem::exists(path_)) checkpoints.push_back(Read(path_));
                          },
                      .finished = {}};
  ASSERT_TRUE(Run(path_, false, hooks));
  checkpoints.push_back(Read(path_));
  EXPECT_GE(checkpoints.size(), 8u);
  for (const std::string& checkpoint : checkpoints) {
    Write(path_, checkpoint);
    const auto resumed = Run(path_, true);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(ReportToJson(*resumed).dump(2), whole);
  }
}

TEST_F(CampaignTest, ResumingDoesNotMeasureAgain) {
  ASSERT_TRUE(Run(path_, false));
  TestingDevice device(SometimesWrong);
  ASSERT_TRUE(RunCampaign(device, SmallRun(), SomeOperations(), path_, true, 0, {}));
  EXPECT_EQ(device.runs, 0);
}

TEST_F(CampaignTest, NothingToResumeFrom) {
  const Error error = ResumeError();
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr(path_));
  EXPECT_THAT(error.message, HasSubstr("without --resume"));
}

TEST_F(CampaignTest, ATruncatedCheckpointIsRefused) {
  ASSERT_TRUE(Run(path_, false));
  const std::string good = Read(path_);
  for (std::size_t size : {std::size_t{0}, std::size_t{1}, good.size() / 2, good.size() - 1}) {
    Write(path_, good.substr(0, size));
    const Error error = ResumeError();
    EXPECT_EQ(error.kind, ErrorKind::kUsage);
    EXPECT_THAT(error.message, HasSubstr(path_));
    EXPECT_THAT(error.message, HasSubstr("remove it"));
  }
}

// One flipped bit anywhere: no number of it may reach a report.
TEST_F(CampaignTest, AFlippedBitIsRefusedWithItsLine) {
  RunInfo run = SmallRun();
  run.options.inputs.samples = 100;
  run.options.batch_items = 64;
  std::string middle;  // with a function that is finished and one that is not
  CampaignHooks hooks{.progress = [&](const SweepProgress&) {
    if (std::filesystem::exists(path_)) middle = Read(path_);
  }};
  ASSERT_TRUE(Run(path_, false, hooks, run));
  ASSERT_THAT(middle, HasSubstr("\ncurrent "));
  ASSERT_THAT(middle, HasSubstr("\nfinished "));
  ASSERT_TRUE(base::ReadSealedText(middle, kCheckpointSchema));
  for (std::size_t i = 0; i < middle.size() * 8; ++i) {
    // All of the first kilobytes, and some bit of each byte behind them.
    if (i >= 20000 && i % 8 != i / 8 % 8) continue;
    std::string damaged = middle;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << i % 8));
    const auto read = base::ReadSealedText(damaged, kCheckpointSchema);
    ASSERT_FALSE(read) << "bit " << i % 8 << " of byte " << i / 8;
    const auto line =
        1 + std::count(middle.begin(), middle.begin() + static_cast<std::ptrdiff_t>(i / 8), '\n');
    // Where a newline goes, its line and the next one are one.
    EXPECT_THAT(read.error().message, HasSubstr(fmt::format("line {}:", line)));
    if (i % 4001 != 0) continue;
    Write(path_, damaged);
    const Error error = ResumeError(run);
    EXPECT_EQ(error.kind, ErrorKind::kUsage);
    EXPECT_THAT(error.message, HasSubstr(path_));
    EXPECT_THAT(error.message, HasSubstr("remove it"));
  }
}

// What is sealed well and is no checkpoint of this run all the same.
TEST_F(CampaignTest, ADamagedCheckpointIsRefused) {
  ASSERT_TRUE(Run(path_, false));
  using Json = nlohmann::ordered_json;
  const auto good = *base::ReadSealedText(Read(path_), kCheckpointSchema);
  const auto sealed = [](const std::vector<base::SealedRecord>& records) {
    return base::SealedText(kCheckpointSchema).Whole(records);
  };
  const auto with = [&](const std::string& pointer, const Json& value) {
    auto records = good;
    Json changed = Json::parse(records[2].text);  // behind the key and the origin
    changed[Json::json_pointer(pointer)] = value;
    records[2].text = changed.dump();
    return sealed(records);
  };
  const auto then = [&](const std::string& kind, const std::string& text) {
    auto records = good;
    records.pop_back();
    records.push_back({kind, text});
    return sealed(records);
  };
  for (const std::string& damaged :
       {std::string("[]"), std::string("{}"), std::string(), sealed({}),
        sealed({{"finished", "{}"}}), sealed({{"key", "7"}}), with("/function", "cosin"),
        with("/verdict", 99), with("/statistics/recorded/0/8", 77),
        with("/statistics/over", {1, 2}), then("finished", good[2].text), then("finished", "null"),
        then("origin", "1"), then("current", "1"), then("current", R"({"next_item": "x"})"),
        then("current", "{"), then("current", R"({"next_item": 1, "statistics": 1})")}) {
    Write(path_, damaged);
    const auto report = Run(path_, true);
    ASSERT_FALSE(report) << damaged.substr(0, 200);
    EXPECT_EQ(report.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(report.error().message, HasSubstr(path_));
    EXPECT_THAT(report.error().message, HasSubstr("remove it"));
  }
}

// The same name, the same version, another library behind it.
TEST_F(CampaignTest, ACheckpointOfAnotherBuildOfTheDeviceIsRefused) {
  TestingDevice device;
  device.MutableDescription().identity = {{"library", "/lib/x.so, 10 bytes, sha256 aa"}};
  ASSERT_TRUE(RunCampaign(device, SmallRun(), SomeOperations(), path_, false, 0, {}));
  ASSERT_TRUE(RunCampaign(device, SmallRun(), SomeOperations(), path_, true, 0, {}));
  device.MutableDescription().identity = {{"library", "/lib/x.so, 10 bytes, sha256 ab"}};
  const auto report = RunCampaign(device, SmallRun(), SomeOperations(), path_, true, 0, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("device.identity.library"));
  EXPECT_THAT(report.error().message, HasSubstr("sha256 aa"));
  EXPECT_THAT(report.error().message, HasSubstr("sha256 ab"));
}

// Other inputs of --worst-from, as many as before.
TEST_F(CampaignTest, ACheckpointWithOtherKnownInputsIsRefused) {
  RunInfo run = SmallRun();
  run.options.known_worst[{"trunc", "float"}] = {{0x3f800000}};
  ASSERT_TRUE(Run(path_, false, {}, run));
  run.options.known_worst[{"trunc", "float"}] = {{0x3f800001}};
  EXPECT_THAT(ResumeError(run).message, HasSubstr("worst_from"));
}

// A machine without memory loses the function in hand and not those before it.
TEST_F(CampaignTest, OutOfMemoryIsNotMeasured) {
  class Greedy : public TestingDevice {
   public:
    using TestingDevice::TestingDevice;
    Expected<void> Run(int width, std::span<const numerics::ConstColumn> inputs,
                       std::span<const Column> outputs, std::size_t count) override {
      if (++calls_ > 2) throw std::bad_alloc();
      return TestingDevice::Run(width, inputs, outputs, count);
    }

   private:
    int calls_ = 0;
  };
  Greedy device;
  RunInfo run = SmallRun();
  run.options.widths = {1};
  run.options.inputs.samples = 1000;
  const auto report = RunCampaign(device, run, SomeOperations(), "", false, 0, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->results.size(), 4u);
  EXPECT_EQ(report->results[0].verdict, Verdict::kPass);
  EXPECT_EQ(report->results[3].verdict, Verdict::kNotMeasured);
  EXPECT_THAT(report->results[3].message, HasSubstr("out of memory"));
}

TEST_F(CampaignTest, ACheckpointOfAnotherRunIsRefused) {
  ASSERT_TRUE(Run(path_, false));
  RunInfo run = SmallRun();
  run.options.inputs.seed = 2;
  Error error = ResumeError(run);
  EXPECT_EQ(error.kind, ErrorKind::kUsage);
  EXPECT_THAT(error.message, HasSubstr("another run"));
  EXPECT_THAT(error.message, HasSubstr("seed"));
  EXPECT_THAT(error.message, HasSubstr("--checkpoint"));

  run = SmallRun();
  run.options.widths = {1};
  EXPECT_THAT(ResumeError(run).message, HasSubstr("width"));
  run = SmallRun();
  run.options.math = MathMode::kRelaxed;
  EXPECT_THAT(ResumeError(run).message, HasSubstr("math"));
  run = SmallRun();
  run.options.max_failures = 3;
  EXPECT_THAT(ResumeError(run).message, HasSubstr("max_failures"));
  run = SmallRun();
  run.options.rounding = numerics::Rounding::kRtz;
  EXPECT_THAT(ResumeError(run).message, HasSubstr("rounding"));

  std::vector<Operation> fewer = SomeOperations();
  fewer.pop_back();
  EXPECT_THAT(ResumeError(SmallRun(), fewer).message, HasSubstr("operations"));

  TestingDevice other;
  other.MutableDescription().driver_version = "2.0";
  const auto report = RunCampaign(other, SmallRun(), SomeOperations(), path_, true, 0, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, HasSubstr("driver_version"));
}

// The other way round: an option that the checkpoint had and this run has not.
TEST_F(CampaignTest, ACheckpointWithMoreOptionsIsRefused) {
  RunInfo run = SmallRun();
  run.options.rounding = numerics::Rounding::kRtz;
  ASSERT_TRUE(Run(path_, false, {}, run));
  EXPECT_THAT(ResumeError().message, HasSubstr("rounding"));
}

TEST_F(CampaignTest, AnUnwritableCheckpointDoesNotStopTheRun) {
  const auto report = Run((folder_ / "missing" / "checkpoint.json").string(), false);
  ASSERT_TRUE(report);
  EXPECT_EQ(ReportToJson(*report).dump(2), Whole());
}

// Each operation has its own seeded stream.
TEST_F(CampaignTest, OrderAndSelectionChangeNoVerdict) {
  const auto all = Run("", false);
  ASSERT_TRUE(all);
  std::vector<Operation> reversed = SomeOperations();
  std::reverse(reversed.begin(), reversed.end());
  const auto backwards = Run("", false, {}, SmallRun(), reversed);
  ASSERT_TRUE(backwards);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string expected = ToCheckpoint(all->results[i]).dump();
    EXPECT_EQ(ToCheckpoint(backwards->results[3 - i]).dump(), expected);
    const auto alone = Run("", false, {}, SmallRun(), {SomeOperations()[i]});
    ASSERT_TRUE(alone);
    EXPECT_EQ(ToCheckpoint(alone->results[0]).dump(), expected);
  }
}

TEST_F(CampaignTest, OneBrokenFunctionDoesNotStopTheOthers) {
  TestingDevice device;
  device.run_error = Error{ErrorKind::kDevice, "the child died"};
  // The second operation fails, and only that one.
  const CampaignHooks hooks{.begin = [&](std::size_t index, const Operation&) {
    device.run_error_at = index == 1 ? 0 : 1 << 30;
  }};
  const auto report = RunCampaign(device, SmallRun(), SomeOperations(), "", false, 0, hooks);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->results[0].verdict, Verdict::kPass);
  EXPECT_EQ(report->results[1].verdict, Verdict::kNotMeasured);
  EXPECT_EQ(report->results[1].message, "the child died");
  EXPECT_EQ(report->results[2].verdict, Verdict::kPass);
  EXPECT_EQ(report->results[3].verdict, Verdict::kPass);
  EXPECT_FALSE(report->interrupted);
}

}  // namespace
}  // namespace assay::oracle
