// NaNs and infinities in what a run leaves: how to find where they come from.
#pragma once

#include <string>

#include "tools/run/report.h"

namespace assay::tools {

// One line about --detect all,nan.  Empty where that was asked, and where all numbers in buffers
// that kernels may write are finite.
std::string NonFiniteNote(const RunReport& report);

}  // namespace assay::tools
