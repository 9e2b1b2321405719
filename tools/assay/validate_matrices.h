// assay validate DEVICE --functions @matrix (docs/validation.md, "Matrices").
#pragma once

#include "base/expected.h"
#include "tools/assay/validate_options.h"

namespace assay::tools {

// Are matrix instructions asked?  kUsage where other options do not go with them.
Expected<bool> AsksForMatrices(const ValidateOptions& options);

// The command's exit code.
int ValidateMatrixDevice(const ValidateOptions& options);

}  // namespace assay::tools
