// The rules that findings name: the meaning of each, its clause, and its detector.  rules.def has
// the rows; `assay explain`, reports and docs/rules.md are made from them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/rules/detector.h"
#include "interp/rules/finding.h"

namespace assay::interp {

struct Rule {
  std::string_view id;      // stable: "memory-out-of-bounds"
  std::string_view family;  // its folder in testsuites/fail and testsuites/pass
  FindingClass finding_class = FindingClass::kUndefinedBehavior;
  std::optional<Detector> detector;  // nothing: always on
  std::string_view catalogue;  // "UB-029 UB-037"; rows of testsuites/spec/undefined_behavior.tsv
  std::string_view title;      // a few words
  std::string_view clause;     // specification and section
  std::string_view link;       // ... in a registry of Khronos'; "": none
  std::string_view help;       // the error and its correction, in a sentence or two
};

// By family, in the order of rules.def.
std::span<const Rule> Rules();
// Null for a rule that is not in the table.
const Rule* FindRule(std::string_view id);
std::span<const std::string_view> RuleFamilies();
// The address of the clause's section; "" if there is none.
std::string LinkOf(const Rule& rule);
// Whether `name` selects this rule: its id; its family, in singular or plural ("races", "race"); or
// the first words of its id ("barrier"). catch, --ignore and explain all use this.
bool IsNamed(const Rule& rule, std::string_view name);
// The rules that `name` selects, in the order of rules.def; none for an unknown name.
std::vector<const Rule*> RulesNamed(std::string_view name);
// "UB-029", "UB-037".
std::vector<std::string_view> CatalogueIds(const Rule& rule);
// The rules for a row of the catalogue.
std::vector<const Rule*> RulesOfCatalogue(std::string_view catalogue_id);

// A row of the catalogue that no rule covers, with the reason.
struct NotDetected {
  std::string_view catalogue;
  std::string_view title;
  std::string_view reason;
};
std::span<const NotDetected> RulesNotDetected();

}  // namespace assay::interp
