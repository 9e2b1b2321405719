// Functions that `assay validate` and `assay report` share: writing the page, and the exit code.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "oracle/report/changes.h"
#include "oracle/report/input.h"

namespace assay::tools {

// One HTML document that needs nothing else: style, script and data stand in it, and its content
// security policy allows no network.
std::string ReportPage(std::span<const oracle::InputReport> reports,
                       const std::vector<oracle::Changes>& changes,
                       const std::vector<std::string>& notes);

// 1 where an operation fails, else 4 where one was not measured, else 3 where all are unsupported.
int VerdictExitCode(const oracle::Report& report);

}  // namespace assay::tools
