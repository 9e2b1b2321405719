// Replaces LLVM's constrained floating-point intrinsics by the instructions that they stand for.
//
// With -frounding-math clang computes nothing of constants itself, and calls
// llvm.experimental.constrained.fmul where there is a multiplication.  SPIR-V has the plain
// instructions.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// The option, and what clang has to be told so that it has an effect.
inline constexpr std::string_view kRoundingMath = "-frounding-math";

// IR as text in which each call of such an intrinsic is an instruction, or the call of an intrinsic
// that is not constrained, with the same operands, name and debug information.  A call that is not
// known stays.
std::string WithoutConstrained(std::string_view ir);

}  // namespace assay::frontend
