// Inputs that were worst or failed in earlier reports; they are tested first.
#pragma once

#include <string>

#include "base/expected.h"
#include "oracle/inputs/inputs.h"

namespace assay::oracle {

// Adds the worst inputs and the recorded failures of an assay-validate/1 report.
Expected<void> AddKnownWorst(const std::string& path, KnownWorst* known);

}  // namespace assay::oracle
