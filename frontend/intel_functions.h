// Declarations of the functions of cl_intel_subgroups and its kin, which clang's own header has and
// the table of functions that clang uses instead of it has not.  Internal to the compilation of
// OpenCL C.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// What comes before a source that names these functions; "" for others.
std::string IntelFunctions(std::string_view source);

}  // namespace assay::frontend
