// --range LO,HI of `assay validate`.
#pragma once

#include <vector>

#include "base/expected.h"
#include "oracle/sweep/sweep.h"
#include "tools/assay/validate_options.h"

namespace assay::tools {

// kUsage where the option is no range, or where other options bring all inputs.
Expected<void> CheckRange(const ValidateOptions& options);

// After CheckRange.  Puts the range into `sweep`, and takes operations without a floating-point
// operand away, with a note on stderr.  kUsage where none is left, where a format has no number in
// the range, and where raw bits are given for several formats.
Expected<void> LimitToRange(const ValidateOptions& options,
                            std::vector<numerics::Operation>* operations,
                            oracle::SweepOptions* sweep);

}  // namespace assay::tools
