// Reports as text, CSV, Markdown, JUnit and the page's data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "numerics/function.h"
#include "oracle/report/csv.h"
#include "oracle/report/junit.h"
#include "oracle/report/markdown.h"
#include "oracle/report/page.h"
#include "oracle/report/rows.h"
#include "oracle/report/side_by_side.h"
#include "oracle/report/table.h"
#include "oracle/testing/report.h"

namespace assay::oracle {
namespace {

using numerics::Function;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<InputReport> TwoReports() {
  return {ReportOf("first", {ResultOf(FloatOperation(Function::sin), 1),
                             ResultOf(FloatOperation(Function::exp), 3.5, Verdict::kFail)}),
          ReportOf("second", {ResultOf(FloatOperation(Function::exp), 2),
                              ResultOf(FloatOperation(Function::cos), 2)})};
}

// Every element is closed in the right order, and no text has a bare < or &.
bool IsWellFormed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size(); ++at) {
    if (xml[at] == '&') {
      const std::string rest = xml.substr(at, 6);
      if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
          !rest.starts_with("&quot;")) {
        return false;
      }
    }
    if (xml[at] != '<') continue;
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return false;
    const std::string name = tag.substr(tag.starts_with("/") ? 1 : 0, tag.find(' '));
    if (tag.starts_with("/")) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with("/") && !tag.starts_with("?")) {
      open.push_back(name);
    }
    at = end;
  }
  return open.empty();
}

TEST(ReportFormatsTest, RowsAreAligned) {
  const std::vector<InputReport> reports = TwoReports();
  const std::vector<ReportRow> rows = AlignRows(reports);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].operation.Name(), "exp");
  EXPECT_NE(rows[1].results[0], nullptr);
  EXPECT_NE(rows[1].results[1], nullptr);
  EXPECT_EQ(rows[2].results[0], nullptr);
  EXPECT_EQ(&rows[2].Any(), rows[2].results[1]);
  EXPECT_EQ(ReportLetter(0), "A");
  EXPECT_EQ(ReportLetter(25), "Z");
  EXPECT_EQ(ReportLetter(26), "A2");
  EXPECT_EQ(CountText(reports[0].report), "1 pass, 1 fail, 0 unsupported, 0 not measured");
}

// The largest error conforms, and the row fails all the same: by an answer that has none.
InputReport FailsWithinTheLimit() {
  FunctionResult result = ResultOf(FloatOperation(Function::exp), 1.5);
  result.verdict = Verdict::kFail;
  Sighting failure = result.statistics.worst;
  failure.args = {0xc0000000};
  failure.observed = 0x7fc00000;
  failure.ulp = std::numeric_limits<double>::quiet_NaN();
  failure.rule = Rule::kWrongNan;
  failure.width = 4;
  failure.lane = 2;
  failure.lanes = {{0x3f800000}, {0x40000000}, {0xc0000000}, {0x40400000}};
  result.statistics.AddFailure(failure, 10);
  return ReportOf("within", {result});
}

TEST(ReportFormatsTest, ARowSaysWhyItFails) {
  const InputReport report = FailsWithinTheLimit();
  const FunctionResult& result = report.report.results[0];
  const std::string row = TableRow(result);
  EXPECT_THAT(TableHeader(), testing::EndsWith(" verdict      rule\n"));
  EXPECT_THAT(row, HasSubstr(" 1.50000 0xc0000000 "));
  EXPECT_THAT(row, HasSubstr(" 0x7fc00000 "));
  EXPECT_THAT(row, HasSubstr(" fail         wrong-nan\n"));
  // As many fields as the head has, without blanks in them.
  const auto fields = [](const std::string& line) {
    std::istringstream words(line);
    return std::distance(std::istream_iterator<std::string>(words), {});
  };
  EXPECT_EQ(fields(row), fields(TableHeader()));
  EXPECT_EQ(fields(TableRow(ResultOf(FloatOperation(Function::sin), 1))), fields(TableHeader()));
  // The lane among those that the command names.
  const std::string summary = TableSummary(report.report);
  EXPECT_THAT(summary, HasSubstr(", 0xc0000000 in lane 2 of width 4 (lanes count from 0)\n"));
  EXPECT_THAT(summary, HasSubstr("--at 0x3f800000 --at 0x40000000 --at 0xc0000000 --at"));
  const std::string csv = ToCsv({{report}});
  EXPECT_THAT(csv, HasSubstr("exp,float,3,1.5,0x3f800001,"));  // the worst stays the worst
  EXPECT_THAT(csv, HasSubstr(",1.0000001," + std::string(RuleText(Rule::kWrongNan)) +
                             ",0xc0000000,0x7fc00000,0x3f800002,4,2,0,0,"));
  const auto data = PageData({{report}}, {}, {});
  EXPECT_EQ(data["rows"][0]["r"][0]["s"][0][0][0][2], "-2");
}

TEST(ReportFormatsTest, AnswersThatAreNotTheSameTwiceAreInEveryFormat) {
  FunctionResult result = ResultOf(FloatOperation(Function::exp), 1.5);
  Sighting unstable = result.statistics.worst;
  unstable.rule = Rule::kNotDeterministic;
  unstable.before = 0x3f800003;
  result.statistics.asked_again = 50;
  for (int i = 0; i < 7; ++i) result.statistics.AddNotDeterministic(unstable);
  const InputReport report = ReportOf("unstable", {result});
  EXPECT_THAT(TableRow(result), HasSubstr(" pass         not-deterministic\n"));
  const std::string csv = ToCsv({{report}});
  EXPECT_THAT(csv, HasSubstr(",asked_again,not_deterministic,"));
  EXPECT_THAT(csv, HasSubstr(",50,7,"));
  EXPECT_THAT(
      ToMarkdown({{report}}, {}, {}),
      HasSubstr("### A unstable: not deterministic\n\n| function | format | answers that "
                "differ | first input | answer | second answer |\n|---|---|---|---|---|---|\n"
                "| exp | float | 7 of 50 | `0x3f800001` | `0x3f800003` | `0x3f800000` |\n"));
  EXPECT_EQ(PageData({{report}}, {}, {})["rows"][0]["r"][0]["h"], 7);
  EXPECT_THAT(ToMarkdown(TwoReports(), {}, {}), Not(HasSubstr("not deterministic")));
}

TEST(ReportFormatsTest, EveryFormatHasTheOrigin) {
  std::vector<InputReport> reports = TwoReports();
  reports[0].report.run.origin = {.date = "2026-11-22T17:05:00Z",
                                  .host = "lab-7",
                                  .command = "assay validate --opencl 'A & B'"};
  const std::string markdown = ToMarkdown(reports, {}, {});
  EXPECT_THAT(markdown, HasSubstr("- A: 2026-11-22T17:05:00Z on lab-7, assay validate --opencl"));
  EXPECT_THAT(ToCsv(reports), HasSubstr(",2026-11-22T17:05:00Z,lab-7,assay validate --opencl"));
  const std::string junit = ToJUnit(reports);
  EXPECT_TRUE(IsWellFormed(junit)) << junit;
  EXPECT_THAT(junit, HasSubstr(" timestamp=\"2026-11-22T17:05:00\" hostname=\"lab-7\">"));
  EXPECT_THAT(junit,
              HasSubstr("<property name=\"command\" value=\"assay validate --opencl 'A &amp;"));
  EXPECT_THAT(SideBySideTable(TableKind::kBrief, reports),
              HasSubstr("2026-11-22T17:05:00Z on lab-7:\n        assay validate"));
  EXPECT_EQ(PageData(reports, {}, {})["reports"][0]["run"]["origin"]["host"], "lab-7");
  EXPECT_FALSE(PageData(reports, {}, {})["reports"][1]["run"].contains("origin"));
}

TEST(ReportFormatsTest, TheWideTableHasAColumnAReport) {
  const std::string table = SideBySideTable(TableKind::kWide, TwoReports());
  EXPECT_THAT(table, StartsWith("A first: a platform, a device, driver 1.0; level smoke, seed 1"));
  EXPECT_THAT(table, HasSubstr("exp                    float    3                     3.50000 "
                               "fail            2.00000 pass\n"));
  EXPECT_THAT(table, HasSubstr("cos                    float    4                           - "
                               "-               2.00000 pass\n"));
}

TEST(ReportFormatsTest, FourReportsStandInTwoBlocksOf80Columns) {
  const std::vector<InputReport> two = TwoReports();
  const std::vector<InputReport> four = {two[0], two[1], two[0], two[1]};
  const std::string table = SideBySideTable(TableKind::kRows, four);
  EXPECT_THAT(table, HasSubstr("function               format    A:max_ulp       B:max_ulp       "
                               "C:max_ulp\n"
                               "exp                    float       3.50000 FAIL    2.00000 pass    "
                               "3.50000 FAIL\n"));
  EXPECT_THAT(table, HasSubstr("function               format    D:max_ulp\n"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(ReportFormatsTest, CsvFieldsAreQuotedWhereTheyHaveToBe) {
  EXPECT_EQ(CsvField("plain text"), "plain text");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(CsvField(""), "");
}

TEST(ReportFormatsTest, CsvHasALineAReportAndOperation) {
  std::vector<InputReport> reports = TwoReports();
  reports[0].report.device.name = "Brand, \"quoted\"";
  const std::string csv = ToCsv(reports);
  EXPECT_THAT(csv, StartsWith("report,platform,device,driver,level,seed,profile,math,function,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_THAT(csv, HasSubstr("first,a platform,\"Brand, \"\"quoted\"\"\",1.0,smoke,1,full,default,"
                             "exp,float,3,3.5,0x3f800001,0x3f800000,0x3f800002,100,600,false,1,"
                             "fail,assay validate --opencl Mine --functions exp"));
}

TEST(ReportFormatsTest, MarkdownKeepsTextText) {
  EXPECT_EQ(MarkdownText("a|b"), "a\\|b");
  EXPECT_EQ(MarkdownText("<img onerror=x>"), "&lt;img onerror=x\\>");
  EXPECT_EQ(MarkdownText("*a* [b](c) `d`"), "\\*a\\* \\[b\\](c) \\`d\\`");
  EXPECT_EQ(MarkdownText("two\nlines"), "two lines");
  EXPECT_EQ(MarkdownText("lgamma_r and _emphasis_"), "lgamma_r and \\_emphasis\\_");
}

TEST(ReportFormatsTest, MarkdownNamesViolationsWidthsAndChanges) {
  std::vector<InputReport> reports = TwoReports();
  reports[1].report.device.driver_version = "2.0";
  reports[0].report.results[0].lost.push_back({.width = 8, .message = "killed | by signal 9"});
  const std::string text = ToMarkdown(reports, CompareAll(reports, false), {"the first | note"});
  EXPECT_THAT(text, HasSubstr("| A | first | a platform, a device, driver 1.0 |"));
  EXPECT_THAT(text, HasSubstr("- the first \\| note\n"));
  EXPECT_THAT(text, HasSubstr("| exp | float | 3 | 3.50000 | `0x3f800001` | 1.0000001 | "
                              "`0x3f800000` | `0x3f800002` | 1 | error over the limit |"));
  EXPECT_THAT(text, HasSubstr("\n    assay validate --opencl Mine --functions exp"));
  EXPECT_THAT(text, HasSubstr("| sin | float | 8 | killed \\| by signal 9 |"));
  EXPECT_THAT(text, HasSubstr("## From A first to B second"));
  EXPECT_THAT(text, HasSubstr("| exp | float | fixed | 3.50000 **fail** | 2.00000 pass | 0 |"));
  EXPECT_THAT(ToMarkdown(reports, {}, {}, {.max_rows = 0}), HasSubstr("1 more operations fail"));
  EXPECT_THAT(ToMarkdown(reports, {}, {}, {.verdicts = false}), Not(HasSubstr("Every operation")));
}

TEST(ReportFormatsTest, JUnitIsWellFormedForEveryDeviceName) {
  std::vector<InputReport> reports = TwoReports();
  reports[0].report.device.name = "</testsuite><x a=\"&\">\x01";
  reports[0].report.results[0].verdict = Verdict::kUnsupported;
  reports[0].report.results[0].message = "<none> & \"such\"";
  for (const std::string& xml : {ToJUnit(reports[0].report), ToJUnit(reports)}) {
    EXPECT_TRUE(IsWellFormed(xml)) << xml;
    EXPECT_THAT(xml, StartsWith("<?xml"));
    EXPECT_THAT(xml, Not(HasSubstr("\x01")));
  }
  EXPECT_THAT(ToJUnit(reports), HasSubstr("<testsuites>\n<testsuite name=\"assay validate "));
  EXPECT_THAT(ToJUnit(reports), HasSubstr("(second)\" tests=\"2\" failures=\"0\""));
  EXPECT_FALSE(IsWellFormed("<a><b></a></b>"));
}

TEST(ReportFormatsTest, ThePageHasBothVerdictsAndMergedBinades) {
  std::vector<InputReport> reports = TwoReports();
  FunctionResult& wide = reports[0].report.results[0];
  wide.statistics.binades = {{-1022, {1, 0.12345}}, {-1020, {1, 0.5}}, {1023, {1, 9}}};
  const auto data = PageData(reports, {}, {});
  ASSERT_EQ(data["rows"].size(), 3u);
  const auto& sin = data["rows"][0]["r"][0];
  // 2046 binades, four to a step: the largest error of each.
  EXPECT_EQ(sin["b"][0], -1022);
  EXPECT_EQ(sin["b"][1], 4);
  EXPECT_EQ(sin["b"][2].size(), 512u);
  EXPECT_EQ(sin["b"][2][0], 0.5);
  EXPECT_EQ(sin["b"][2][1], -1);
  EXPECT_EQ(sin["b"][2][511], 9);
  EXPECT_EQ(sin["b"].size(), 4u);  // the report tells neither signs nor widths
  EXPECT_TRUE(sin["b"][3].empty());
  const auto& exp = data["rows"][1]["r"];
  EXPECT_EQ(exp[0]["v"], nlohmann::ordered_json({1, 0}));  // 3.5 ulp: fails 3, passes 4
  EXPECT_EQ(data["limits"][exp[0]["l"].get<std::size_t>()][2], "4");
  EXPECT_EQ(exp[0]["s"][0][0][0][0], "0x3f800001");
  EXPECT_EQ(exp[0]["s"][0][0][0][1], "0x1.000002p+0");
  EXPECT_TRUE(data["rows"][2]["r"][0].is_null());
}

TEST(ReportFormatsTest, ThePageHasSignsWidthsAndThePlane) {
  std::vector<InputReport> reports = {
      ReportOf("one", {ResultOf(FloatOperation(Function::pow), 1)})};
  Statistics& s = reports[0].report.results[0].statistics;
  s.binades = {{0, {.inputs = 3, .max_ulp = 2, .signs = {ErrorAt{2, 0.5, 1}, ErrorAt{1, 2, 8}}}},
               {1, {.inputs = 1, .max_ulp = 1, .signs = {ErrorAt{1, 1, 4}, ErrorAt{}}}}};
  s.plane = {{{1, -16}, {5, std::numeric_limits<double>::infinity(), 4}}};
  const auto pow = PageData(reports, {}, {})["rows"][0]["r"][0];
  using Json = nlohmann::ordered_json;
  EXPECT_EQ(pow["b"], Json::parse("[0, 1, [0.5, 1], [1, 4], [2, -1], [8, 0]]"));
  EXPECT_EQ(pow["q"], Json::parse("[[-126, 127], [-126, 127], [[1, -16, -2, 4]]]"));
}

TEST(ReportFormatsTest, TheComparisonAsJson) {
  std::vector<InputReport> reports = TwoReports();
  reports[1].report.device.driver_version = "2.0";
  const auto json = ComparisonToJson(reports, CompareAll(reports, false), {"a note"});
  EXPECT_EQ(json["schema"], "assay-report/1");
  EXPECT_EQ(json["reports"][0]["counts"]["fail"], 1);
  EXPECT_EQ(json["notes"][0], "a note");
  EXPECT_EQ(json["changes"][0]["changes"][0]["change"], "fixed");
  EXPECT_EQ(json["changes"][0]["changes"][0]["before"]["max_ulp"], 3.5);
}

}  // namespace
}  // namespace assay::oracle
