// How the values that a job leaves differ between its runs (--imprecision with --many-seeds, or
// worst): as text, as JSON and as a plot.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/run/report.h"

namespace assay::tools {

class Spread {
 public:
  // The buffers of a run, in any order of the runs.
  void Add(std::span<const ReportedBuffer> buffers);
  ReportedSpread Take() { return std::move(spread_); }

 private:
  ReportedSpread spread_;
};

// The largest difference of a value between two runs, in numbers of its format or in integers; a
// NaN in one of them only is farther than all.
struct Distance {
  std::uint64_t steps = 0;
  std::size_t buffer = 0;
  std::uint64_t component = 0;
};
Distance DistanceOf(std::span<const ReportedBuffer> one, std::span<const ReportedBuffer> other);

// A line a buffer, and the search of --imprecision worst.  "" where nothing was compared.
std::string SpreadText(const RunReport& report);
nlohmann::ordered_json SpreadJson(const RunReport& report);
// A table, and a plot of each buffer whose values differ.
std::string SpreadPage(const RunReport& report);

}  // namespace assay::tools
