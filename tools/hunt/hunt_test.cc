#include "tools/hunt/hunt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/run_tool.h"
#include "tools/bisect/job_files.h"
#include "tools/hunt/compare.h"
#include "tools/hunt/generate.h"
#include "tools/hunt/journal.h"
#include "tools/hunt/reduce.h"

namespace assay::tools {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kPrograms = 24;
#else
constexpr std::uint64_t kPrograms = 300;  // nearly every operation on every type
#endif

std::vector<HuntKind> AllKinds() {
  std::vector<HuntKind> kinds;
  for (const HuntKindRow& row : HuntKinds()) kinds.push_back(row.kind);
  return kinds;
}

const HuntDevice kWhole{.has_halves = true, .has_images = true, .has_pipes = true};

HuntExecutor Executor() {
  auto made = HuntExecutor::Make("", kWhole, {});
  EXPECT_TRUE(made);
  return std::move(*made);
}

HuntStmt Output(HuntExpr expr) {
  HuntStmt stmt;
  stmt.is_output = true;
  stmt.exprs.push_back(std::move(expr));
  return stmt;
}

constexpr HuntType kUint{HuntBase::kUint, 1}, kUchar3{HuntBase::kUchar, 3};

TEST(HuntPrinter, WritesWhatIsUsed) {
  HuntProgram program;
  program.items = 8;
  program.parts.push_back(
      {"f0@",
       {.head = "uint f0@(uint a)", .body = {{.head = "return a;"}}, .has_body = true},
       false});
  program.parts.push_back({"f1@", {.head = "uint f1@(uint a)", .has_body = true}, false});
  program.parts.push_back({"t2", {.head = "local uint t2[64];"}, true});
  program.body.push_back({.head = "t2[l] = $0;", .exprs = {{kUint, "in_uint[i]"}}});
  program.body.push_back({.head = "barrier(CLK_LOCAL_MEM_FENCE);"});
  program.body.push_back(Output({kUint, "f0@($0)", {{kUint, "t2[n - 1u - l]"}}}));
  program.body.push_back(Output({kUint, "($0 + $1)", {{kUint, "1u"}, {kUint, "i"}}}));
  program.body.push_back(Output({kUchar3, "vload3(i, in_uchar)"}));
  const HuntText text = PrintProgram(program, "k", "_5");
  EXPECT_EQ(text.outside, "uint f0_5(uint a) {\n  return a;\n}\n");
  EXPECT_EQ(text.kernel,
            "kernel void k(global const uchar* in_uchar, global const uint* in_uint, global uchar* "
            "out_uchar, global uint* out_uint) {\n"
            "  const uint i = (uint)get_global_id(0), l = (uint)get_local_id(0), n = "
            "(uint)get_local_size(0);\n"
            "  local uint t2[64];\n"
            "  t2[l] = in_uint[i];\n"
            "  barrier(CLK_LOCAL_MEM_FENCE);\n"
            "  out_uint[i] = f0_5(t2[n - 1u - l]);\n"
            "  out_uint[i + 8] = (1u + i);\n"
            "  vstore3(vload3(i, in_uchar), i, out_uchar);\n"
            "}\n");
  EXPECT_EQ(text.output_counts, (std::vector<std::uint64_t>{24, 16}));
}

TEST(HuntPrinter, WritesConstants) {
  EXPECT_EQ(PrintExpr(HuntConstant({HuntBase::kInt, 1}, INT32_MIN)), "(-2147483647 - 1)");
  EXPECT_EQ(PrintExpr(HuntConstant({HuntBase::kUchar, 4}, -1)), "(uchar4)(255)");
  EXPECT_EQ(PrintExpr(HuntConstant({HuntBase::kUlong, 1}, -1)), "18446744073709551615UL");
  EXPECT_EQ(PrintExpr(HuntConstant({HuntBase::kFloat, 1}, -12)), "(-1.5f)");
  EXPECT_EQ(PrintExpr(HuntConstant({HuntBase::kDouble, 2}, 16)), "(double2)(2.0)");
}

TEST(HuntPlan, HasEachOperationOnEachTypeOnce) {
  const HuntPlan plan = PlanOf(kWhole, AllKinds(), 3);
  std::size_t all = 0;
  for (const HuntOperation& row : HuntOperations()) all += TypesOf(row, kWhole).size();
  EXPECT_EQ(plan.roots.size(), all);
  std::set<std::pair<std::size_t, HuntType>> distinct(plan.roots.begin(), plan.roots.end());
  EXPECT_EQ(distinct.size(), all);
  // Each operation comes before one comes again.
  std::set<std::size_t> first;
  for (std::size_t i = 0; i < HuntOperations().size(); ++i) first.insert(plan.roots[i].first);
  EXPECT_EQ(first.size(), HuntOperations().size());
}

TEST(HuntPlan, LeavesOutWhatTheDeviceHasNot) {
  const HuntDevice small{.standard = "CL1.2",
                         .has_doubles = false,
                         .has_longs = false,
                         .has_collectives = false,
                         .has_subgroups = false,
                         .has_generic = false,
                         .has_blocks = false};
  const HuntPlan plan = PlanOf(small, AllKinds(), 1);
  for (std::uint64_t number = 0; number < 60; ++number) {
    const std::string text = TextOf(GenerateProgram(small, plan, 1, number, 64));
    for (const char* word : {"double", "long", "work_group_reduce", "sub_group", "ctz(", "^("}) {
      EXPECT_EQ(text.find(word), std::string::npos) << word << " in\n" << text;
    }
  }
}

TEST(HuntGenerator, IsAFunctionOfTheSeed) {
  const HuntPlan plan = PlanOf(HuntDevice(), AllKinds(), 1);
  const std::string text = TextOf(GenerateProgram(HuntDevice(), plan, 1, 5, 64));
  EXPECT_EQ(TextOf(GenerateProgram(HuntDevice(), plan, 1, 5, 64)), text);
  EXPECT_NE(TextOf(GenerateProgram(HuntDevice(), plan, 1, 6, 64)), text);
  EXPECT_NE(TextOf(GenerateProgram(HuntDevice(), plan, 2, 5, 64)), text);
}

// The interpreter's detectors are silent: all are defined.
TEST(HuntGenerator, MakesProgramsWithoutFindings) {
  HuntExecutor executor = Executor();
  HuntTask task{.platform = "",
                .device = kWhole,
                .plan = PlanOf(kWhole, AllKinds(), 11),
                .seed = 11,
                .folder = ""};
  for (std::uint64_t batch = 0; batch * kProgramsOfBatch < kPrograms; ++batch) {
    const std::vector<HuntProgram> programs = ProgramsOf(task, batch);
    const HuntSetting settings[] = {SettingOf(task, batch)};
    const auto references = executor.Refer(programs, settings);
    ASSERT_TRUE(references);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      EXPECT_EQ((*references)[i].refused, "")
          << "seed 11, program " << batch * kProgramsOfBatch + i << "\n"
          << TextOf(programs[i]);
    }
  }
}

// The places of packets that a program has seen.
std::size_t Seen(const HuntExecutor::Reference& one) {
  std::vector<std::uint32_t> seen(one.buffers.at(0).size() / 4);
  std::memcpy(seen.data(), one.buffers[0].data(), one.buffers[0].size());
  return seen.size() - static_cast<std::size_t>(std::ranges::count(seen, 0u));
}

TEST(HuntPipes, GiveEachPacketOnce) {
  HuntExecutor executor = Executor();
  const HuntPlan plan = PlanOf(kWhole, {HuntKind::kPipes}, 3);
  ASSERT_EQ(plan.features.size(), PipeFeatures().size());
  std::vector<HuntProgram> programs;
  for (std::uint64_t number = 0; number < 2 * plan.features.size(); ++number)
    programs.push_back(GenerateProgram(kWhole, plan, 3, number, 60));
  const HuntSetting settings[] = {{"", 12, {}}};
  const auto references = executor.Refer(programs, settings);
  ASSERT_TRUE(references);
  std::size_t whole = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const HuntExecutor::Reference& one = (*references)[i];
    ASSERT_EQ(one.refused, "") << TextOf(programs[i]);
    const std::vector<std::string> causes = CausesOf(programs[i]);
    if (causes[0].starts_with("get_pipe")) continue;
    const bool is_short = causes[0] == "read_pipe_empty";
    EXPECT_EQ(Seen(one) < 60, is_short) << TextOf(programs[i]);
    whole += is_short ? 0 : 1;
  }
  EXPECT_EQ(whole, 2 * (plan.features.size() - 3));
}

// Its cause goes with it, and the program computes the same.
TEST(HuntPipes, AreFilledPlainlyWithoutTheirCause) {
  HuntExecutor executor = Executor();
  const HuntPlan plan = PlanOf(kWhole, {HuntKind::kPipes}, 3);
  const std::string cause = "work_group_reserve_write_pipe";
  for (std::uint64_t number = 0; number < plan.features.size(); ++number) {
    const HuntProgram program = GenerateProgram(kWhole, plan, 3, number, 60);
    if (!std::ranges::binary_search(CausesOf(program), cause)) continue;
    const HuntProgram less = Without(program, {cause});
    EXPECT_EQ(CausesOf(less), std::vector<std::string>{"read_pipe"});
    const HuntProgram both[] = {program, less};
    const HuntSetting settings[] = {{"", 12, {}}};
    const auto references = executor.Refer(both, settings);
    ASSERT_TRUE(references);
    EXPECT_EQ((*references)[0].buffers, (*references)[1].buffers);
    return;
  }
  FAIL() << "no program has it";
}

// The job beside a finding is the one that was run: the pipe's filler first.
TEST(HuntPipes, AreWrittenIntoJobs) {
  const HuntPlan plan = PlanOf(kWhole, {HuntKind::kPipes}, 3);
  const HuntProgram program = GenerateProgram(kWhole, plan, 3, 0, 60);
  const interp::Job job = JobOf(program, {"", 12, {}}, "CL3.0", "hunted.cl");
  const auto folder = base::TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(WriteJobFiles(folder->path(), "hunted", TextOf(program), job));
  const auto read = interp::LoadJob(folder->File("hunted.json"));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->launches.size(), 2u);
  ASSERT_EQ(job.launches.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->launches[i].kernel, job.launches[i].kernel);
    EXPECT_EQ(read->launches[i].range.global, job.launches[i].range.global);
  }
  const auto pipe = std::get<interp::JobBufferUse>(read->launches[0].arguments.at(0)).buffer;
  EXPECT_EQ(std::get<interp::JobBufferUse>(read->launches[1].arguments.at(0)).buffer, pipe);
  EXPECT_EQ(read->buffers[pipe].max_packets, 60u);
  EXPECT_EQ(read->buffers[pipe].packet_bytes, job.buffers[0].packet_bytes);
}

// It counts as not done, so that --resume does it.
TEST(HuntBatch, FailsWhereNoTimeIsLeft) {
  const auto folder = base::TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const HuntTask task{.platform = "",
                      .device = kWhole,
                      .plan = PlanOf(kWhole, {HuntKind::kControl}, 11),
                      .seed = 11,
                      .folder = folder->path()};
  const auto late = std::chrono::steady_clock::now() - std::chrono::hours(1);
  const auto batch = WorkBatch(task, 0, {}, late);
  ASSERT_FALSE(batch);
  EXPECT_EQ(batch.error().message, "no time was left for all of its programs");
}

// A device that is the interpreter, but for one form that it takes for another.
class OtherForm : public HuntTrier {
 public:
  OtherForm(HuntExecutor* executor, std::string cause, std::string form)
      : executor_(*executor), cause_(std::move(cause)), form_(std::move(form)) {}

  std::vector<HuntResult> Try(const std::vector<HuntProgram>& candidates,
                              const HuntSetting& setting) override {
    std::vector<HuntProgram> others = candidates;
    for (HuntProgram& one : others) {
      ForEachExpr(&one, [&](HuntExpr* expr) {
        if (expr->cause == cause_) expr->form = form_;
      });
    }
    const HuntSetting settings[] = {setting};
    const auto right = executor_.Refer(candidates, settings),
               wrong = executor_.Refer(others, settings);
    std::vector<HuntResult> results(candidates.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const bool is_judged = (*right)[i].refused.empty() && (*wrong)[i].refused.empty();
      if (!is_judged) results[i].verdict = HuntVerdict::kNotJudged;
      if (is_judged && (*right)[i].buffers != (*wrong)[i].buffers)
        results[i].verdict = HuntVerdict::kDiffers;
    }
    return results;
  }

 private:
  HuntExecutor& executor_;
  std::string cause_, form_;
};

TEST(HuntReducer, LeavesTheWrongInstruction) {
  HuntExecutor executor = Executor();
  const HuntPlan plan = PlanOf(HuntDevice(), {HuntKind::kIntegers, HuntKind::kControl}, 2);
  OtherForm device(&executor, "rotate", "rotate($0, $0)");
  const auto never = std::chrono::steady_clock::now() + std::chrono::hours(1);
  int reduced = 0;
  for (std::uint64_t number = 0; number < 400 && reduced < 2; ++number) {
    HuntProgram program = GenerateProgram(HuntDevice(), plan, 2, number, 16);
    if (!std::ranges::binary_search(CausesOf(program), "rotate")) continue;
    const HuntResult result = device.Try({program}, {"", 16, {}})[0];
    if (result.verdict != HuntVerdict::kDiffers) continue;
    const HuntReduction small = ReduceProgram(program, {"", 16, {}}, result, &device, never);
    EXPECT_EQ(small.result.verdict, HuntVerdict::kDiffers);
    EXPECT_LE(LinesOf(PrintProgram(small.program, "hunted", "")), 12) << TextOf(small.program);
    const std::vector<std::string> causes = CausesOf(small.program);
    EXPECT_NE(std::ranges::find(causes, "rotate"), causes.end()) << TextOf(small.program);
    EXPECT_EQ(device.Try({Without(program, {"rotate"})}, {"", 16, {}})[0].verdict,
              HuntVerdict::kAgrees);
    ++reduced;
  }
  EXPECT_EQ(reduced, 2);
}

// One result of sin, with what a driver wrote for operand and result.
HuntResult JudgedSin(float operand, std::uint32_t operand_written, std::uint32_t written,
                     bool keeps_subnormals = true) {
  HuntProgram program;
  program.items = 1;
  HuntExpr sine{{HuntBase::kFloat, 1}, "sin($0)", {{{HuntBase::kFloat, 1}, "in_float[i]"}}, "sin"};
  sine.judged = "sin";
  program.body.push_back(Output(std::move(sine)));
  const HuntText text = PrintProgram(program, "k", "");
  EXPECT_NE(text.kernel.find("out_float[i] = in_float[i];\n  out_float[i + 1] = sin(in_float[i]);"),
            std::string::npos)
      << text.kernel;
  const float right[2] = {operand, static_cast<float>(std::sin(static_cast<double>(operand)))};
  const std::uint32_t observed[2] = {operand_written, written};
  interp::JobBuffer described;
  described.name = "out_float";
  described.type = *interp::ParseElementType("float");
  HuntBuffers buffers;
  buffers.text = &text;
  buffers.items = 1;
  buffers.described = {&described};
  buffers.observed = {std::as_bytes(std::span(observed))};
  buffers.right = {std::as_bytes(std::span(right))};
  HuntResult result;
  CompareBuffers({.keeps_subnormal_floats = keeps_subnormals}, buffers, &result);
  return result;
}

TEST(HuntCompare, JudgesFunctionsByTheirLimit) {
  constexpr std::uint32_t kOne = 0x3f800000, kSine = 0x3f576aa4;  // of 1; the limit is 4 ulp
  EXPECT_EQ(JudgedSin(1, kOne, kSine).verdict, HuntVerdict::kAgrees);
  EXPECT_EQ(JudgedSin(1, kOne, kSine + 3).verdict, HuntVerdict::kAgrees);
  const HuntResult wrong = JudgedSin(1, kOne, kSine + 6);
  EXPECT_EQ(wrong.verdict, HuntVerdict::kDiffers);
  ASSERT_EQ(wrong.ranges.size(), 1u);
  EXPECT_LE(wrong.ranges[0].accepted.low, kSine);
  EXPECT_GE(wrong.ranges[0].accepted.high, kSine + 3);
  EXPECT_LT(wrong.ranges[0].accepted.high, kSine + 6);
}

TEST(HuntCompare, ComparesOperandsByTheirBits) {
  EXPECT_EQ(JudgedSin(1, 0x3f800001, 0x3f576aa4).verdict, HuntVerdict::kDiffers);
  // The result of a subnormal number, which may be flushed if the device says so.
  const float tiny = 0x1p-140f;
  EXPECT_EQ(JudgedSin(tiny, 0, 0).verdict, HuntVerdict::kDiffers);
  EXPECT_EQ(JudgedSin(tiny, 0, 0, false).verdict, HuntVerdict::kAgrees);
}

HuntBatch SomeBatch(std::uint64_t number) {
  HuntBatch batch;
  batch.number = number;
  batch.programs = 12;
  batch.again["rotate"] = 2;
  HuntFinding finding;
  finding.cause = "mul_hi";
  finding.verdict = NameOf(HuntVerdict::kDiffers);
  finding.text = "kernel void hunted() {}\n";
  batch.findings.push_back(finding);
  return batch;
}

TEST(HuntJournal, KeepsBatches) {
  const auto folder = base::TemporaryFolder::Make();
  {
    auto journal = HuntJournal::Open(folder->path(), "one", false);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->Add(SomeBatch(0)));
    ASSERT_TRUE(journal->Add(SomeBatch(1)));
    ASSERT_TRUE(journal->Write());
  }
  EXPECT_FALSE(HuntJournal::Open(folder->path(), "one", false)) << "without --resume";
  EXPECT_FALSE(HuntJournal::Open(folder->path(), "another", true));
  auto again = HuntJournal::Open(folder->path(), "one", true);
  ASSERT_TRUE(again);
  const std::vector<HuntBatch> done = again->TakeDone();
  ASSERT_EQ(done.size(), 2);
  EXPECT_EQ(HuntBatchJson(done[1]), HuntBatchJson(SomeBatch(1)));
  auto text = base::ReadWholeFile(folder->path() + "/hunt.journal");
  text->replace(text->find("mul_hi"), 6, "mul_lo");
  ASSERT_TRUE(base::WriteFileAtomically(folder->path() + "/hunt.journal", *text));
  EXPECT_FALSE(HuntJournal::Open(folder->path(), "one", true)) << "a changed line";
}

TEST(HuntOptions, ReadsDurationsAndKinds) {
  EXPECT_EQ(*ParseHuntBudget("120s"), 120);
  EXPECT_EQ(*ParseHuntBudget("1.5m"), 90);
  EXPECT_EQ(*ParseHuntBudget("2h"), 7200);
  EXPECT_EQ(*ParseHuntBudget("7"), 7);
  for (const char* text : {"", "s", "-1", "0", "1d", "nan", "1e99h"})
    EXPECT_FALSE(ParseHuntBudget(text)) << text;
  EXPECT_EQ(*ParseHuntKinds("floats,atomics"),
            (std::vector<HuntKind>{HuntKind::kFloats, HuntKind::kAtomics}));
  EXPECT_FALSE(ParseHuntKinds("floats,"));
  EXPECT_FALSE(ParseHuntKinds("image"));
}

TEST(HuntReport, TellsEachGroup) {
  HuntReport report;
  report.programs = 5;
  report.groups.push_back(SomeBatch(0).findings[0]);
  report.replays.push_back({"old", "wrong", "out[0]"});
  const std::string junit = HuntJUnit(report, "assay hunt");
  EXPECT_NE(junit.find("tests=\"3\" failures=\"2\""), std::string::npos) << junit;
  EXPECT_NE(HuntPage(report, "assay hunt").find("mul_hi"), std::string::npos);
  EXPECT_EQ(HuntJson(report)["findings"][0]["cause"], "mul_hi");
  EXPECT_NE(HuntFindingText(report.groups[0]).find("kernel void hunted"), std::string::npos);
}

TEST(HuntReport, HasExitCodes) {
  HuntReport report;
  report.programs = 5;
  EXPECT_EQ(HuntExitCode(report), 0);
  report.replays.push_back({"a", "wrong", ""});
  EXPECT_EQ(HuntExitCode(report), 1);
  report.replays[0].verdict = "right";
  EXPECT_EQ(HuntExitCode(report), 0);
  report.replays[0].verdict = "not decidable";
  EXPECT_EQ(HuntExitCode(report), 0);
  EXPECT_NE(HuntJUnit(report, "").find("<skipped"), std::string::npos);
  report.groups.push_back(SomeBatch(0).findings[0]);
  EXPECT_EQ(HuntExitCode(report), 1);
  EXPECT_EQ(HuntExitCode(HuntReport()), 4) << "nothing was judged";
}

}  // namespace
}  // namespace assay::tools
