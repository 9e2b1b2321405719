// Findings as text, for stderr, where no `assay exec` collects them.
#pragma once

#include <string>

#include "driver/report/finding.h"

namespace assay::driver {

std::string ApiText(const ApiFinding& finding);
std::string FindingText(const LaunchFindings& launch, const interp::Finding& finding);
std::string LaunchText(const LaunchFindings& launch);

}  // namespace assay::driver
