// --range of `assay validate`, by its commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using Json = nlohmann::ordered_json;
using oracle::TestPath;
using testing::HasSubstr;
using testing::Not;

const std::string kLibrary = "{assay} validate --library libm.so.6 --no-origin ";

Json ReportOf(const std::string& options, const std::string& name) {
  const std::string path = TestPath(name);
  const Finished finished = Shell(kLibrary + options + " --json " + path);
  EXPECT_THAT(finished.exit_code, testing::AnyOf(0, 1)) << finished.output;
  return Json::parse(std::ifstream(path));
}

TEST(ValidateRange, AsksOnlyNumbersOfTheRange) {
  const Json report = ReportOf("--functions fabs --range -2,-0x1p+0 --level exhaustive", "r.json");
  EXPECT_EQ(report["run"]["range"], "-2,-0x1p+0");
  for (const Json& row : report["results"]) EXPECT_EQ(row["asked_with"]["range"], "-2,-0x1p+0");
  EXPECT_EQ(report["results"][0]["function"], "fabs");
  EXPECT_EQ(report["results"][0]["format"], "float");
  EXPECT_EQ(report["results"][0]["inputs"], (1u << 23) + 1);
  EXPECT_EQ(report["results"][0]["exhaustive"], true);
  EXPECT_EQ(report["results"][1]["format"], "double");
  EXPECT_EQ(report["results"][1]["exhaustive"], false);
  EXPECT_THAT(Shell(kLibrary + "--functions fabs --range -2,-0x1p+0").output,
              HasSubstr("level smoke, range -2,-0x1p+0, seed 1"));
}

TEST(ValidateRange, ShardsGiveTheSameReport) {
  const std::string options = "--functions exp,pow --formats float --range 0.5,2 --max-failures 2";
  EXPECT_EQ(ReportOf(options, "whole.json"), ReportOf(options + " --shards 3", "shards.json"));
}

TEST(ValidateRange, CommandsOfFailuresHaveNone) {
  const Json report = ReportOf(
      "--functions sin --formats float --range 1,2 --symbol sin:float=cosf", "failures.json");
  ASSERT_GT(report["results"][0]["failures"].size(), 0u);
  for (const Json& row : report["results"]) {
    for (const Json& failure : row["failures"]) {
      EXPECT_THAT(failure["reproduce"].get<std::string>(), Not(HasSubstr("--range")));
    }
  }
}

TEST(ValidateRange, AnotherRangeIsAnotherQuestion) {
  const std::string base = TestPath("base.json");
  ReportOf("--functions fabs --formats float --range 1,2", "base.json");
  const std::string again = kLibrary + "--functions fabs --formats float --baseline " + base;
  EXPECT_EQ(Shell(again + " --range 1,2").exit_code, 0);
  const Finished other = Shell(again + " --range 1,3");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.output, HasSubstr("--range was 1,2 and is 1,3"));
  EXPECT_THAT(Shell(again).output, HasSubstr("--range was 1,2 and is not given"));
}

TEST(ValidateRange, WhatCannotBeAskedIsSaid) {
  for (const auto& [options, message] : std::initializer_list<std::pair<std::string, std::string>>{
           {"--functions fabs --range 2,1", "--range: 2 is larger than 1: write the smaller"},
           {"--functions fabs --range nan,1", "--range: nan is no end of a range"},
           {"--functions fabs --range 1", "--range: '1' is no range"},
           {"--functions fabs --range 1e300,1e301", "--range: float has no finite number"},
           {"--functions fabs --range 0x3f800000,0x40000000", "which belong to one format"},
           {"--functions fabs --formats float --range 0,1 --at 1", "--at brings all inputs"},
           {"--functions nan --range 0,1", "none of the functions has a floating-point operand"}}) {
    const Finished finished = Shell(kLibrary + options);
    EXPECT_EQ(finished.exit_code, 2) << options << "\n" << finished.output;
    EXPECT_THAT(finished.output, HasSubstr(message)) << options;
  }
  const Finished bits =
      Shell(kLibrary + "--functions fabs --formats float --range -inf,0x40000000");
  EXPECT_EQ(bits.exit_code, 0) << bits.output;
  EXPECT_THAT(Shell("{assay} validate --recorded /nonexistent --range 1,2").output,
              HasSubstr("--range: --recorded brings all inputs"));
  EXPECT_THAT(Shell(kLibrary + "--functions fabs,nan --formats float --range 0,1").output,
              HasSubstr("operand:\n    nan float\n"));
}

}  // namespace
}  // namespace assay::tools
