// Corrects work-item functions with an invalid dimension: get_global_id(3) is 0 and
// get_global_size(3) is 1 (OpenCL C, Work-Item Functions). llvm-spirv-15 translates them to a
// component of a vector of three for every dimension, which is invalid SPIR-V or undefined.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frontend/grammar.h"

namespace assay::frontend {

// Whether a module (with its header, in the machine's byte order) takes a component of a built-in
// variable that is computed, or that is not there.
bool TakesAnyDimension(std::span<const Word> words);

// LLVM IR as text, in which calls with a dimension that is not 0, 1 or 2 are guarded by a
// comparison, or are replaced by the function's result for an invalid dimension.
std::string WithGuardedDimensions(std::string_view ir);

}  // namespace assay::frontend
