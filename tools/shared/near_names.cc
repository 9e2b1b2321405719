#include "tools/shared/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "interp/rules/rule.h"
#include "numerics/near_names.h"

namespace assay::tools {

std::vector<std::string> NearNames(std::string_view name,
                                   std::span<const std::string_view> candidates) {
  constexpr std::size_t kShown = 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  if (name.empty()) return {};
  for (const std::string_view candidate : candidates) {
    std::size_t distance = numerics::EditDistance(name, candidate);
    // Part of a name is how people ask: "null", "division".
    if (name.size() >= 3 && candidate.find(name) != std::string_view::npos) distance = 1;
    // Of a short name two letters are half of it.
    const std::size_t most = name.size() <= 4 ? 1 : std::max<std::size_t>(2, name.size() / 3);
    if (distance <= most) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(near.size(), kShown); ++i) names.push_back(near[i].second);
  return names;
}

std::string UnknownValue(std::string_view value, std::span<const std::string_view> values) {
  const std::vector<std::string> near = NearNames(value, values);
  const std::string all = fmt::format("t is one of {}", fmt::join(values, ", "));
  if (near.empty() || near.size() == values.size()) {
    return fmt::format("unknown value '{}'; i{}", value, all);
  }
  return fmt::format("unknown value '{}'; did you mean {}? I{}", value, fmt::join(near, ", "), all);
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
