#include "tools/run/rule_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "interp/rules/detector.h"
#include "interp/rules/rule.h"
#include "tools/shared/near_names.h"
#include "tools/shared/option_values.h"

namespace assay::tools {

CLI::Validator SuggestDetectors() {
  std::vector<std::string_view> names = {"all", "none"};
  for (const interp::Detector detector : interp::AllDetectors()) {
    names.push_back(interp::DetectorName(detector));
  }
  return SuggestForList(names);
}

CLI::Validator SuggestRules() {
  std::vector<std::string_view> names(interp::RuleFamilies().begin(), interp::RuleFamilies().end());
  for (const interp::RuleRow& rule : interp::Rules()) names.push_back(rule.id);
  return Suggest(names);
}

std::string UnknownRule(std::string_view name, std::string_view otherwise) {
  std::vector<std::string_view> candidates;
  for (const interp::RuleRow& rule : interp::Rules()) candidates.push_back(rule.id);
  // All that IsNamed takes: families, one of them ("race"), the first word of an id ("barrier").
  for (std::string_view family : interp::RuleFamilies()) {
    candidates.push_back(family);
    if (family.ends_with('s')) candidates.push_back(family.substr(0, family.size() - 1));
  }
  for (const interp::RuleRow& rule : interp::Rules()) {
    const std::string_view word = rule.id.substr(0, rule.id.find('-'));
    if (std::ranges::find(candidates, word) == candidates.end()) candidates.push_back(word);
  }
  const std::vector<std::string> near = NearNames(name, candidates);
  if (near.empty()) return fmt::format("unknown rule '{}'; {}", name, otherwise);
  return fmt::format("unknown rule '{}'; did you mean {}?", name, fmt::join(near, ", "));
}

}  // namespace assay::tools
