// A defect of SPIRV-Tools 2023.1.  Internal to validation.
#pragma once

#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

// Whether a half store of OpenCL.std stores a value that is not a number (the void result of
// another store, or a pointer): SPIRV-Tools 2023.1 reads its width and crashes.
bool StoresNoNumber(const std::vector<Word>& words);

}  // namespace assay::frontend
