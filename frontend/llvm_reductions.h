// Replaces LLVM's reductions of vectors, which llvm-spirv-15 does not translate.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// IR as text in which each "llvm.vector.reduce" of integers is one operation after the other on the
// vector's elements.  Those of floating-point numbers stay.
std::string WithoutReductions(std::string_view ir);

}  // namespace assay::frontend
