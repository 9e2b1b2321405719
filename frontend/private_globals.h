// Moves module-scope variables out of private memory, where SPIR-V does not allow them.
//
// If a structure holds an array and also a pointer to a variable, clang keeps the array's initial
// value in a global of its own, "constinit", in private memory.
#pragma once

#include <vector>

#include "frontend/loader.h"

namespace assay::frontend {

// The module with each such variable in every function that uses it, where it has the same start
// value.  Empty where there is none.
std::vector<Word> WithoutPrivateGlobals(const Binary& binary);

}  // namespace assay::frontend
