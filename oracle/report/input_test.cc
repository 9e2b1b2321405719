#include "oracle/report/input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "numerics/function.h"
#include "oracle/campaign/results_json.h"
#include "oracle/testing/device_columns.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;
using numerics::Function;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Everything that a report can hold.
Json FullReport() {
  InputReport input =
      ReportOf("r", {ResultOf(FloatOperation(Function::sin), 7.5, Verdict::kFail),
                     ResultOf(FloatOperation(Function::sincos), 0.75),
                     ResultOf(FloatOperation(Function::fmod), 0, Verdict::kNotMeasured)});
  Report& report = input.report;
  report.interrupted = true;
  report.run.tool_version = "1.2.3";
  report.run.truth = "MPFR";
  report.run.options.build_options = "-cl-denorms-are-zero";
  report.run.options.reading = Reading::kOpenClC;
  report.run.options.rounding = numerics::Rounding::kRtz;
  report.run.options.inputs.seed = 42;
  report.run.options.search_evaluations = 7000;
  report.run.options.inputs.range = RangeEnds{"-0.5", "0x1p+3"};
  Statistics& s = report.results[0].statistics;
  s.flushed = 3;
  s.derived = 4;
  s.binades[7] = {.inputs = 9, .max_ulp = 2, .signs = {ErrorAt{4, 0.5, 1}, ErrorAt{5, 2, 16}}};
  s.plane[{-3, 16}] = {2, std::numeric_limits<double>::infinity(), 8};
  report.run.origin = {.date = "2026-11-22T17:05:00Z", .host = "lab", .command = "assay validate"};
  Sighting vector = s.recorded[0];
  vector.width = 2;
  vector.lane = 1;
  vector.lanes = {{1}, {0x3f800001}};
  vector.ulp = std::numeric_limits<double>::infinity();
  vector.rule = Rule::kWrongNan;
  vector.refused_by = ReadingBit(Reading::kOpenClC) | ReadingBit(Reading::kEnvironment);
  s.AddFailure(vector, 10);
  vector.ulp = std::numeric_limits<double>::quiet_NaN();
  s.AddFailure(vector, 10);
  report.results[1].statistics.worst.result = 1;
  report.results[1].search = SearchResult{.evaluations = 6900,
                                          .boxes = 800,
                                          .excluded = 120,
                                          .excluded_share = 0.375,
                                          .has_worst = true,
                                          .worst = report.results[1].statistics.worst,
                                          .complete = true};
  report.results[2].search = SearchResult{.evaluations = 3};
  Sighting allowed = report.results[1].statistics.worst;
  allowed.ulp = 9000;
  allowed.rule = Rule::kFlushedOperand;
  report.results[1].statistics.OfferWorstAllowed(allowed);
  allowed.rule = Rule::kWrongZeroSign;
  allowed.refused_by = ReadingBit(Reading::kSuite);
  report.results[1].statistics.AddFailureOf(Reading::kSuite, allowed, true);
  report.results[2].lost.push_back(
      {.width = 8, .first_item = 4096, .items = 1024, .message = "killed <b> & \"such\""});
  report.results[2].message = "no answer";
  return ReportToJson(report);
}

TEST(ReportInputTest, RoundTrip) {
  const Json written = FullReport();
  const auto read = ReportFromText(written.dump(1), "r.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ReportToJson(read->report), written);
  EXPECT_EQ(read->report.results[0].statistics.recorded[1].lanes.size(), 2u);
  EXPECT_THAT(read->notes, ElementsAre("the run was interrupted"));
}

TEST(ReportInputTest, ReadingsAndAllowedErrorsAreReadBack) {
  const Json written = FullReport();
  EXPECT_EQ(written["results"][1]["max_ulp"], 0.75);
  EXPECT_EQ(written["results"][1]["max_ulp_all"], 9000);
  EXPECT_EQ(written["results"][1]["readings"]["opencl-c"]["verdict"], "pass");
  EXPECT_EQ(written["results"][1]["readings"]["cts"]["verdict"], "fail");
  EXPECT_THAT(written["results"][1]["readings"]["cts"]["first"]["reproduce"].get<std::string>(),
              HasSubstr(" --spec cts"));
  EXPECT_EQ(written["results"][0]["failures"][1]["fails_by"], Json({"opencl-c", "environment"}));
  const auto read = ReportFromText(written.dump(1), "r.json");
  ASSERT_TRUE(read) << read.error().message;
  const Statistics& s = read->report.results[1].statistics;
  ASSERT_NE(s.WorstOfAll(), nullptr);
  EXPECT_EQ(s.WorstOfAll()->ulp, 9000);
  EXPECT_EQ(s.WorstOfAll()->rule, Rule::kFlushedOperand);
  EXPECT_EQ(s.readings[static_cast<std::size_t>(Reading::kSuite)].failures, 1u);
}

// Rows of runs with other options are no one report.
TEST(ReportInputTest, MergedRunsAreRefused) {
  for (const auto& [name, value] : {std::pair<const char*, Json>{"build_options", ""},
                                    {"level", "exhaustive"},
                                    {"seed", 43},
                                    {"search_evaluations", 7001},
                                    {"range", "-0.5,8"},
                                    {"spec", "cts"},
                                    {"math", "relaxed"},
                                    {"profile", "embedded"}}) {
    Json report = FullReport();
    report["results"][1]["asked_with"][name] = value;
    const auto read = ReportFromText(report.dump(), "r.json");
    ASSERT_FALSE(read) << name;
    EXPECT_THAT(read.error().message,
                HasSubstr(std::string("/results/1/asked_with/") + name + ": this row was asked"));
  }
}

TEST(ReportInputTest, TheSurveysAreReadBack) {
  std::size_t surveys = 0;
  const std::filesystem::path folder =
      std::filesystem::path(ASSAY_SOURCE_DIR) / "testsuites" / "surveys";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const Json written = Json::parse(std::ifstream(entry.path()));
    if (written.value("schema", "") != kReportSchema) continue;
    ++surveys;
    const auto read = ReadReports({entry.path().string()});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_THAT(read->front().notes, IsEmpty());
    // The runs' own facts have grown since the first surveys.
    const Json again = ReportToJson(read->front().report);
    ASSERT_EQ(again["results"].size(), written["results"].size());
    for (std::size_t i = 0; i < again["results"].size(); ++i) {
      ASSERT_EQ(again["results"][i], written["results"][i]) << entry.path();
    }
#ifdef __SANITIZE_ADDRESS__
    break;
#endif
  }
  EXPECT_GT(surveys, 0u);
}

struct Damage {
  const char* pointer;  // what is replaced
  Json value;
  const char* message;
};

TEST(ReportInputTest, ErrorsHaveTheirPlace) {
  const Damage damages[] = {
      {"/schema", "assay-validate/2", "r.json: /schema: 'assay-validate/2' is another version"},
      {"/schema", "assay-run/1", "no report of assay validate"},
      {"/schema", 3, "/schema: a string is wanted here"},
      {"/device", Json::array(), "/device: an object is wanted"},
      {"/device/profile", "huge", "/device/profile: 'huge' is none of full, embedded"},
      {"/device/formats/float/rounding", "up", "/device/formats/float/rounding: a rounding mode"},
      {"/run/level", 3, "/run/level: a string"},
      {"/run/math", "fast", "/run/math: 'fast' is none of default, relaxed, native"},
      {"/run/seed", -1, "/run/seed: -1 is no whole number"},
      {"/run/width", {17}, "/run/width/0: 17 is no whole number from 0 to 16"},
      {"/run/rounding", "up", "/run/rounding: a rounding mode"},
      {"/results", Json::array(), "/results: there is no result in it"},
      {"/results", nullptr, "/results: an array is wanted here, not null"},
      {"/results/0/function", "sinn", "/results/0/format: unknown function 'sinn'"},
      {"/results/0/format", "quad", "/results/0/format: "},
      {"/results/0/limit", "4", "/results/0/limit: an object is wanted"},
      {"/results/0/inputs", 0.5, "/results/0/inputs: 0.5 is no whole number"},
      {"/results/0/exhaustive", 1, "/results/0/exhaustive: true or false"},
      {"/results/0/verdict", "good", "/results/0/verdict: 'good' is none of pass, fail"},
      {"/results/0/verdict", "pass", "/results/0: the verdict is pass, but 3 answers fail"},
      {"/results/0/max_ulp", -1, "/results/0/max_ulp: '-1' is no error in ulp"},
      {"/results/0/max_ulp", "large", "/results/0/max_ulp: 'large' is no error"},
      {"/results/0/worst/args",
       {"0x1", "0x2"},
       "/results/0/worst/args: sin float takes 1 argument"},
      {"/results/0/worst/args", {"one"}, "'one' is no float"},
      {"/results/0/worst/observed", "0x123456789", "/results/0/worst/observed: "},
      {"/results/0/worst/width", 17, "/results/0/worst/width: 17"},
      {"/results/0/over/4", "many", "/results/0/over/4: a number is wanted"},
      {"/results/0/binades/0", {1, 2}, "[exponent, inputs, largest error] is wanted"},
      {"/results/0/binades/0/0", "x", "[exponent, inputs, largest error] is wanted"},
      {"/results/0/binades/0/0", INT_MIN, "[exponent, inputs, largest error] is wanted"},
      {"/results/0/binades/0/0", 32769, "[exponent, inputs, largest error] is wanted"},
      {"/results/0/failures_by_width", {{"0", 3}}, "/failures_by_width/0: this is no vector width"},
      {"/results/0/failures/0/rule", "a whim", "/results/0/failures/0/rule: unknown rule 'a whim'"},
      {"/results/1/worst/result", 2, "/results/1/worst: sincos has 2 results, not a result 2"},
      {"/results/1", FullReport()["results"][0],
       "/results/1: sin float stands here again; it was result 0"},
      {"/results/2/lost_widths/0/message", nullptr, "/results/2/lost_widths/0/message: a string"},
  };
  for (const Damage& damage : damages) {
    Json json = FullReport();
    json[Json::json_pointer(damage.pointer)] = damage.value;
    const auto read = ReportFromText(json.dump(), "r.json");
    ASSERT_FALSE(read) << damage.pointer << " " << damage.value;
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(read.error().message, HasSubstr(damage.message)) << damage.pointer;
    EXPECT_THAT(read.error().message, HasSubstr("r.json: "));
  }
}

// A field that is not there is an error wherever a report always has it.
TEST(ReportInputTest, AMissingFieldIsNamed) {
  for (const char* pointer :
       {"/schema", "/device", "/run", "/results", "/device/name", "/run/device_option",
        "/results/0/function", "/results/0/limit", "/results/0/verdict", "/results/0/failures",
        "/results/0/over/2", "/results/0/worst/reproduce"}) {
    Json json = FullReport();
    const Json::json_pointer place(pointer);
    json[place.parent_pointer()].erase(place.back());
    const auto read = ReportFromText(json.dump(), "r.json");
    ASSERT_FALSE(read) << pointer;
    EXPECT_THAT(read.error().message, HasSubstr("'" + place.back() + "' is missing")) << pointer;
  }
}

TEST(ReportInputTest, TruncatedTextsAreRefusedWhereverTheyEnd) {
  const std::string text = FullReport().dump();
  for (std::size_t size = 0; size + 1 < text.size(); size += 97) {
    const auto read = ReportFromText(text.substr(0, size), "r.json");
    ASSERT_FALSE(read) << size;
    EXPECT_THAT(read.error().message, HasSubstr("r.json: no JSON, perhaps truncated"));
  }
}

TEST(ReportInputTest, AChangedLimitIsNoted) {
  Json json = FullReport();
  json["results"][0]["limit"]["text"] = "3";
  const auto read = ReportFromText(json.dump(), "r.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(read->notes, ElementsAre("sin float was judged by the limit 3; this assay has 4",
                                       "the run was interrupted"));
}

TEST(ReportInputTest, FilesGetLabels) {
  const std::string folder = TestPath("reports");
  std::filesystem::create_directories(folder + "/other");
  for (const char* name : {"/a.json", "/b.json", "/other/a.json"}) {
    std::ofstream(folder + name) << FullReport();
  }
  const auto two = ReadReports({folder + "/a.json", folder + "/b.json"});
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(two->at(0).label, "a");
  EXPECT_EQ(two->at(1).label, "b");
  const auto same_names = ReadReports({folder + "/a.json", folder + "/other/a.json"});
  ASSERT_TRUE(same_names);
  EXPECT_EQ(same_names->at(1).label, folder + "/other/a.json");
  const auto twice = ReadReports({folder + "/a.json", folder + "/other/../a.json"});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("are the same file"));
  const auto missing = ReadReports({folder + "/missing.json"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("missing.json"));
}

TEST(ReportInputTest, RunsThatCannotBeComparedAreNoted) {
  std::vector<InputReport> reports = {ReportOf("a", {}), ReportOf("b", {})};
  EXPECT_THAT(DifferencesBetweenRuns(reports), IsEmpty());
  reports[1].report.run.options.profile = Profile::kEmbedded;
  reports[1].report.run.level = "standard";
  EXPECT_THAT(DifferencesBetweenRuns(reports),
              ElementsAre("The reports differ in the profile: embedded (b); full (a).",
                          "The reports differ in the level: smoke (a); standard (b)."));
}

}  // namespace
}  // namespace assay::oracle
