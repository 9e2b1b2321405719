// The shape that SARIF 2.1.0 asks for, where consumers are strict about it.
#include "tools/run/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "interp/rules/rule.h"

namespace assay::tools {
namespace {

using interp::Rule;

ReportedFinding Finding(Rule rule, const char* source) {
  ReportedFinding reported{.finding = interp::Finding(rule), .source_text = "  scratch[i] = 1;"};
  reported.finding.message = "what happened";
  reported.finding.source = source;
  return reported;
}

RunReport Report() {
  RunReport report;
  report.modules = {"a b.cl"};
  report.findings = {Finding(Rule::kRaceNonatomic, "dir/red uce.cl:14:9"),
                     Finding(Rule::kRaceNonatomic, "dir/reduce.cl:20"),
                     Finding(Rule::kMemoryNull, "")};
  report.findings[0].finding.history = {
      "the other access: dir/reduce.cl:11:5: OpStore %1 %2 Aligned 4", "nothing orders the two"};
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

TEST(SarifTest, SourcesThatAreNoFilesAreInIt) {
  EXPECT_FALSE(SarifOf(Report(), "/src")["runs"][0].contains("artifacts"));
  const nlohmann::ordered_json artifacts =
      SarifOf(Report(), "/src",
              {.sources = {{"program-1.cl", "kernel void k() {}\n"}}})["runs"][0]["artifacts"];
  ASSERT_EQ(artifacts.size(), 1u);
  EXPECT_EQ(artifacts[0]["location"]["uri"], "program-1.cl");
  EXPECT_EQ(artifacts[0]["contents"]["text"], "kernel void k() {}\n");
}

TEST(SarifTest, AResultHasItsPlace) {
  const nlohmann::ordered_json results = SarifOf(Report(), "/src")["runs"][0]["results"];
  ASSERT_EQ(results.size(), 3u);
  const auto& first = results[0];
  EXPECT_EQ(first["ruleId"], "race-nonatomic");
  EXPECT_EQ(first["ruleIndex"], 0);
  EXPECT_EQ(results[2]["ruleIndex"], 1);
  EXPECT_EQ(first["level"], "error");
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

// A variant is its rule, with a level of its own.
TEST(SarifTest, ARuleMayHaveFindingsOfTwoLevels) {
  RunReport report = Report();
  report.findings = {Finding(Rule::kPrintfLengthModifier, "a.cl:1:1"),
                     Finding(Rule::kPrintfSpecifier, "a.cl:2:1")};
  const nlohmann::ordered_json run = SarifOf(report, "/src")["runs"][0];
  ASSERT_EQ(run["tool"]["driver"]["rules"].size(), 1u);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["defaultConfiguration"]["level"], "error");
  EXPECT_EQ(run["results"][0]["ruleId"], "printf-specifier");
  EXPECT_EQ(run["results"][0]["level"], "warning");
  EXPECT_EQ(run["results"][1]["level"], "error");
}

TEST(SarifTest, WhatIsHiddenIsSuppressed) {
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
  report.findings = {Finding(Rule::kMemoryNull, "/src/my kernels/a.cl:3:1"),
                     Finding(Rule::kMemoryNull, "/elsewhere/b.cl:3:1"),
                     Finding(Rule::kMemoryNull, "../src2/c.cl:3:1"),
                     Finding(Rule::kMemoryNull, "./sub/../d.cl:3:1")};
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

TEST(SarifTest, FilesBelowAnotherRootAreNamedFromThere) {
  RunReport report = Report();
  report.findings = {Finding(Rule::kMemoryNull, "a.cl:3:1"),
                     Finding(Rule::kMemoryNull, "/elsewhere/b.cl:3:1")};
  const nlohmann::ordered_json run = SarifOf(report, "/src/sub", {.root = "/src"})["runs"][0];
  EXPECT_EQ(run["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file:///src/");
  const auto file = [&](std::size_t result) {
    return run["results"][result]["locations"][0]["physicalLocation"]["artifactLocation"];
  };
  EXPECT_EQ(file(0), (nlohmann::ordered_json{{"uri", "sub/a.cl"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(file(1), (nlohmann::ordered_json{{"uri", "file:///elsewhere/b.cl"}}));
}

// The tests lie in a clone, whose docs/rules.md has the rule.
TEST(SarifTest, ARuleLeadsToItsRowOfThePage) {
  const nlohmann::ordered_json run =
      SarifOf(Report(), "/src", {.results = {{.rule = "driver-broke-a-rule"}}})["runs"][0];
  const auto& rules = run["tool"]["driver"]["rules"];
  const std::string uri = rules[0]["helpUri"];
  EXPECT_TRUE(uri.starts_with("file:///") && uri.ends_with("/docs/rules.md#race-nonatomic")) << uri;
  EXPECT_EQ(uri.find(' '), std::string::npos) << uri;
  EXPECT_EQ(rules[0]["properties"]["clauseUri"].get<std::string>().substr(0, 8), "https://");
  EXPECT_TRUE(rules[2]["helpUri"].get<std::string>().ends_with("/docs/judge.md"));
}

TEST(SarifTest, FingerprintsStayWhenLinesMove) {
  const auto fingerprint = [](const char* source) {
    RunReport report;
    report.findings = {Finding(Rule::kRaceNonatomic, source)};
    return SarifOf(report, "/src")["runs"][0]["results"][0]["partialFingerprints"].dump();
  };
  EXPECT_EQ(fingerprint("a.cl:3:1"), fingerprint("a.cl:7:1"));
  EXPECT_NE(fingerprint("a.cl:3:1"), fingerprint("b.cl:3:1"));
}

}  // namespace
}  // namespace assay::tools
