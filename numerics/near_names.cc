#include "numerics/near_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "numerics/format.h"

namespace assay::numerics {

// The "optimal string alignment" distance: a row of the table at a time, the last two kept.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string NearNames(std::string_view name, std::span<const std::string> candidates) {
  // A third of the letters wrong is no longer a slip of the finger.
  const std::size_t furthest = std::max<std::size_t>(1, name.size() / 3);
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = EditDistance(name, candidate);
    if (distance <= furthest) near.emplace_back(distance, candidate);
  }
  std::sort(near.begin(), near.end());
  if (near.size() > 3) near.resize(3);
  std::string meant;
  for (std::size_t i = 0; i < near.size(); ++i) {
    const std::string_view separator = i == 0 ? "" : i + 1 == near.size() ? " or " : ", ";
    meant += fmt::format("{}'{}'", separator, near[i].second);
  }
  return meant;
}

std::string DidYouMean(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = NearNames(name, candidates);
  return near.empty() ? "" : "did you mean " + near + "? ";
}

std::string DidYouMeanFormat(std::string_view name) {
  std::vector<std::string> names;
  for (const Format format : kAllFormats) names.emplace_back(Traits(format).name);
  return DidYouMean(name, names);
}

}  // namespace assay::numerics
