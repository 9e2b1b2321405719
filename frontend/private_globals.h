// Variables of a module's level in private memory, which SPIR-V does not allow.
//
// clang keeps the start value of an array in a structure that also holds a pointer to a variable in
// a global of its own, "constinit", and puts it into private memory.
#pragma once

#include <vector>

#include "frontend/loader.h"

namespace assay::frontend {

// The module with each such variable in every function that uses it, where it has the same start
// value.  Empty where there is none.
std::vector<Word> WithoutPrivateGlobals(const Binary& binary);

}  // namespace assay::frontend
