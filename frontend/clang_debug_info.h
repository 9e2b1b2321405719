// Debug information for modules that clang-22 compiles.  Its SPIR-V back end writes none, but it
// can print the machine instructions from which it writes the module, with source locations and
// variables.  These are put into the module in the form that llvm-spirv uses for clang-15.
#pragma once

#include <vector>

#include "frontend/clang_dump.h"
#include "frontend/loader.h"

namespace assay::frontend {

// The words of the module with debug information; empty where there is nothing to add.  A function
// that does not agree with its dump to the last instruction stays as it is.
std::vector<Word> AddClangDebugInfo(const Binary& module, const ClangDump& dump);

}  // namespace assay::frontend
