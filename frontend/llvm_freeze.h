// Removes LLVM's instruction freeze, which llvm-spirv-15 does not translate.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// IR as text in which each "freeze T V" is "select i1 true, T V, T V": the same value, under the
// same name.  A value that is undefined stays so, as in the source that the optimizer read.
std::string WithoutFreeze(std::string_view ir);

}  // namespace assay::frontend
