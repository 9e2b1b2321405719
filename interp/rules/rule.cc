#include "interp/rules/rule.h"

#include <algorithm>
#include <array>

namespace assay::interp {
namespace {

using enum FindingClass;
using enum Detector;
constexpr std::nullopt_t kAlwaysOn = std::nullopt;

constexpr RuleRow kRules[] = {
#define ASSAY_RULE(name, id, family, finding_class, detector, catalogue, title, clause, link, \
                   help)                                                                      \
  {Rule::k##name, id, family, finding_class, detector, catalogue, title, clause, link, help},
#include "interp/rules/rules.def"
#undef ASSAY_RULE
};

constexpr RuleRow Variant(Rule rule, FindingClass finding_class) {
  RuleRow row = kRules[static_cast<std::size_t>(rule)];
  row.finding_class = finding_class;
  return row;
}

constexpr RuleRow kVariants[] = {
#define ASSAY_RULE(...)
#define ASSAY_RULE_VARIANT(name, rule, finding_class) Variant(Rule::k##rule, finding_class),
#include "interp/rules/rules.def"
#undef ASSAY_RULE
};

// The table is read by its enumerators.
static_assert(
    [] {
      for (std::size_t i = 0; i < std::size(kRules); ++i) {
        if (static_cast<std::size_t>(kRules[i].rule) != i) return false;
      }
      return true;
    }(),
    "a variant stands before a rule in rules.def");

// "MemoryNull" and "memory-null".
constexpr bool IsSameName(std::string_view name, std::string_view id) {
  bool begins_word = true;
  for (const char c : id) {
    if (c == '-') {
      begins_word = true;
      continue;
    }
    if (name.empty() || name[0] != (begins_word ? c - 'a' + 'A' : c)) return false;
    name.remove_prefix(1);
    begins_word = false;
  }
  return name.empty();
}
#define ASSAY_RULE(name, id, ...) \
  static_assert(IsSameName(#name, id), "the name " #name " does not say the id " id);
#include "interp/rules/rules.def"
#undef ASSAY_RULE

constexpr std::array<std::string_view, 19> kFamilies = {
    "memory",   "alignment", "definedness", "races",    "groups", "arithmetic", "vectors",
    "pointers", "atomics",   "control",     "calls",    "images", "pipes",      "enqueue",
    "limits",   "nan",       "float",       "envelope", "host"};

// Rules of rules.def that nothing reports yet.  A line goes when the OpenCL driver reports its
// rule: then a test asks for the rule's two host programs.
constexpr std::array<Rule, 0> kNotReported = {};
// Parts of the specifications that are not executed come with one reason each.
constexpr std::string_view kExtension =
    "no compiler here declares these functions, and SPIR-V has no instruction for them";

constexpr NotDetected kNotDetected[] = {
    {"UB-063", "two- and three-dimensional asynchronous copies that overlap", kExtension},
    {"UB-066", "async_work_group_copy_fence that differs", kExtension},
    {"UB-197", "by-value argument that is changed from outside",
     "the callee has a copy of its own, which nothing else can change"},
};

}  // namespace

std::string_view FindingClassName(FindingClass finding_class) {
  constexpr std::string_view kNames[] = {"undefined-behavior", "undefined-value",
                                         "implementation-defined", "resource-limit", "observation"};
  return kNames[static_cast<int>(finding_class)];
}

const RuleRow& RowOf(Rule rule) {
  const auto place = static_cast<std::size_t>(rule);
  return place < std::size(kRules) ? kRules[place] : kVariants[place - std::size(kRules)];
}

std::string_view NameOf(Rule rule) { return RowOf(rule).id; }

void Finding::TellAs(Rule told) {
  rule = RowOf(told).rule;
  finding_class = RowOf(told).finding_class;
}

std::span<const RuleRow> Rules() { return kRules; }

const RuleRow* FindRule(std::string_view id) {
  const auto* found = std::find_if(std::begin(kRules), std::end(kRules),
                                   [id](const RuleRow& rule) { return rule.id == id; });
  return found == std::end(kRules) ? nullptr : found;
}

std::span<const std::string_view> RuleFamilies() { return kFamilies; }

std::string LinkOf(const RuleRow& rule) {
  if (rule.link.empty()) return "";
  std::string_view registry = "https://registry.khronos.org/OpenCL/specs/3.0-unified/html/";
  if (rule.link.starts_with("SPIRV.html")) {
    registry = "https://registry.khronos.org/SPIR-V/specs/unified1/";
  } else if (rule.link.starts_with("SPV_")) {
    registry = rule.link.starts_with("SPV_EXT")
                   ? "https://github.khronos.org/SPIRV-Registry/extensions/EXT/"
               : rule.link.starts_with("SPV_INTEL")
                   ? "https://github.khronos.org/SPIRV-Registry/extensions/INTEL/"
                   : "https://github.khronos.org/SPIRV-Registry/extensions/KHR/";
  }
  return std::string(registry) += rule.link;
}

bool IsNamed(const RuleRow& rule, std::string_view name) {
  if (name.empty()) return false;
  if (rule.id == name || rule.family == name) return true;
  if (rule.id.starts_with(name) && rule.id.substr(name.size()).starts_with('-')) return true;
  return rule.family.starts_with(name) && rule.family.substr(name.size()) == "s";
}

std::vector<const RuleRow*> RulesNamed(std::string_view name) {
  std::vector<const RuleRow*> rules;
  for (const RuleRow& rule : kRules) {
    if (IsNamed(rule, name)) rules.push_back(&rule);
  }
  return rules;
}

std::vector<std::string_view> CatalogueIds(const RuleRow& rule) {
  std::vector<std::string_view> ids;
  std::string_view rest = rule.catalogue;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    ids.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return ids;
}

bool IsHostRule(const RuleRow& rule) { return rule.family == "host"; }

bool IsDetected(const RuleRow& rule) {
  return std::find(std::begin(kNotReported), std::end(kNotReported), rule.rule) ==
         std::end(kNotReported);
}

std::vector<const RuleRow*> RulesOfCatalogue(std::string_view catalogue_id) {
  std::vector<const RuleRow*> rules;
  for (const RuleRow& rule : kRules) {
    const auto ids = CatalogueIds(rule);
    if (std::find(ids.begin(), ids.end(), catalogue_id) != ids.end()) rules.push_back(&rule);
  }
  return rules;
}

std::span<const NotDetected> RulesNotDetected() { return kNotDetected; }

}  // namespace assay::interp
