// Findings as SARIF 2.1.0 (OASIS, 27 March 2020), for editors and code hosting.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tools/assay/run_report.h"

namespace assay::tools {

// One run: a rule for each that has a finding, hidden findings with their suppression.
nlohmann::ordered_json SarifOf(const RunReport& report);

}  // namespace assay::tools
