#include "tools/shared/near_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

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

}  // namespace assay::tools
