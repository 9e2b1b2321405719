#include "oracle/campaign/results_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "numerics/function.h"
#include "oracle/report/junit.h"
#include "oracle/report/table.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using numerics::ScalarType;
using testing::HasSubstr;

using numerics::kInfinity;

Statistics SomeStatistics() {
  Statistics s;
  s.inputs = 1000;
  s.answers = 6000;
  s.over = {5, 4, 3, 2, 1, 1};
  s.flushed = 7;
  s.derived = 8;
  Sighting sighting{.item = ~std::uint64_t{0},
                    .width = 3,
                    .lane = 2,
                    .result = 0,
                    .args = {0xffffffffffffffff, 0x8000000000000000},
                    .lanes = {{1, 2}, {3, 4}, {5, 6}},
                    .observed = 0x7ff0000000000000,
                    .expected = 0x3ff0000000000001,
                    .ulp = 0.1 + 0.2,
                    .rule = Rule::kOverLimit};
  s.OfferWorst(sighting);
  s.AddFailure(sighting, 10);
  sighting.item = 5;
  sighting.ulp = kInfinity;
  sighting.rule = Rule::kWrongNan;
  s.AddFailure(sighting, 10);
  sighting.ulp = std::numeric_limits<double>::quiet_NaN();
  s.AddFailure(sighting, 10);
  s.binades[-1074] = {3, 0.25};
  s.binades[1023] = {4, kInfinity};
  return s;
}

FunctionResult SomeResult() {
  FunctionResult result;
  result.operation = Operation::Builtin(Function::atan2, Format::kDouble);
  result.limit = "6";
  result.citation = "OpenCL C 7.4";
  result.verdict = Verdict::kFail;
  result.message = "a \"message\"\nof two lines";
  result.exhaustive = true;
  result.lost = {{.width = 8, .first_item = 4096, .items = 1024, .message = "killed by signal 11"}};
  result.statistics = SomeStatistics();
  result.search = SearchResult{.evaluations = 1 << 20,
                               .boxes = 4096,
                               .excluded = 17,
                               .excluded_share = 0.1 + 0.2,
                               .has_worst = true,
                               .worst = result.statistics.worst,
                               .complete = true};
  return result;
}

TEST(ResultsJsonTest, CheckpointsAreLossless) {
  const Json json = ToCheckpoint(SomeStatistics());
  const auto read = StatisticsFromCheckpoint(Json::parse(json.dump()));
  ASSERT_TRUE(read);
  EXPECT_EQ(ToCheckpoint(*read).dump(), json.dump());
  EXPECT_EQ(read->worst.args, SomeStatistics().worst.args);
  EXPECT_EQ(read->max_ulp, 0.1 + 0.2);
  EXPECT_TRUE(std::isinf(read->binades.at(1023).max_ulp));
  EXPECT_TRUE(std::isinf(read->recorded[0].ulp));
  EXPECT_TRUE(std::isnan(read->recorded[1].ulp));
  EXPECT_EQ(read->recorded[2].item, ~std::uint64_t{0});
}

TEST(ResultsJsonTest, StatisticsWithoutAWorstStayWithout) {
  Statistics empty;
  const auto read = StatisticsFromCheckpoint(ToCheckpoint(empty));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->has_worst);
}

TEST(ResultsJsonTest, ResultsOfEveryKindOfOperationAreLossless) {
  for (const Operation& operation :
       {Operation::Builtin(Function::atan2, Format::kHalf),
        Operation::Builtin(Function::cross, Format::kFloat, 4),
        Operation::Convert(ScalarType::kUlong, ScalarType::kChar, numerics::Rounding::kRtp, true),
        Operation::Convert(ScalarType::kFloat, ScalarType::kInt), Operation::VloadHalf(),
        Operation::VstoreHalf(ScalarType::kDouble, numerics::Rounding::kRtn)}) {
    FunctionResult result = SomeResult();
    result.operation = operation;
    const Json json = ToCheckpoint(result);
    const auto read = ResultFromCheckpoint(Json::parse(json.dump()));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->operation, operation);
    EXPECT_EQ(read->verdict, Verdict::kFail);
    EXPECT_EQ(read->citation, result.citation);
    EXPECT_EQ(ToCheckpoint(*read).dump(), json.dump());
  }
}

// A damaged checkpoint is an error, never an exception.
TEST(ResultsJsonTest, DamagedCheckpointsAreErrors) {
  const Json good = ToCheckpoint(SomeResult());
  for (const auto& [name, value] : good.items()) {
    Json missing = good;
    missing.erase(name);
    EXPECT_EQ(ResultFromCheckpoint(missing).has_value(), name == "search") << name;
    for (const Json& other : {Json(nullptr), Json(Json::array({1}))}) {
      Json wrong = good;
      wrong[name] = other;
      EXPECT_FALSE(ResultFromCheckpoint(wrong)) << name << " " << other;
    }
  }
  for (const auto& [name, value] : good["statistics"].items()) {
    if (name == "worst") continue;  // optional
    Json missing = good["statistics"];
    missing.erase(name);
    EXPECT_FALSE(StatisticsFromCheckpoint(missing)) << name;
    Json wrong = good["statistics"];
    wrong[name] = "text";
    EXPECT_FALSE(StatisticsFromCheckpoint(wrong)) << name;
  }
  Json wrong = good["statistics"];
  wrong["worst"] = Json::array({1, 2});
  EXPECT_FALSE(StatisticsFromCheckpoint(wrong));
  for (const Json& nothing : {Json(nullptr), Json(3), Json("x"), Json::array(), Json::object()}) {
    EXPECT_FALSE(ResultFromCheckpoint(nothing));
    EXPECT_FALSE(StatisticsFromCheckpoint(nothing));
  }
}

TEST(ResultsJsonTest, ReportsNameTheirSources) {
  Report report;
  report.device.name = "a device";
  report.run.device_option = "--opencl Portable:0";
  report.run.level = "smoke";
  report.run.tool_version = "1.2.3";
  report.run.options.inputs.seed = 42;
  report.results.push_back(SomeResult());
  const Json json = ReportToJson(report);
  EXPECT_EQ(json["schema"], kReportSchema);
  EXPECT_EQ(json["device"]["name"], "a device");
  EXPECT_EQ(json["run"]["seed"], 42);
  EXPECT_FALSE(json.contains("interrupted"));
  const Json& result = json["results"][0];
  EXPECT_EQ(result["function"], "atan2");
  EXPECT_EQ(result["format"], "double");
  EXPECT_EQ(result["verdict"], "fail");
  EXPECT_EQ(result["failure_count"], 3);
  EXPECT_EQ(result["over"]["0.5"], 5);
  EXPECT_EQ(result["failures"][0]["ulp"], "inf");
  EXPECT_EQ(result["worst"]["args"][0], "0xffffffffffffffff");
  EXPECT_EQ(result["worst"]["lane"], 2);
  report.interrupted = true;
  EXPECT_TRUE(ReportToJson(report)["interrupted"]);
  // Text goes through JSON unharmed.
  EXPECT_EQ(Json::parse(json.dump())["results"][0]["message"], SomeResult().message);
}

TEST(ResultsJsonTest, EveryReportNamesALostWidth) {
  Report report;
  report.run.device_option = "--opencl Mine";
  report.run.level = "smoke";
  FunctionResult result = SomeResult();
  result.verdict = Verdict::kNotMeasured;
  result.message.clear();
  report.results = {result};
  const Json json = ReportToJson(report)["results"][0];
  EXPECT_EQ(json["lost_widths"][0]["width"], 8);
  EXPECT_EQ(json["lost_widths"][0]["first_item"], 4096);
  const std::string command =
      "assay validate --opencl Mine --functions atan2 --formats double --level smoke --width 8";
  for (const std::string& text : {TableSummary(report), ToJUnit(report)}) {
    EXPECT_THAT(text, HasSubstr("atan2 double at width 8: killed by signal 11"));
    EXPECT_THAT(text, HasSubstr("(asked inputs 4096 to 5119)"));
    EXPECT_THAT(text, HasSubstr(command));
  }
}

TEST(ResultsJsonTest, NothingMeasuredIsAbsentNotZero) {
  FunctionResult result;
  result.operation = Operation::Builtin(Function::sin, Format::kFloat);
  result.verdict = Verdict::kUnsupported;
  result.message = "no such function";
  const Json json = ResultToJson({}, result);
  EXPECT_FALSE(json.contains("max_ulp"));
  EXPECT_FALSE(json.contains("worst"));
  EXPECT_FALSE(json.contains("over"));
  EXPECT_FALSE(json.contains("binades"));
  EXPECT_EQ(json["verdict"], "unsupported");
}

TEST(ResultsJsonTest, TheReproductionCommandHasTheOptionsOfTheRun) {
  RunInfo run;
  run.device_option = "--library libm.so.6";
  run.options.profile = Profile::kEmbedded;
  run.options.math = MathMode::kRelaxed;
  run.options.rounding = numerics::Rounding::kRtz;
  run.options.build_options = "-cl-mad-enable";
  Sighting sighting;
  sighting.args = {0x3f800000, 0x80000000};
  sighting.width = 4;
  const std::string command =
      ReproductionCommand(run, Operation::Builtin(Function::atan2, Format::kFloat), sighting);
  for (const char* part : {"assay validate --library libm.so.6", "--functions atan2",
                           "--formats float", "--at 0x3f800000,0x80000000", "--profile embedded",
                           "--math relaxed", "--rounding rtz", "-cl-mad-enable", "--width 4"}) {
    EXPECT_THAT(command, HasSubstr(part));
  }
  // What the neighbouring lanes held is part of the command.
  sighting.width = 2;
  sighting.lanes = {{0x3f800000, 0}, {0x40000000, 1}};
  EXPECT_THAT(
      ReproductionCommand(run, Operation::Builtin(Function::atan2, Format::kFloat), sighting),
      HasSubstr("--at 0x3f800000,0x00000000 --at 0x40000000,0x00000001"));
  sighting.width = 1;
  EXPECT_THAT(ReproductionCommand({}, Operation::Convert(ScalarType::kDouble, ScalarType::kInt),
                                  {.args = {0}}),
              testing::AllOf(HasSubstr("--functions convert_int"), HasSubstr("--formats double"),
                             testing::Not(HasSubstr("--width"))));
}

}  // namespace
}  // namespace assay::oracle
