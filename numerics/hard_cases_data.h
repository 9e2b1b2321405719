// The embedded tables (generate_hard_cases.py makes the source).  Internal to numerics; callers use
// hard_cases.h.
#pragma once

#include <span>

#include "numerics/hard_cases.h"

namespace assay::numerics {

std::span<const HardCase> EmbeddedHardCases(Function function, Format format);

}  // namespace assay::numerics
