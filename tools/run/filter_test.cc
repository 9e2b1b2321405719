#include "tools/run/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interp/rules/rule.h"

namespace assay::tools {
namespace {

using interp::Rule;

using interp::Detector;
using interp::DetectorSet;
using testing::HasSubstr;

TEST(RunFilterTest, DetectorsAreNamedOrLeftOut) {
  EXPECT_EQ(*ParseDetectors("all"), DetectorSet::All());
  EXPECT_TRUE(ParseDetectors("none")->IsEmpty());
  const auto two = ParseDetectors("races,groups");
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->Has(Detector::kRaces) && two->Has(Detector::kGroups));
  EXPECT_FALSE(two->Has(Detector::kAlignment));
  EXPECT_EQ(*ParseDetectors("race,group"), *two);
  for (const char* text : {"-races", "all,-races", "-race"}) {
    const auto others = ParseDetectors(text);
    ASSERT_TRUE(others) << text;
    EXPECT_FALSE(others->Has(Detector::kRaces));
    EXPECT_TRUE(others->Has(Detector::kAlignment));
  }
  for (const char* text : {"", "racing", "races,-groups", "all,races", "-races,groups", "races,"}) {
    EXPECT_FALSE(ParseDetectors(text)) << text;
  }
}

TEST(RunFilterTest, OptInDetectorsRunOnlyIfNamed) {
  EXPECT_FALSE(ParseDetectors("all")->Has(Detector::kNan));
  EXPECT_FALSE(ParseDetectors("-races")->Has(Detector::kNan));
  const auto beside = ParseDetectors("all,nan");
  ASSERT_TRUE(beside);
  EXPECT_TRUE(beside->Has(Detector::kNan) && beside->Has(Detector::kRaces));
  const auto alone = ParseDetectors("nan");
  ASSERT_TRUE(alone);
  EXPECT_TRUE(alone->Has(Detector::kNan));
  EXPECT_FALSE(alone->Has(Detector::kRaces));
  const auto fewer = ParseDetectors("-races,nan");
  ASSERT_TRUE(fewer);
  EXPECT_TRUE(fewer->Has(Detector::kNan) && fewer->Has(Detector::kGroups));
  EXPECT_FALSE(fewer->Has(Detector::kRaces));
}

TEST(RunFilterTest, DetectorsAreWrittenAsTheyAreRead) {
  for (const char* text : {"all", "none", "races", "races,groups", "-races", "-alignment,-control",
                           "nan", "all,nan", "races,nan", "-races,nan"}) {
    EXPECT_EQ(DetectorsText(*ParseDetectors(text)), text);
  }
}

interp::Finding Finding(Rule rule, const char* source) {
  interp::Finding finding(rule);
  finding.source = source;
  return finding;
}

TEST(RunFilterTest, AnIgnoreNamesRuleFileAndLine) {
  const auto ignore = ParseIgnore("race-nonatomic@sum.cl:12=counter = statistical");
  ASSERT_TRUE(ignore) << ignore.error().message;
  EXPECT_EQ(ignore->text, "race-nonatomic@sum.cl:12");
  EXPECT_EQ(ignore->file, "sum.cl");
  EXPECT_EQ(ignore->line, 12u);
  EXPECT_EQ(ignore->reason, "counter = statistical");
  EXPECT_TRUE(Matches(*ignore, Finding(Rule::kRaceNonatomic, "sum.cl:12:3")));
  EXPECT_TRUE(Matches(*ignore, Finding(Rule::kRaceNonatomic, "/src/sum.cl:12")));
  EXPECT_FALSE(Matches(*ignore, Finding(Rule::kRaceNonatomic, "sum.cl:13:3")));
  EXPECT_FALSE(Matches(*ignore, Finding(Rule::kRaceScope, "sum.cl:12:3")));
  EXPECT_FALSE(Matches(*ignore, Finding(Rule::kRaceNonatomic, "checksum.cl:12:3")));
  EXPECT_FALSE(Matches(*ignore, Finding(Rule::kRaceNonatomic, "")));
}

TEST(RunFilterTest, AnIgnoreMayMeanAFamilyOrAFile) {
  const auto ignore = ParseIgnore("races@src/sum.cl");
  ASSERT_TRUE(ignore) << ignore.error().message;
  EXPECT_TRUE(Matches(*ignore, Finding(Rule::kRaceScope, "/home/src/sum.cl:1:1")));
  EXPECT_TRUE(Matches(*ignore, Finding(Rule::kRaceNonatomic, "src/sum.cl:99:1")));
  EXPECT_FALSE(Matches(*ignore, Finding(Rule::kMemoryNull, "src/sum.cl:99:1")));
  EXPECT_FALSE(Matches(*ignore, Finding(Rule::kRaceScope, "sum.cl:1:1")));
}

TEST(RunFilterTest, BadIgnores) {
  for (const char* text : {"", "race-nonatomic", "@sum.cl", "race-nonatomic@", "x@sum.cl",
                           "race-nonatomic@sum.cl:0", "race-nonatomic@:3"}) {
    EXPECT_FALSE(ParseIgnore(text)) << text;
  }
  EXPECT_THAT(ParseIgnore("race-nonatomc@a.cl").error().message,
              HasSubstr("did you mean race-nonatomic"));
}

TEST(RunFilterTest, PlacesInSources) {
  EXPECT_EQ(ParseSource("a.cl:14:9").line, 14u);
  EXPECT_EQ(ParseSource("a.cl:14:9").column, 9u);
  EXPECT_EQ(ParseSource("a.cl:14").line, 14u);
  EXPECT_EQ(ParseSource("a.cl:14").column, 0u);
  EXPECT_EQ(ParseSource("C:/a.cl:14:9").file, "C:/a.cl");
  EXPECT_EQ(ParseSource("").line, 0u);
}

}  // namespace
}  // namespace assay::tools
