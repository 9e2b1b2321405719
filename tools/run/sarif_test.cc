// The shape that SARIF 2.1.0 asks for, where consumers are strict about it.
#include "tools/run/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace assay::tools {
namespace {

using interp::FindingClass;

ReportedFinding Finding(const char* rule, const char* source) {
  ReportedFinding reported{.source_text = "  scratch[i] = 1;"};
  reported.finding.finding_class = FindingClass::kUndefinedBehavior;
  reported.finding.rule = rule;
  reported.finding.message = "what happened";
  reported.finding.source = source;
  return reported;
}

RunReport Report() {
  RunReport report;
  report.modules = {"a b.cl"};
  report.findings = {Finding("race-nonatomic", "dir/red uce.cl:14:9"),
                     Finding("race-nonatomic", "dir/reduce.cl:20"), Finding("memory-null", "")};
  report.findings[0].finding.history = {
      "the other access: dir/reduce.cl:11:5: OpStore %1 %2 Aligned 4", "nothing orders the two"};
  report.findings[1].finding.finding_class = FindingClass::kImplementationDefined;
  return report;
}

TEST(SarifTest, ARunHasItsToolAndRulesOnce) {
  const nlohmann::ordered_json log = SarifOf(Report(), "/src");
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["$schema"], "https://json.schemastore.org/sarif-2.1.0.json");
  ASSERT_EQ(log["runs"].size(), 1u);
  const auto& driver = log["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "assay");
  ASSERT_EQ(driver["rules"].size(), 2u) << "each once";
  EXPECT_EQ(driver["rules"][0]["id"], "race-nonatomic");
  EXPECT_EQ(driver["rules"][0]["properties"]["catalogue"], nlohmann::json({"UB-038"}));
  EXPECT_FALSE(driver["rules"][0]["help"]["text"].get<std::string>().empty());
  EXPECT_EQ(log["runs"][0]["invocations"][0]["exitCode"], 1);
  EXPECT_EQ(log["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

TEST(SarifTest, AResultHasItsPlace) {
  const nlohmann::ordered_json results = SarifOf(Report(), "/src")["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3u);
  const auto& first = results[0];
  EXPECT_EQ(first["ruleId"], "race-nonatomic");
  EXPECT_EQ(first["ruleIndex"], 0);
  EXPECT_EQ(results[2]["ruleIndex"], 1);
  EXPECT_EQ(first["level"], "error");
  EXPECT_EQ(results[1]["level"], "warning");
  EXPECT_EQ(first["message"]["text"], "what happened");
  const auto& place = first["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "dir/red%20uce.cl");
  EXPECT_EQ(place["region"]["startLine"], 14);
  EXPECT_EQ(place["region"]["startColumn"], 9);
  EXPECT_FALSE(results[1]["locations"][0]["physicalLocation"]["region"].contains("startColumn"));
  // Without a line the module is what there is to point at.
  EXPECT_EQ(results[2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20b.cl");
  EXPECT_FALSE(results[2]["locations"][0]["physicalLocation"].contains("region"));
  ASSERT_EQ(first["relatedLocations"].size(), 1u);
  EXPECT_EQ(first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 11);
  EXPECT_FALSE(results[1].contains("relatedLocations"));
}

TEST(SarifTest, HiddenFindingsAreSuppressed) {
  RunReport report = Report();
  report.ignores = {{.text = "memory@a.cl"}, {.text = "races@dir/reduce.cl", .reason = "known"}};
  report.hidden = {report.findings[1]};
  report.hidden[0].ignored_by = 1;
  const nlohmann::ordered_json results = SarifOf(report, "/src")["runs"][0]["results"];
  ASSERT_EQ(results.size(), 4u);
  EXPECT_FALSE(results[0].contains("suppressions"));
  EXPECT_EQ(results[3]["suppressions"][0]["kind"], "external");
  EXPECT_EQ(results[3]["suppressions"][0]["justification"], "known");
}

TEST(SarifTest, FilesBelowTheFolderAreNamedFromThere) {
  RunReport report = Report();
  report.findings = {Finding("memory-null", "/src/my kernels/a.cl:3:1"),
                     Finding("memory-null", "/elsewhere/b.cl:3:1"),
                     Finding("memory-null", "../src2/c.cl:3:1"),
                     Finding("memory-null", "./sub/../d.cl:3:1")};
  report.findings[0].finding.history = {"the other access: /src/e.cl:1:5: OpStore %1 %2"};
  const nlohmann::ordered_json run = SarifOf(report, "/src")["runs"][0];
  EXPECT_EQ(run["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file:///src/");
  const auto file = [&](std::size_t result) {
    return run["results"][result]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(file(0),
            (nlohmann::ordered_json{{"uri", "my%20kernels/a.cl"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(file(1), (nlohmann::ordered_json{{"uri", "file:///elsewhere/b.cl"}}));
  EXPECT_EQ(file(2), (nlohmann::ordered_json{{"uri", "file:///src2/c.cl"}}));
  EXPECT_EQ(file(3), (nlohmann::ordered_json{{"uri", "d.cl"}, {"uriBaseId", "%SRCROOT%"}}));
  const auto& other = run["results"][0]["relatedLocations"][0]["physicalLocation"];
  EXPECT_EQ(other["artifactLocation"],
            (nlohmann::ordered_json{{"uri", "e.cl"}, {"uriBaseId", "%SRCROOT%"}}));
}

TEST(SarifTest, FingerprintsStayWhenLinesMove) {
  const auto fingerprint = [](const char* source) {
    RunReport report;
    report.findings = {Finding("race-nonatomic", source)};
    return SarifOf(report, "/src")["runs"][0]["results"][0]["partialFingerprints"].dump();
  };
  EXPECT_EQ(fingerprint("a.cl:3:1"), fingerprint("a.cl:7:1"));
  EXPECT_NE(fingerprint("a.cl:3:1"), fingerprint("b.cl:3:1"));
}

}  // namespace
}  // namespace assay::tools
