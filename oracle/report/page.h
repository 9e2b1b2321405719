// The data of the page of `assay report --html`, as compact JSON, and `assay report --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "oracle/report/changes.h"
#include "oracle/report/input.h"

namespace assay::oracle {

inline constexpr std::string_view kComparisonSchema = "assay-report/1";

// The reports with their names and counts, and the changes between versions.
nlohmann::ordered_json ComparisonToJson(std::span<const InputReport> reports,
                                        const std::vector<Changes>& changes,
                                        const std::vector<std::string>& notes);

// The page's data, with short names, which page.cc explains.  Errors of binades have three
// digits, and formats with more than 512 binades have several to a step.
nlohmann::ordered_json PageData(std::span<const InputReport> reports,
                                const std::vector<Changes>& changes,
                                const std::vector<std::string>& notes);

// At most this many steps are plotted over the input axis.
inline constexpr int kMaxPlotSteps = 512;

}  // namespace assay::oracle
