// The short form of a report's JSON, which people keep and commit.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace assay::oracle {

// Takes the errors by operand (binades, plane) out of a report of ReportToJson: most of its bytes.
// Pages and plots of `assay report` need them; baselines, merges and --worst-from do not.
void LeaveOutErrorsByOperand(nlohmann::ordered_json* report);

}  // namespace assay::oracle
