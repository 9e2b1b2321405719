// The function that has a kernel's body. Since version 20 clang puts it there, so that other
// functions can call it: the kernel NAME calls the function __clang_ocl_kern_imp_NAME.
#pragma once

#include <string_view>

namespace assay::frontend {

inline constexpr std::string_view kKernelBodyPrefix = "__clang_ocl_kern_imp_";

}  // namespace assay::frontend
