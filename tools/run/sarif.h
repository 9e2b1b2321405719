// Findings as SARIF 2.1.0 (OASIS, 27 March 2020), for editors and code hosting.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tools/run/report.h"

namespace assay::tools {

// One run: a rule for each that has a finding, hidden findings with their suppression.  Files below
// `folder`, the one that the command was given in, are named from there (%SRCROOT%): so consumers
// find them in their copy of the sources.
nlohmann::ordered_json SarifOf(const RunReport& report, const std::string& folder);

}  // namespace assay::tools
