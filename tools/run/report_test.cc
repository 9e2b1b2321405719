#include "tools/run/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "interp/job/buffer_content.h"
#include "interp/rules/rule.h"
#include "tools/run/expectations.h"
#include "tools/run/finding_text.h"
#include "tools/shared/exit_code.h"

namespace assay::tools {
namespace {

using interp::LaunchEnd;
using interp::Rule;
using testing::HasSubstr;
using testing::Not;

interp::JobBuffer Buffer(const char* type, std::uint64_t count, std::vector<std::string> fill) {
  interp::JobBuffer buffer{.name = "data", .type = *interp::ParseElementType(type), .count = count};
  buffer.bytes = *interp::FillContent(buffer.type, count, fill);
  return buffer;
}

ReportedFinding Finding(Rule rule) {
  ReportedFinding reported{.finding = interp::Finding(rule)};
  reported.finding.message = "what happened";
  reported.finding.global_id = {3, 0, 1};
  reported.finding.group_id = {1, 0, 0};
  return reported;
}

TEST(RunReportTest, AFindingReadsTopDown) {
  ReportedFinding reported = Finding(Rule::kRaceNonatomic);
  const std::string rule =
      "  = rule: OpenCL API, Memory Ordering Rules; assay explain race-nonatomic\n";
  FindingStyle style{.help = false};
  EXPECT_EQ(FindingText(reported, style),
            "error[race-nonatomic]: what happened\n"
            "  = undefined-behavior: work-item (3,0,1), work-group (1,0,0)\n" +
                rule);
  EXPECT_THAT(FindingText(reported), HasSubstr("  = help: Two work-items access the same memory"));
  EXPECT_THAT(FindingText(reported), HasSubstr("/OpenCL_API.html#memory-ordering-rules\n"));
  reported.finding.source = "reduce.cl:14:9";
  reported.source_text = "\t  scratch[lid] += 1;  \r";
  reported.finding.instruction = "%31 = OpLoad %float %30 Aligned 4";
  reported.finding.history = {"the other access: reduce.cl:11:5: OpStore %30 %31 Aligned 4",
                              "nothing orders the two"};
  reported.history_text = {"    scratch[lid] = x[i];", ""};
  reported.finding.count = 7;
  reported.finding.after_undefined_behavior = true;
  reported.runs = 3;
  reported.replay = "assay run reduce.cl --seed 17";
  reported.launches = 150;
  EXPECT_EQ(FindingText(reported, style),
            "error[race-nonatomic]: what happened\n"
            "  --> reduce.cl:14:9\n"
            "  |   scratch[lid] += 1;\n"
            "  |        ^\n"
            "  = the other access: reduce.cl:11:5\n"
            "  |   scratch[lid] = x[i];\n"
            "  |   ^\n"
            "  = nothing orders the two\n"
            "  = undefined-behavior: work-item (3,0,1), work-group (1,0,0); 7 times here; in "
            "150 launches; in 3 runs\n"
            "  = after earlier undefined behavior, which may be the cause\n" +
                rule + "  = replay: assay run reduce.cl --seed 17\n");
  style.spirv = true;
  EXPECT_THAT(FindingText(reported, style), HasSubstr("  |   %31 = OpLoad %float %30 Aligned 4\n"));
  EXPECT_THAT(FindingText(reported, style),
              HasSubstr("reduce.cl:11:5: OpStore %30 %31 Aligned 4\n"));
  style.color = true;
  EXPECT_THAT(FindingText(reported, style),
              testing::StartsWith("\033[1;31merror[race-nonatomic]\033[0m:"));
  reported.allowed = true;
  EXPECT_THAT(FindingText(reported), testing::StartsWith("allowed[race-nonatomic]: "));
}

TEST(RunReportTest, ALongLineIsShownAroundItsColumn) {
  ReportedFinding reported = Finding(Rule::kRaceNonatomic);
  reported.finding.source = "one.cl:1:151";
  reported.source_text = std::string(150, ' ') + "x;";
  EXPECT_THAT(FindingText(reported), HasSubstr("  |   x;\n  |   ^\n"));
  reported.source_text = std::string(150, 'a') + "x;";
  EXPECT_THAT(FindingText(reported), HasSubstr("  |   ..." + std::string(40, 'a') + "x;\n  |   " +
                                               std::string(43, ' ') + "^\n"));
}

TEST(RunReportTest, RacesOnOneObjectAreReportedOnce) {
  RunReport report;
  for (const char* source : {"a.cl:3:1", "a.cl:4:1", "a.cl:5:1"}) {
    ReportedFinding reported = Finding(Rule::kRaceNonatomic);
    reported.finding.object = "local memory 'tile'";
    reported.finding.source = source;
    report.findings.push_back(reported);
  }
  report.findings[2].finding.object = "local memory 'other'";
  EXPECT_EQ(FindingCountText(report), "2 findings at 3 places");
  const std::string text = FindingsText(report);
  EXPECT_THAT(text, HasSubstr("  = the same at a.cl:4:1 [race-nonatomic]\n"));
  EXPECT_THAT(text, HasSubstr("  --> a.cl:5:1\n"));
  EXPECT_THAT(text, Not(HasSubstr("  --> a.cl:4:1")));
}

// A macro is one place of the source and many instructions.
TEST(RunReportTest, APlaceIsListedOnce) {
  RunReport report;
  for (const char* source : {"a.cl:3:1", "a.cl:8:3", "a.cl:8:3", "a.cl:8:9", "a.cl:8:3"}) {
    ReportedFinding reported = Finding(Rule::kRaceNonatomic);
    reported.finding.object = "local memory 'tile'";
    reported.finding.source = source;
    reported.source_text = "  STEP4 STEP4";
    report.findings.push_back(reported);
  }
  EXPECT_EQ(FindingCountText(report), "1 finding at 3 places");
  EXPECT_THAT(FindingsText(report),
              HasSubstr("  = the same at a.cl:8:3 [race-nonatomic], 3 times    STEP4 STEP4\n"
                        "  = the same at a.cl:8:9 [race-nonatomic]    STEP4 STEP4\n"));
  EXPECT_EQ(FindingTexts(report).size(), 1u);
}

TEST(RunReportTest, WhatSaysNothingAboutTheKernelIsNoError) {
  EXPECT_THAT(FindingText(Finding(Rule::kUndefinedValue)), HasSubstr("error[undefined-value]"));
  EXPECT_THAT(FindingText(Finding(Rule::kItemProgress)), HasSubstr("warning[item-progress]"));
  EXPECT_THAT(FindingText(Finding(Rule::kPrintfLimit)), HasSubstr("limit[printf-limit]"));
}

TEST(RunReportTest, LongBuffersAreElidedInTheMiddle) {
  EXPECT_EQ(BufferText(Buffer("int2", 2, {"1", "-1"}), false),
            "buffer data: int2[2]\n"
            "  0: (1, -1) (0x00000001, 0xffffffff)\n"
            "  1: (1, -1) (0x00000001, 0xffffffff)\n");
  EXPECT_THAT(BufferText(Buffer("float", 32, {"1"}), false), Not(HasSubstr("left out")));
  const std::string elided = BufferText(Buffer("float", 33, {"1"}), false);
  EXPECT_THAT(elided, HasSubstr("  15: 1 (0x3f800000)\n"
                                "  ... 1 element left out (--print-all) ...\n"
                                "  17: 1 (0x3f800000)\n"));
  EXPECT_THAT(BufferText(Buffer("float", 33, {"1"}), true), HasSubstr("  16: 1"));
}

TEST(RunReportTest, CountsComeInTheOrderOfTheirSize) {
  EXPECT_THAT(CountsText({{"OpAdd", 1}, {"OpLoad", 20}}), HasSubstr("20 OpLoad\n"));
  EXPECT_LT(CountsText({{"OpAdd", 1}, {"OpLoad", 20}}).find("OpLoad"),
            CountsText({{"OpAdd", 1}, {"OpLoad", 20}}).find("OpAdd"));
}

TEST(RunReportTest, JsonHasEveryFact) {
  RunReport report;
  report.modules = {"a.cl", "b.spvasm"};
  report.compilers = {"clang-15 with llvm-spirv-15", ""};
  report.launches.push_back({.kernel = "k",
                             .range = *interp::MakeRange(std::vector<std::uint64_t>{8, 2}, {}, {}),
                             .local_size = {4, 2, 1},
                             .instructions = 5});
  report.instructions = 5;
  report.findings.push_back(Finding(Rule::kMemoryOutOfBounds));
  report.findings[0].finding.place = {7, {3}};
  report.output = "text\xff";
  report.buffers.push_back({Buffer("float2", 1, {"1.5", "nan"}), true});
  report.buffers.push_back({Buffer("uchar", 1, {"1"}), false});
  report.expectations.push_back({"output", std::nullopt, "because"});
  report.counts = {{"OpLoad", 2}};
  const nlohmann::ordered_json json = RunReportToJson(report);
  EXPECT_EQ(json["schema"], "assay-run/1");
  EXPECT_EQ(json["compilers"], nlohmann::json({"clang-15 with llvm-spirv-15", nullptr}));
  EXPECT_EQ(json["end"], "completed");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["launches"][0]["global"], nlohmann::json({8, 2}));
  EXPECT_EQ(json["launches"][0]["local_size"], nlohmann::json({4, 2}));
  EXPECT_EQ(json["findings"][0]["class"], "undefined-behavior");
  EXPECT_EQ(json["findings"][0]["global_id"], nlohmann::json({3, 0, 1}));
  EXPECT_EQ(json["findings"][0]["place"]["instruction"], 7);
  EXPECT_EQ(json["buffers"][0]["data"], nlohmann::json::parse(R"([["0x3fc00000", "0x7fc00000"]])"));
  EXPECT_FALSE(json["buffers"][1].contains("data"));
  EXPECT_EQ(json["buffers"][1]["sha256"], base::Sha256("\x01"));
  EXPECT_TRUE(json["expectations"][0]["met"].is_null());
  EXPECT_EQ(json["counts"]["OpLoad"], 2);
}

TEST(RunReportTest, ExitCodesInTheirOrder) {
  RunReport report;
  EXPECT_EQ(RunExitCode(report), kExitConforming);
  report.findings.push_back(Finding(Rule::kItemProgress));
  EXPECT_EQ(RunExitCode(report), kExitConforming) << "a hazard is no fault";
  report.end = LaunchEnd::kTimeLimit;
  EXPECT_EQ(RunExitCode(report), kExitDevice);
  report.findings.push_back(Finding(Rule::kUndefinedValue));
  EXPECT_EQ(RunExitCode(report), kExitNonconforming) << "what was found outranks a limit";
  report.findings_expected = true;
  EXPECT_EQ(RunExitCode(report), kExitDevice) << "an expectation judges the findings";
  report.end = LaunchEnd::kDeadlock;
  EXPECT_EQ(RunExitCode(report), kExitConforming);
  report.expectations.push_back({"findings", false, ""});
  EXPECT_EQ(RunExitCode(report), kExitNonconforming);
  report.end = LaunchEnd::kStopped;
  EXPECT_EQ(RunExitCode(report), kExitInterrupted);
  for (LaunchEnd end : {LaunchEnd::kDeadlock, LaunchEnd::kFindingLimit}) {
    EXPECT_EQ(RunExitCode({.end = end}), kExitNonconforming);
  }
  for (LaunchEnd end :
       {LaunchEnd::kInstructionLimit, LaunchEnd::kTimeLimit, LaunchEnd::kMemoryLimit}) {
    EXPECT_EQ(RunExitCode({.end = end}), kExitDevice);
  }
}

TEST(RunReportTest, TheSummaryNamesTheSettingsOfTheResult) {
  RunReport report;
  report.launches.push_back({.kernel = "k",
                             .range = *interp::MakeRange(std::vector<std::uint64_t>{8, 2}, {}, {}),
                             .local_size = {4, 2, 1},
                             .instructions = 5});
  report.instructions = 5;
  report.settings.seed = 17;
  report.settings.flush_to_zero = true;
  report.expectations = {{"output", true, ""}, {"findings", false, ""}, {"x", std::nullopt, ""}};
  EXPECT_EQ(
      SummaryText(report),
      "completed: 16 work-items, 5 instructions, 0 findings, 0.00 s, work-groups of 4x2, 1 of "
      "3 expectations met; seed 17, rounding rte, subnormals flushed, width 64, 1 thread\n");
  report.end = LaunchEnd::kTimeLimit;
  report.message = "after 3 s";
  report.planned_launches = 136;
  EXPECT_THAT(SummaryText(report), HasSubstr("time-limit (after 3 s): "));
  EXPECT_THAT(SummaryText(report), HasSubstr(", 1 of 136 launches"));
}

// A report of a completed run with one buffer of four ones.
RunReport Completed() {
  RunReport report;
  report.buffers.push_back({Buffer("float3", 4, {"1"}), false});
  report.output = "one\ntwo\n";
  return report;
}

TEST(RunExpectationsTest, FindingsAreComparedAsASetOfRules) {
  interp::Job job;
  job.expected_findings.emplace();
  RunReport report = Completed();
  report.findings.push_back(Finding(Rule::kPrintfLimit));
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[0].met, true) << "a limit is the run's, not the kernel's";
  report.findings.push_back(Finding(Rule::kRaceNonatomic));
  report.findings.push_back(Finding(Rule::kRaceNonatomic));
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[1].met, false);
  EXPECT_EQ(report.expectations[1].message, "expected none, found race-nonatomic");
  job.expected_findings = {Rule::kRaceNonatomic};
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[2].met, true);
}

TEST(RunExpectationsTest, OutputNamesTheFirstLine) {
  interp::Job job;
  job.expected_output = "one\ntwo\n";
  RunReport report = Completed();
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[0].met, true);
  job.expected_output = "one\ntoo\nthree";
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[1].message, "differs in line 2: expected 'too', printed 'two'");
  job.expected_output = "";
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[2].message, "differs in line 1: expected '', printed 'one'");
}

TEST(RunExpectationsTest, BuffersNameTheFirstElement) {
  interp::Job job;
  const interp::ElementType type = *interp::ParseElementType("float3");
  auto expected = *interp::FillContent(type, 4, std::vector<std::string>{"1"});
  expected[15] = std::byte{9};  // the padding of element 0
  job.expected_buffers.push_back({0, std::nullopt, expected});
  RunReport report = Completed();
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[0].met, true) << "padding is nobody's";
  std::memcpy(job.expected_buffers[0].bytes->data() + 2 * type.bytes,
              interp::ElementContent(type, std::vector<std::string>{"1", "2", "1"})->data(), 12);
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[1].met, false);
  EXPECT_EQ(report.expectations[1].message,
            "1 of 4 elements differ, first [2]: expected (1, 2, 1) (0x3f800000, 0x40000000, "
            "0x3f800000), observed (1, 1, 1) (0x3f800000, 0x3f800000, 0x3f800000)");
  EXPECT_EQ(ExpectationText(report.expectations[1]).find("error[expectation]: buffer data: 1 of 4"),
            0u);
}

// 2x2 elements of two bytes: 0, 1; 2, 3; 4, 5; 6, 7 over 255.
interp::JobBuffer Image() {
  interp::Job job;
  const auto image =
      interp::ParseArgument("image2d(2x2,RA,UNORM_INT8)=hex(0001020304050607)", &job);
  EXPECT_TRUE(image) << image.error().message;
  return job.buffers.at(0);
}

TEST(RunReportTest, ElementsOfImagesHavePlacesAndColors) {
  // 1/255, 3/255, ... rounded to float.
  EXPECT_EQ(BufferText(Image(), false),
            "image 0: 2d 2x2 CL_RA CL_UNORM_INT8\n"
            "  (0,0): (0, 0.003921569) (0x00000000, 0x3b808081)\n"
            "  (1,0): (0.007843138, 0.011764706) (0x3c008081, 0x3c40c0c1)\n"
            "  (0,1): (0.015686275, 0.019607844) (0x3c808081, 0x3ca0a0a1)\n"
            "  (1,1): (0.023529412, 0.02745098) (0x3cc0c0c1, 0x3ce0e0e1)\n");
  RunReport report = Completed();
  report.buffers.push_back({Image(), true});
  const nlohmann::ordered_json json = RunReportToJson(report);
  ASSERT_EQ(json["images"].size(), 1u);
  EXPECT_EQ(json["images"][0]["size"], nlohmann::json({2, 2}));
  EXPECT_EQ(json["images"][0]["order"], "CL_RA");
  EXPECT_EQ(json["images"][0]["data"][1], nlohmann::json::parse(R"(["0x3c008081", "0x3c40c0c1"])"));
  EXPECT_EQ(json["images"][0]["sha256"], base::Sha256(std::string("\0\1\2\3\4\5\6\7", 8)));
}

TEST(RunExpectationsTest, ImagesNameTheFirstElement) {
  interp::Job job;
  RunReport report = Completed();
  report.buffers = {{Image(), false}};
  interp::HostBytes expected = Image().bytes;
  job.expected_buffers.push_back({0, std::nullopt, expected});
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[0].met, true);
  expected[5] = std::byte{255};
  job.expected_buffers[0].bytes = expected;
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[1].what, "image 0");
  EXPECT_EQ(report.expectations[1].message,
            "1 of 4 elements differ, first (0,1): expected (0.015686275, 1) (0x3c808081, "
            "0x3f800000), observed (0.015686275, 0.019607844) (0x3c808081, 0x3ca0a0a1)");
}

TEST(RunExpectationsTest, OneThatFailsSaysHowToSeeItAgain) {
  EXPECT_EQ(ExpectationText({"output", false, "differs", "assay run a.cl --seed 3"}),
            "error[expectation]: output: differs\n  = replay: assay run a.cl --seed 3\n");
  EXPECT_EQ(ExpectationText({"output", true, ""}), "");
}

TEST(RunExpectationsTest, DigestsAreShownBoth) {
  interp::Job job;
  RunReport report = Completed();
  const auto& bytes = report.buffers[0].buffer.bytes;
  const std::string digest =
      base::Sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  job.expected_buffers.push_back({0, digest, std::nullopt});
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[0].met, true);
  const std::string other(64, '0');
  job.expected_buffers[0].sha256 = other;
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[1].message, "expected SHA-256 " + other + ", observed " + digest);
}

TEST(RunExpectationsTest, ARunWithoutEndIsNotJudgedByItsResults) {
  interp::Job job;
  job.expected_output = "";
  job.expected_findings = {Rule::kRaceNonatomic};
  RunReport report = Completed();
  report.end = LaunchEnd::kTimeLimit;
  JudgeExpectations(job, &report);
  ASSERT_EQ(report.expectations.size(), 2u);
  EXPECT_EQ(report.expectations[0].met, std::nullopt) << "the finding may have come later";
  EXPECT_EQ(report.expectations[1].met, std::nullopt);
  EXPECT_EQ(RunExitCode(report), kExitDevice);
  report.findings.push_back(Finding(Rule::kMemoryNull));
  JudgeExpectations(job, &report);
  EXPECT_EQ(report.expectations[2].met, false) << "what must not be there is";
  EXPECT_EQ(RunExitCode(report), kExitNonconforming);
}

TEST(RunExpectationsTest, ADeadlockCanBeExpected) {
  interp::Job job;
  job.expected_findings = {Rule::kBarrierDivergence};
  RunReport report = Completed();
  report.end = LaunchEnd::kDeadlock;
  report.findings.push_back(Finding(Rule::kBarrierDivergence));
  JudgeExpectations(job, &report);
  EXPECT_EQ(RunExitCode(report), kExitConforming);
  job.expected_output = "";
  JudgeExpectations(job, &report);
  EXPECT_EQ(RunExitCode(report), kExitNonconforming) << "its results never come";
}

}  // namespace
}  // namespace assay::tools
