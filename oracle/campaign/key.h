// Everything that a result depends on: two runs with the same key give the same report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "oracle/campaign/campaign.h"

namespace assay::oracle {

nlohmann::ordered_json KeyOf(const DeviceDescription& device, const RunInfo& run,
                             const std::vector<numerics::Operation>& operations);

// The first field in which two values differ, with both values.
std::string DifferenceOf(const nlohmann::ordered_json& mine, const nlohmann::ordered_json& theirs);

}  // namespace assay::oracle
