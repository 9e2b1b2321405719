// Barriers and fences as the SPIR-V instructions that they are.
//
// Both compilers want constants for their flags, order and scope: llvm-spirv-15 ends itself over
// others, and clang-22 takes flags that it cannot read for none, without a word.  SPIR-V has
// no such limit: memory semantics and scopes may be computed (SPIR-V, Memory Semantics <id>).
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// What the functions' names have in common that stand for instructions of SPIR-V.
inline constexpr std::string_view kPlainBarrierPrefix = "__spirv_";

// Which calls become instructions of SPIR-V.
enum class PlainBarriers : std::uint8_t {
  kComputed,  // what has an operand that is no constant
  // Those, and what clang-22 does not know, or gets wrong: sub_group_barrier and mem_fence stay
  // calls, and a barrier's memory scope becomes its execution scope, too.
  kForClang22,
};

// Whether LLVM IR as text has such calls.
bool HasOtherBarriers(std::string_view ir, PlainBarriers which);

// The IR with calls of __spirv_ControlBarrier and __spirv_MemoryBarrier in their place, which both
// compilers translate operand by operand.
std::string WithPlainBarriers(std::string_view ir, PlainBarriers which);

}  // namespace assay::frontend
