// The tables of rules are complete and say something.
#include "interp/rules/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "interp/rules/check.h"

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The rows of the catalogue that assay answers for: id and name.
std::map<std::string, std::string> Catalogue() {
  std::map<std::string, std::string> rows;
  std::ifstream file(ASSAY_SOURCE_DIR "/testsuites/spec/undefined_behavior.tsv");
  std::string line;
  std::getline(file, line);  // names of the columns
  while (std::getline(file, line)) {
    const std::size_t group = line.find('\t');
    const std::size_t name = line.find('\t', group + 1) + 1;
    rows[line.substr(0, group)] = line.substr(name, line.find('\t', name) - name);
  }
  return rows;
}

TEST(RulesTest, EveryRowOfTheCatalogueIsDetectedOrExplained) {
  const auto rows = Catalogue();
  EXPECT_EQ(rows.size(), 136u);
  std::set<std::string_view> explained;
  for (const NotDetected& row : RulesNotDetected()) {
    EXPECT_TRUE(rows.contains(std::string(row.catalogue))) << row.catalogue;
    EXPECT_TRUE(explained.insert(row.catalogue).second) << row.catalogue << " twice";
    for (const RuleRow* rule : RulesOfCatalogue(row.catalogue)) {
      EXPECT_FALSE(IsDetected(*rule)) << row.catalogue << " in both tables";
    }
  }
  for (const auto& [id, name] : rows) {
    const auto rules = RulesOfCatalogue(id);
    const bool detected =
        std::ranges::any_of(rules, [](const auto* rule) { return IsDetected(*rule); });
    EXPECT_TRUE(explained.contains(id) || detected) << id << " " << name;
  }
}

TEST(RulesTest, RulesStandTogetherByFamilyAndOnce) {
  std::set<std::string_view> seen;
  std::size_t family = 0;
  for (const RuleRow& rule : Rules()) {
    EXPECT_TRUE(seen.insert(rule.id).second) << rule.id << " twice";
    while (family < RuleFamilies().size() && RuleFamilies()[family] != rule.family) ++family;
    ASSERT_LT(family, RuleFamilies().size())
        << rule.id << ": its family is unknown or in two places";
    EXPECT_EQ(FindRule(rule.id), &rule);
    EXPECT_EQ(&RowOf(rule.rule), &rule) << rule.id;
  }
  EXPECT_EQ(FindRule("memory"), nullptr);
  EXPECT_EQ(FindRule(""), nullptr);
}

TEST(RulesTest, NotDetectedOnesAreSorted) {
  const auto rows = RulesNotDetected();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].catalogue, rows[i].catalogue);
  }
  for (const NotDetected& row : rows) {
    EXPECT_FALSE(row.title.empty() || row.reason.empty()) << row.catalogue;
  }
}

TEST(RulesTest, TextsAreThere) {
  for (const RuleRow& rule : Rules()) {
    for (const char c : rule.id) EXPECT_TRUE(std::islower(c) != 0 || c == '-') << rule.id;
    EXPECT_FALSE(rule.title.empty() || rule.clause.empty()) << rule.id;
    EXPECT_LE(rule.title.size(), 80u) << rule.id;
    // Lines are of the sources of the specifications, which readers do not have.
    EXPECT_EQ(rule.clause.find(", line"), std::string_view::npos) << rule.id;
    EXPECT_TRUE(rule.link.empty() || LinkOf(rule).starts_with("https://")) << rule.id;
    EXPECT_EQ(rule.link.empty(), rule.clause.find("OpenCL") == std::string_view::npos &&
                                     rule.clause.find("Environment") == std::string_view::npos &&
                                     rule.clause.find("SPIR-V") == std::string_view::npos &&
                                     rule.clause.find("SPV_") == std::string_view::npos)
        << rule.id;
    EXPECT_NE(rule.title.back(), '.') << rule.id;
    ASSERT_FALSE(rule.help.empty()) << rule.id;
    EXPECT_EQ(rule.help.back(), '.') << rule.id;
    for (const std::string_view id : CatalogueIds(rule)) {
      EXPECT_TRUE(id.starts_with("UB-") && id.size() == 6) << rule.id << ": " << id;
    }
    // Limits of this program are no rows of a catalogue of behaviour.
    if (rule.finding_class == FindingClass::kResourceLimit) continue;
    // Nor is what is no mistake.
    if (rule.finding_class == FindingClass::kObservation) continue;
    // The catalogue is about kernels.
    if (IsHostRule(rule)) continue;
    EXPECT_FALSE(CatalogueIds(rule).empty()) << rule.id;
  }
}

// Every sentence of the API's text about undefined behavior has a rule, or a reason; and every rule
// of a host's undefined behavior has a sentence.
TEST(RulesTest, TheTextOfTheApiIsCovered) {
  std::ifstream file(ASSAY_SOURCE_DIR "/testsuites/spec/api_undefined_behavior.tsv");
  std::string line;
  std::getline(file, line);  // names of the columns
  std::set<std::string> covered;
  std::size_t rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::vector<std::string> columns(1);
    for (const char c : line) {
      if (c == '\t') {
        columns.emplace_back();
      } else {
        columns.back() += c;
      }
    }
    ASSERT_EQ(columns.size(), 5u) << line;
    EXPECT_NE(columns[3].empty(), columns[4].empty()) << line;
    EXPECT_TRUE(columns[3].empty() || FindRule(columns[3]) != nullptr) << line;
    covered.insert(columns[3]);
  }
  EXPECT_GT(rows, 80u);
  for (const RuleRow& rule : Rules()) {
    // The text does not say what memory has that nothing wrote.
    if (!IsHostRule(rule) || rule.finding_class == FindingClass::kObservation ||
        rule.finding_class == FindingClass::kUndefinedValue) {
      continue;
    }
    EXPECT_TRUE(covered.contains(std::string(rule.id))) << rule.id << " has no sentence";
  }
}

// But for one: which bytes nothing wrote is known where kernels' stores are followed.
TEST(RulesTest, HostRulesAreThoseOfTheirFamilyAndNeedNoDetector) {
  int count = 0;
  for (const RuleRow& rule : Rules()) {
    EXPECT_EQ(IsHostRule(rule), rule.id.starts_with("host-")) << rule.id;
    if (IsHostRule(rule)) {
      EXPECT_EQ(rule.detector.has_value(), rule.rule == Rule::kHostUndefinedRead) << rule.id;
      ++count;
    } else {
      EXPECT_TRUE(IsDetected(rule)) << rule.id;
    }
  }
  EXPECT_GT(count, 20);
}

TEST(RulesTest, EveryDetectorHasRules) {
  for (const Detector detector : AllDetectors()) {
    const auto rules = Rules();
    EXPECT_TRUE(std::any_of(rules.begin(), rules.end(), [&](const RuleRow& rule) {
      return rule.detector == detector;
    })) << DetectorName(detector);
  }
}

TEST(RulesTest, EveryCheckIsPutInByADetector) {
  for (int i = 0; i < static_cast<int>(Check::kCount); ++i) {
    const CheckRow& row = RowOf(static_cast<Check>(i));
    EXPECT_TRUE(RowOf(row.rule).detector) << row.name << " reports " << NameOf(row.rule);
  }
}

TEST(RulesTest, AFindingHasTheClassOfItsRow) {
  Finding finding(Rule::kRaceScope);
  EXPECT_EQ(finding.finding_class, FindingClass::kUndefinedBehavior);
  finding.TellAs(Rule::kGroupProgress);
  EXPECT_EQ(NameOf(finding.rule), "group-progress");
  EXPECT_EQ(finding.finding_class, FindingClass::kImplementationDefined);
  // A variant is its rule to users, with a class of its own.
  finding.TellAs(Rule::kPrintfLengthModifier);
  EXPECT_EQ(finding.rule, Rule::kPrintfSpecifier);
  EXPECT_EQ(finding.finding_class, FindingClass::kImplementationDefined);
  EXPECT_EQ(Finding(Rule::kPrintfSpecifier).finding_class, FindingClass::kUndefinedBehavior);
}

TEST(RulesTest, VariablesWithoutInitializerAreCsMatterAndNoAtomics) {
  const std::string_view clause = FindRule("uninitialized-value")->clause;
  EXPECT_NE(clause.find("C99 6.7.8"), std::string_view::npos);
  EXPECT_EQ(clause.find("ATOMIC_VAR_INIT"), std::string_view::npos);
}

TEST(RulesTest, CatalogueIdsAreSplit) {
  EXPECT_THAT(CatalogueIds(*FindRule("alignment-access")), ElementsAre("UB-029", "UB-037"));
  EXPECT_THAT(RulesOfCatalogue("UB-037"), ElementsAre(FindRule("alignment-access")));
  EXPECT_THAT(RulesOfCatalogue("UB-03"), IsEmpty());
}

}  // namespace
}  // namespace assay::interp
