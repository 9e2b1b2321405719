// What OpenCL C says of a kernel's parameters and what SPIR-V has no words for: strings in the
// module (OpString) in the form in which llvm-spirv writes them.  Internal to the compilation of
// OpenCL C and to kernel_info.h.
//
//     OpString "kernel_arg_type.KERNEL.float4*,int,"
//     OpString "kernel_arg_type_qual.KERNEL.restrict const,,"
//     OpString "kernel_arg_name.KERNEL.in,n,"              (only of clang-22)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/grammar.h"

namespace assay::frontend {

inline constexpr std::string_view kArgumentType = "kernel_arg_type";
inline constexpr std::string_view kArgumentQualifiers = "kernel_arg_type_qual";
inline constexpr std::string_view kArgumentName = "kernel_arg_name";

// The module with these strings for each kernel of `ir`, LLVM's text of the same program.  `words`
// are those of a Binary.
std::vector<Word> WithKernelStrings(const std::vector<Word>& words, std::string_view ir);

}  // namespace assay::frontend
