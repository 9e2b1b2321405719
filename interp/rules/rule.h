// The rules that findings name: the meaning of each, its clause, and its detector.  rules.def has
// the rows; `assay explain`, reports and docs/rules.md are made from them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/rules/detector.h"
#include "interp/rules/finding.h"

namespace assay::interp {

// The rows of rules.def, and behind them its variants.
enum class Rule : std::uint8_t {
#define ASSAY_RULE(name, ...) k##name,
#define ASSAY_RULE_VARIANT(name, ...) k##name,
#include "interp/rules/rules.def"
#undef ASSAY_RULE
};

struct RuleRow {
  Rule rule;                // of a variant the rule that it is reported as
  std::string_view id;      // stable: "memory-out-of-bounds"
  std::string_view family;  // its folder in testsuites/fail and testsuites/pass, or "host"
  FindingClass finding_class = FindingClass::kUndefinedBehavior;
  std::optional<Detector> detector;  // nothing: always on
  std::string_view catalogue;  // "UB-029 UB-037"; rows of testsuites/spec/undefined_behavior.tsv
  std::string_view title;      // a few words
  std::string_view clause;     // specification and section
  std::string_view link;       // ... in a registry of Khronos'; "": none
  std::string_view help;       // the error and its correction, in a sentence or two
};
const RuleRow& RowOf(Rule rule);

// By family, in the order of rules.def; without variants.
std::span<const RuleRow> Rules();
// Nothing for a name that is not in the table.
const RuleRow* FindRule(std::string_view id);
std::span<const std::string_view> RuleFamilies();
// The address of the clause's section; "" where there is none.
std::string LinkOf(const RuleRow& rule);
// Does `name` mean this rule?  Its id; its family, in singular or plural ("races", "race"); or the
// first words of its id ("barrier").  The same wherever rules are named: catch, --ignore, explain.
bool IsNamed(const RuleRow& rule, std::string_view name);
// Those that `name` means, in the order of rules.def; none for a name that means nothing.
std::vector<const RuleRow*> RulesNamed(std::string_view name);
// "UB-029", "UB-037".
std::vector<std::string_view> CatalogueIds(const RuleRow& rule);
// Is the rule about a host program's calls of the API?  Then the OpenCL driver finds it, and no run
// of a kernel does.
bool IsHostRule(const RuleRow& rule);
// False for a row that nothing reports yet.
bool IsDetected(const RuleRow& rule);
// The rules that stand on a row of the catalogue.
std::vector<const RuleRow*> RulesOfCatalogue(std::string_view catalogue_id);

// A row of the catalogue that is not detected, with the reason: no rule covers it, or only rules
// that nothing reports yet.
struct NotDetected {
  std::string_view catalogue;
  std::string_view title;
  std::string_view reason;
};
std::span<const NotDetected> RulesNotDetected();

}  // namespace assay::interp
