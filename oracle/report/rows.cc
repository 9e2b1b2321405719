#include "oracle/report/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace assay::oracle {

const FunctionResult& ReportRow::Any() const {
  return **std::find_if(results.begin(), results.end(), [](const auto* r) { return r != nullptr; });
}

std::vector<ReportRow> AlignRows(std::span<const InputReport> reports) {
  std::vector<ReportRow> rows;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const FunctionResult& result : reports[i].report.results) {
      const auto key = std::pair(result.operation.Name(), result.operation.FormatName());
      const auto [place, added] = places.emplace(key, rows.size());
      if (added) {
        rows.push_back({.operation = result.operation,
                        .results = std::vector<const FunctionResult*>(reports.size())});
      }
      rows[place->second].results[i] = &result;
    }
  }
  return rows;
}

std::string ReportLetter(std::size_t index) {
  const std::string letter(1, static_cast<char>('A' + index % 26));
  return index < 26 ? letter : letter + std::to_string(index / 26 + 1);
}

std::array<std::size_t, 4> CountVerdicts(const Report& report) {
  std::array<std::size_t, 4> counts{};
  for (const FunctionResult& result : report.results) {
    ++counts[static_cast<std::size_t>(result.verdict)];
  }
  return counts;
}

std::string CountText(const Report& report) {
  const auto [pass, fail, unsupported, not_measured] = CountVerdicts(report);
  return fmt::format("{} pass, {} fail, {} unsupported, {} not measured", pass, fail, unsupported,
                     not_measured);
}

}  // namespace assay::oracle
