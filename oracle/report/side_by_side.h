// Several reports on a terminal: the devices, their results side by side, and what has changed
// between versions.  In 80 columns, but for commands and the wide table.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oracle/report/brief.h"
#include "oracle/report/changes.h"
#include "oracle/report/input.h"

namespace assay::oracle {

// The devices, each with its counts, and a row for each operation:
//   kBrief  that fails or was not measured in a report, or has other verdicts in different reports
//   kRows   each
//   kWide   each, on one line, as scripts read it:
//           function format limit A:max_ulp A:verdict B:max_ulp B:verdict ...
std::string SideBySideTable(TableKind kind, std::span<const InputReport> reports);

// The changes between versions: a paragraph per operation, with a command for a new failure.
std::string ChangesText(std::span<const InputReport> reports, const std::vector<Changes>& all);

}  // namespace assay::oracle
