// Sweeps over all operands of 32 bits, in which the driver makes operands and poison itself.
#include <fmt/ranges.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "base/run_tool.h"
#include "numerics/function.h"
#include "oracle/sweep/shard.h"
#include "oracle/sweep/sweep.h"
#include "testsuites/hostile/icd/icd_testing.h"

namespace assay::hostile {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using oracle::FunctionResult;
using oracle::Verdict;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Operation kExp = Operation::Builtin(Function::exp, Format::kFloat);
constexpr std::uint64_t kShards = 8192;
constexpr std::uint64_t kSpace = std::uint64_t{1} << 32;
constexpr std::uint64_t kBatch = std::uint64_t{1} << 15;
constexpr const char* kMakes = "does not make operands as it is asked to, and is sent all of them";

// That with the floats around one.
oracle::Shard TheShard() {
  oracle::Shard shard{.index = 1, .count = kShards};
  for (; shard.index < kShards; ++shard.index) {
    const oracle::ItemRange share = oracle::ShareOf(shard, kExp, kSpace);
    if (share.first <= 0x3f800000u && 0x3f800000u < share.end) break;
  }
  return shard;
}

std::uint64_t Items() {
  const oracle::ItemRange share = oracle::ShareOf(TheShard(), kExp, kSpace);
  return share.end - share.first;
}

// exp of these floats, in 16 batches, of which two are requested ahead.  `stage`: behind the 14th,
// the sweep waits until the driver enters it.
FunctionResult Sweep(const std::string& faults, const std::string& stage = "") {
  const auto marks = base::TemporaryFolder::Make();
  if (!marks) return {.message = marks.error().message};
  setenv("OCL_ICD_VENDORS", ASSAY_HOSTILE_VENDORS, 1);
  setenv("ASSAY_HOSTILE_ICD", faults.c_str(), 1);
  setenv("ASSAY_HOSTILE_MARKS", marks->path().c_str(), 1);
  const auto device =
      oracle::OpenServed({"--opencl=Hostile"}, oracle::Patience::Of(20), ASSAY_BINARY);
  if (!device) return {.message = device.error().message};
  oracle::SweepOptions options;
  options.inputs.level = oracle::Level::kExhaustive;
  options.widths = {1};
  options.threads = 2;
  options.batch_items = kBatch;
  options.shard = TheShard();
  oracle::SweepHooks hooks;
  const std::uint64_t behind = oracle::ShareOf(TheShard(), kExp, kSpace).first + 14 * kBatch;
  hooks.progress = [&](const oracle::SweepProgress& progress) {
    if (stage.empty() || progress.next_item != behind) return;
    for (int i = 0; i < 2000 && !base::Exists(marks->File(stage)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  return oracle::SweepOperation(**device, kExp, options, hooks);
}

std::string Notes(const FunctionResult& result) {
  return fmt::format("{}", fmt::join(result.notes, "; "));
}

class HostileRanges : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasLoader()) GTEST_SKIP() << "no OpenCL loader: apt install ocl-icd-libopencl1";
  }
};

void ExpectSameStatistics(const FunctionResult& a, const FunctionResult& b) {
  EXPECT_EQ(a.verdict, b.verdict) << a.message << b.message;
  const oracle::Statistics &s = a.statistics, &t = b.statistics;
  EXPECT_EQ(s.inputs, t.inputs);
  EXPECT_EQ(s.answers, t.answers);
  EXPECT_EQ(s.failures, t.failures);
  EXPECT_EQ(s.asked_again, t.asked_again);
  EXPECT_EQ(s.not_deterministic, t.not_deterministic);
  EXPECT_EQ(s.max_ulp, t.max_ulp);
  EXPECT_EQ(s.worst.item, t.worst.item);
  EXPECT_EQ(s.over, t.over);
  EXPECT_EQ(s.binades.size(), t.binades.size());
}

TEST_F(HostileRanges, AreThoseThatAreSent) {
  const FunctionResult sent = Sweep("gpu,lose_ranges@0");
  EXPECT_EQ(sent.verdict, Verdict::kPass) << sent.message;
  EXPECT_EQ(sent.statistics.inputs, Items());
  EXPECT_THAT(Notes(sent), HasSubstr(kMakes));
  for (const char* faults : {"gpu", "", "gpu,deferred"}) {
    const FunctionResult made = Sweep(faults);
    EXPECT_THAT(made.notes, IsEmpty()) << faults;
    ExpectSameStatistics(made, sent);
  }
}

TEST_F(HostileRanges, ADriverThatMakesOtherOperandsIsToldApartFromTheFunction) {
  const FunctionResult right = Sweep("gpu");
  // Not at the first time, when it is looked at; in the middle, or not at all.
  for (const char* faults : {"gpu,ranges_off@1", "gpu,ranges_off@3", "gpu,lose_ranges@1"}) {
    const FunctionResult result = Sweep(faults);
    EXPECT_THAT(Notes(result), HasSubstr(kMakes)) << faults;
    ExpectSameStatistics(result, right);
  }
}

TEST_F(HostileRanges, ADriverThatCannotCopyIsSentAll) {
  const FunctionResult result = Sweep("gpu,error_after@copy:2");
  EXPECT_THAT(Notes(result), HasSubstr("is sent all operands"));
  EXPECT_THAT(Notes(result), HasSubstr("clEnqueueCopyBuffer"));
  ExpectSameStatistics(result, Sweep("gpu"));
}

TEST_F(HostileRanges, WrongOperandsThatComeOnceAreNotPassed) {
  const FunctionResult result = Sweep("gpu,range_off_once@5");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_GE(result.statistics.failures, 1u);
  EXPECT_LE(result.statistics.failures, 40u);
}

TEST_F(HostileRanges, AnswersThatAreWrongOrNotWrittenOnceAreNotPassed) {
  // Launches of exp: each batch has one and its sample another.
  for (const char* faults :
       {"gpu,lose_one_launch@9", "gpu,lose_one_launch@10", "lose_one_launch@12",
        "lose_one_launch@13", "gpu,far_off_later@20", "far_off_later@20", "gpu,previous_launch"}) {
    const FunctionResult result = Sweep(faults);
    EXPECT_EQ(result.verdict, Verdict::kFail) << faults << result.message;
    EXPECT_GE(result.statistics.failures, 1u) << faults;
    EXPECT_THAT(result.notes, IsEmpty()) << faults;
  }
}

TEST_F(HostileRanges, ADriverThatStoresNothingHasNoAnswers) {
  for (const char* faults : {"gpu,store_nothing", "store_nothing"}) {
    const FunctionResult result = Sweep(faults);
    EXPECT_EQ(result.verdict, Verdict::kFail) << faults;
    EXPECT_EQ(result.statistics.failures, result.statistics.inputs) << faults;
    EXPECT_EQ(result.statistics.inputs, Items()) << faults;
    ASSERT_FALSE(result.statistics.recorded.empty());
    EXPECT_EQ(result.statistics.recorded[0].rule, oracle::Rule::kNotWritten);
  }
}

TEST_F(HostileRanges, AWrongFunctionIsJudgedAsEver) {
  const FunctionResult result = Sweep("gpu,far_off_at_one");
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.statistics.failures, 1u);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST_F(HostileRanges, WhatIsLostOnTheWayIsADeviceError) {
  const struct {
    const char* faults;
    const char* text;
  } rows[] = {{"gpu,lose_copies@1", "does not hold what was written there"},
              {"gpu,write_behind", "the memory behind result 1"},
              {"gpu,write_before", "the memory before result 1"},
              {"gpu,write_first_input", "operand 1 does not hold"},
              {"gpu,error_after@launch:7", "CL_OUT_OF_RESOURCES"},
              {"gpu,error_after@launch:8", "CL_OUT_OF_RESOURCES"}};
  for (const auto& row : rows) {
    const FunctionResult result = Sweep(row.faults);
    EXPECT_EQ(result.verdict, Verdict::kNotMeasured) << row.faults;
    EXPECT_THAT(result.message, HasSubstr(row.text)) << row.faults;
    EXPECT_THAT(Notes(result), Not(HasSubstr("operands as it is asked"))) << row.faults;
  }
}

// The driver ends while it is asked what operands it makes: that says nothing of them.
TEST_F(HostileRanges, ACrashOfTheCheckTakesNoAnswersBack) {
  const FunctionResult result = Sweep("gpu,range_off_once@5,segv@check:2");
  EXPECT_EQ(result.verdict, Verdict::kFail) << result.message;
  EXPECT_GE(result.statistics.failures, 1u);
  EXPECT_THAT(result.notes, IsEmpty());
}

TEST_F(HostileRanges, ACrashOfTheCheckHidesNoError) {
  const FunctionResult result = Sweep("gpu,spoil_range@3,segv@check:2");
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_THAT(result.message, HasSubstr("the memory before result 1"));
  EXPECT_THAT(result.notes, IsEmpty());
}

// The request for the last of the 16 batches, or for its sample, ends the driver; the batch before
// it is asked again, or took so long that no stream goes on.
TEST_F(HostileRanges, AnErrorOfARequestAheadIsReported) {
  for (const auto& [faults, stage] : {std::pair("gpu,range_off_once@16", "range:16"),
                                      std::pair("gpu,range_off_once@16", "sample:16"),
                                      std::pair("gpu,sleep_long@range:15", "range:16"),
                                      std::pair("gpu,ranges_off@15", "range:16")}) {
    const FunctionResult result = Sweep(fmt::format("{},segv@{}", faults, stage), stage);
    EXPECT_NE(result.verdict, Verdict::kPass) << faults;
    EXPECT_THAT(result.message, HasSubstr("signal 11")) << faults;
    EXPECT_EQ(result.lost.size(), 1u) << faults;
  }
}

TEST_F(HostileRanges, WhatWasRefusedStandsWhereTheDriverEndsAtTheSecondRequest) {
  const FunctionResult result = Sweep("gpu,range_off_once@5,segv@sent:2");
  EXPECT_EQ(result.verdict, Verdict::kFail) << result.message;
  EXPECT_GE(result.statistics.failures, 1u);
  EXPECT_LE(result.statistics.failures, 40u);
  EXPECT_EQ(result.lost.size(), 1u);
}

}  // namespace
}  // namespace assay::hostile
