// What other programs are told of judgements.
#include "tools/judge/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "interp/rules/rule.h"
#include "tools/run/finding_text.h"

namespace assay::tools {
namespace {

using interp::Rule;
using testing::HasSubstr;
using testing::Not;

ReportedFinding Finding(const char* source) {
  ReportedFinding reported{.finding = interp::Finding(Rule::kRaceNonatomic)};
  reported.finding.message = "a < b";
  reported.finding.source = source;
  return reported;
}

Judgement Judged(Verdict verdict, std::uint64_t launch) {
  Judgement judged{.capture = {.process = 7, .number = launch, .kernel = "k<1>", .launch = launch},
                   .verdict = verdict,
                   .source = "k.cl:2:1"};
  if (verdict == Verdict::kKernel) judged.found = {Finding("k.cl:3:5")};
  if (verdict == Verdict::kUndecided) judged.reasons = {"no & yes"};
  if (verdict == Verdict::kDriver) judged.differences = {{.buffer = "b0", .elements = 2}};
  return judged;
}

const JudgedRun kRun = {.command = "assay judge here"};

TEST(JudgeFilesTest, OnePlaceOfManyLaunchesIsOneResult) {
  const std::vector<Judgement> judged = {Judged(Verdict::kKernel, 1), Judged(Verdict::kKernel, 2),
                                         Judged(Verdict::kDriver, 3), Judged(Verdict::kDriver, 4),
                                         Judged(Verdict::kConform, 5)};
  const auto run = JudgeSarif(judged, kRun, "/here")["runs"][0];
  ASSERT_EQ(run["results"].size(), 2U);
  EXPECT_EQ(run["results"][0]["ruleId"], "race-nonatomic");
  EXPECT_EQ(run["results"][0]["occurrenceCount"], 2);
  const auto& driver = run["results"][1];
  EXPECT_EQ(driver["ruleId"], "driver-broke-a-rule");
  EXPECT_EQ(driver["ruleIndex"], 1);
  EXPECT_EQ(run["tool"]["driver"]["rules"][1]["id"], "driver-broke-a-rule");
  EXPECT_EQ(driver["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
  EXPECT_THAT(driver["message"]["text"].get<std::string>(), HasSubstr("in 2 captured launches"));
  EXPECT_EQ(run["invocations"][0]["exitCode"], 1);
}

TEST(JudgeFilesTest, FingerprintsDoNotDependOnTheFolderOfTheCaptures) {
  Judgement one = Judged(Verdict::kKernel, 1), other = one;
  one.found = {Finding("/tmp/a/program-1/program.cl:3:5")};
  other.found = {Finding("/tmp/b/program-2/program.cl:7:5")};
  const auto prints = [](const Judgement& judged) {
    return JudgeSarif({judged, Judged(Verdict::kDriver, 2)}, kRun, "/here")["runs"][0]["results"];
  };
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(prints(one)[i]["partialFingerprints"], prints(other)[i]["partialFingerprints"]);
  }
}

// The finding may be one of another execution than the device's.
TEST(JudgeFilesTest, FindingsOfUndecidedLaunchesAccuseNobody) {
  Judgement judged = Judged(Verdict::kUndecided, 1);
  judged.found = {Finding("k.cl:3:5")};
  const auto run = JudgeSarif({judged}, kRun, "/here")["runs"][0];
  ASSERT_EQ(run["results"].size(), 1U);
  EXPECT_EQ(run["results"][0]["level"], "note");
  EXPECT_EQ(run["invocations"][0]["exitCode"], 0);
  EXPECT_THAT(run["results"][0]["properties"]["history"].dump(),
              HasSubstr("not decided: no & yes"));
  EXPECT_THAT(JudgeJUnit({judged}, kRun), HasSubstr("failures=\"0\" skipped=\"1\""));
}

TEST(JudgeFilesTest, ACaseForEachLaunch) {
  const std::string xml = JudgeJUnit({Judged(Verdict::kKernel, 1), Judged(Verdict::kDriver, 2),
                                      Judged(Verdict::kConform, 3), Judged(Verdict::kUndecided, 4)},
                                     kRun);
  EXPECT_THAT(xml, HasSubstr("name=\"assay judge here\" tests=\"4\" failures=\"2\" skipped=\"1\" "
                             "errors=\"0\""));
  EXPECT_THAT(xml, HasSubstr("classname=\"k&lt;1&gt;\" name=\"capture 1: launch 1\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"kernel has undefined behavior: a &lt; b "
                             "(race-nonatomic)\">"));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"driver broke a rule: 2 components differ\">"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"no &amp; yes\"/>"));
}

TEST(JudgeFilesTest, ProcessesAreNamedWhereThereAreSeveral) {
  Judgement other = Judged(Verdict::kConform, 1);
  other.capture.process = 9;
  const std::string xml = JudgeJUnit({Judged(Verdict::kConform, 1), other}, kRun);
  EXPECT_THAT(xml, HasSubstr("name=\"capture 1: launch 1 of process 7\""));
  EXPECT_THAT(xml, HasSubstr("name=\"capture 1: launch 1 of process 9\""));
}

TEST(JudgeFilesTest, ThePageShowsKernelsAndWhatIsNotConforming) {
  const std::string page =
      JudgePage({Judged(Verdict::kKernel, 1), Judged(Verdict::kConform, 2)}, kRun);
  EXPECT_THAT(page, HasSubstr("<td data-label=\"Kernel\">k&lt;1&gt;</td>"
                              "<td data-label=\"Captured launches\">2</td>"
                              "<td data-label=\"Kernel has undefined behavior\">1</td>"
                              "<td data-label=\"Driver broke a rule\">0</td>"
                              "<td data-label=\"Both conform\">1</td>"));
  EXPECT_THAT(page, HasSubstr("name=\"viewport\""));
  EXPECT_THAT(page, HasSubstr("kernel 'k&lt;1&gt;', launch 1 of process 7"));
  EXPECT_THAT(page, Not(HasSubstr("kernel 'k&lt;1&gt;', launch 2")));
  EXPECT_THAT(page, Not(HasSubstr("<1>")));
}

TEST(JudgeFilesTest, AFindingSurvivesItsJson) {
  ReportedFinding reported = Finding("k.cl:3:5");
  interp::Finding& finding = reported.finding;
  finding.finding_class = interp::FindingClass::kUndefinedValue;
  finding.place = {.instruction = 12, .calls = {3, 4}};
  finding.global_id = {1, 2, 3};
  finding.history = {"one", "two"};
  finding.count = 5;
  finding.after_undefined_behavior = true;
  reported.source_text = "  x = 1;";
  reported.launches = 4;
  const auto json = FindingToJson(reported);
  const auto back = FindingFromJson(json);
  ASSERT_TRUE(back);
  EXPECT_EQ(FindingToJson(*back), json);
  EXPECT_FALSE(FindingFromJson({{"rule", "no-such-rule"}, {"class", "observation"}}));
}

}  // namespace
}  // namespace assay::tools
