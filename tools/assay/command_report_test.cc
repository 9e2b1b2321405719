// `assay report`, and `assay validate --html`, as users meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle/testing/device_columns.h"
#include "tools/testing/shell.h"

namespace assay::tools {
namespace {

using oracle::TestPath;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A report with one operation, which passes: made by the program once.
const std::string& Passing() {
  static const std::string path = [] {
    std::string made = TestPath("passing.json");
    Shell("{assay} validate --library libm.so.6 --functions fabs --formats float --json " + made);
    return made;
  }();
  return path;
}

// The same with a failure, a name that wants to be markup, and another version.
std::string Failing() {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(Contents(Passing()));
  json["device"]["name"] = "</script><img src=x onerror=alert(1)>";
  nlohmann::ordered_json& result = json["results"][0];
  result["verdict"] = "fail";
  result["failure_count"] = 1;
  result["failures_by_width"]["1"] = 1;
  result["worst"]["rule"] = "error over the limit";
  result["failures"].push_back(result["worst"]);
  const std::string path = TestPath("failing.json");
  std::ofstream(path) << json;
  return path;
}

TEST(CommandReportTest, TheTableIsOnStdout) {
  const Finished passing = Shell("{assay} report " + Passing());
  EXPECT_EQ(passing.exit_code, 0) << passing.output;
  EXPECT_THAT(passing.output, HasSubstr("1 pass, 0 fail"));
  const Finished both = Shell("{assay} report " + Passing() + " " + Failing());
  EXPECT_EQ(both.exit_code, 1) << both.output;
  EXPECT_THAT(both.output,
              HasSubstr("fabs                   float       0.00000 pass    0.00000 FAIL"));
  EXPECT_THAT(both.output, HasSubstr("failing: library </script>"));
}

TEST(CommandReportTest, ABaselineIsComparedAndItsFailuresDoNotCount) {
  const Finished fixed = Shell("{assay} report " + Passing() + " --baseline " + Failing());
  EXPECT_EQ(fixed.exit_code, 0) << fixed.output;
  EXPECT_THAT(fixed.output, HasSubstr("fixed"));
  const Finished broken = Shell("{assay} report " + Failing() + " --baseline " + Passing());
  EXPECT_EQ(broken.exit_code, 1) << broken.output;
  EXPECT_THAT(broken.output, HasSubstr("newly failing"));
}

// What people commit has no errors by operand, which are most of a report.
TEST(CommandReportTest, OnlyFullReportsHaveErrorsByOperand) {
  const std::string validate =
      "{assay} validate --library libm.so.6 --functions atan2,exp --formats float --no-origin ";
  const std::string small = TestPath("small.json"), full = TestPath("full.json");
  ASSERT_EQ(Shell(validate + "--json " + small).exit_code, 0);
  ASSERT_EQ(Shell(validate + "--full --json " + full).exit_code, 0);
  nlohmann::json whole = Json(full);
  for (nlohmann::json& result : whole["results"]) {
    EXPECT_EQ(result.erase("binades"), 1u);
    EXPECT_EQ(result.erase("plane"), result["function"] == "atan2" ? 1u : 0u);
  }
  EXPECT_EQ(Json(small), whole);
  EXPECT_LT(10 * std::filesystem::file_size(small), std::filesystem::file_size(full));
  // Both are baselines and reports, and are merged alike.
  for (const std::string& one : {small, full}) {
    EXPECT_EQ(Shell(validate + "--baseline " + one).exit_code, 0);
    EXPECT_EQ(Shell("{assay} report " + one + " --html " + TestPath("one.html")).exit_code, 0);
  }
  const std::string changes = TestPath("changes.json");
  Shell("{assay} report " + small + " --baseline " + full + " --json " + changes);
  EXPECT_TRUE(Json(changes)["changes"][0]["changes"].empty()) << Contents(changes);
  std::string shards;
  for (const char* shard : {"1/2", "2/2"}) {
    shards += " " + TestPath("shard") + shard[0] + ".json";
    Shell(validate + "--shard " + shard + " --json " + TestPath("shard") + shard[0] + ".json");
  }
  const std::string merged = TestPath("merged.json");
  ASSERT_EQ(Shell("{assay} merge" + shards + " --no-origin --json " + merged).exit_code, 0);
  EXPECT_EQ(Json(merged)["results"], whole["results"]);
  ASSERT_EQ(Shell("{assay} merge" + shards + " --no-origin --full --json " + merged).exit_code, 0);
  EXPECT_EQ(Json(merged)["results"], Json(full)["results"]);
}

TEST(CommandReportTest, ThePageIsInertForEveryDeviceName) {
  const std::string page = TestPath("report.html");
  EXPECT_EQ(Shell("{assay} report " + Failing() + " --html " + page).exit_code, 1);
  const std::string html = Contents(page);
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("\\u003c/script>\\u003cimg"));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
}

TEST(CommandReportTest, EveryFormatGoesToAFileOrStdout) {
  const std::string folder = TestPath("formats");
  std::filesystem::create_directories(folder);
  const Finished files =
      Shell("cd " + folder + " && {assay} report " + Passing() +
            " --csv r.csv --markdown r.md --junit r.xml --json r.json --html r.html");
  EXPECT_EQ(files.exit_code, 0) << files.output;
  EXPECT_EQ(files.output, "");
  EXPECT_THAT(Contents(folder + "/r.csv"), HasSubstr("fabs,float,exact"));
  EXPECT_THAT(Contents(folder + "/r.md"), HasSubstr("| fabs | float | exact |"));
  EXPECT_THAT(Contents(folder + "/r.xml"), HasSubstr("<testcase"));
  EXPECT_EQ(Json(folder + "/r.json")["schema"], "assay-report/1");
  for (const char* option : {"--csv", "--markdown", "--junit", "--json", "--html"}) {
    const Finished out = Shell("{assay} report " + Passing() + " " + option + " -");
    EXPECT_EQ(out.exit_code, 0);
    EXPECT_THAT(out.output, HasSubstr("libm.so.6")) << option;
    EXPECT_THAT(out.output, Not(HasSubstr("A:max_ulp"))) << option;
  }
}

TEST(CommandReportTest, ValidateWritesThePageOfItsOwnRun) {
  const std::string page = TestPath("validate.html");
  const Finished finished =
      Shell("{assay} validate --library libm.so.6 --functions fabs --formats float --html " + page);
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_THAT(Contents(page), HasSubstr("\"f\":\"fabs\""));
}

TEST(CommandReportTest, BadInputIsNamedWithItsPlace) {
  const std::string truncated = TestPath("truncated.json");
  std::ofstream(truncated) << Contents(Passing()).substr(0, 300);
  const std::string run = TestPath("run.json");
  std::ofstream(run) << R"({"schema": "assay-run/1"})";
  struct Row {
    std::string arguments;
    const char* message;
  };
  for (const Row& row : {
           Row{"", "files"},
           Row{"/nonexistent/r.json", "/nonexistent/r.json"},
           Row{truncated, "truncated"},
           Row{run, "/schema: 'assay-run/1' is no report of assay validate"},
           Row{Passing() + " " + Passing(), "are the same file"},
           Row{Passing() + " --baseline " + Passing(), "are the same file"},
           Row{Passing() + " --csv - --json -", "only one can have stdout"},
           Row{Passing() + " --html /nonexistent/r.html", "its folder does not exist"},
           Row{Passing() + " --pdf r.pdf", "--pdf"},
       }) {
    const Finished finished = Shell("{assay} report " + row.arguments);
    EXPECT_EQ(finished.exit_code, 2) << row.arguments << finished.output;
    EXPECT_THAT(finished.output, HasSubstr(row.message)) << row.arguments;
  }
  EXPECT_EQ(Shell("{assay} report " + Passing() + " --csv /dev/full").exit_code, 4);
}

}  // namespace
}  // namespace assay::tools
