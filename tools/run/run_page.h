// The report of `assay run` as a page.
#pragma once

#include <string>

#include "tools/run/report.h"

namespace assay::tools {

// What was found, by place and with counts; what other devices may leave; how runs differ.
std::string RunPage(const RunReport& report);

}  // namespace assay::tools
