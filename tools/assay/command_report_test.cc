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
  EXPECT_THAT(both.output, HasSubstr("fabs                   float    exact"));
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
