// Validation by SPIRV-Tools: the rules that go beyond decoding.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/loader.h"

namespace assay::frontend {

// Returns the validator's warnings, and warnings about errors that drivers accept ("quirks": the
// table in validate.cc). Any other error is kUsage with the validator's message and the
// instruction.  SPIR-V 1.0 to 1.2 are checked by the rules of OpenCL 2.2, and later versions only
// by the rules of their version: SPIRV-Tools has no OpenCL environment for them.  It runs in a
// child process, because small modules can cost it hours and all memory: kDevice where the budget
// is reached, or SPIRV-Tools crashes.
Expected<std::vector<std::string>> Validate(const Binary& binary, const base::Budget& budget = {});

}  // namespace assay::frontend
