// The table on stdout: one line an operation, in the columns that scripts rely on (docs/cli.md).
#pragma once

#include <string>
#include <vector>

#include "oracle/campaign.h"

namespace assay::oracle {

// function format limit max_ulp worst_input observed expected inputs verdict
std::string TableHeader();
std::string TableRow(const FunctionResult& result);

// Why an operation is unsupported, or was not measured in full: one entry a reason, with the
// command that asks again where there is one.
std::vector<std::string> Troubles(const RunInfo& run, const FunctionResult& result);

// What follows the table: the totals, and for every operation that failed or was not measured the
// reason and the command that shows it.
std::string TableSummary(const Report& report);

}  // namespace assay::oracle
