// Finds for each instruction of a SPIR-V function the machine instruction of clang-22 from which it
// was written.  Internal to debug information.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "frontend/clang_dump.h"
#include "frontend/grammar.h"

namespace assay::frontend {

struct MachineMatch {
  static constexpr std::uint32_t kNone = 0xffffffff;
  // By instruction of the function, OpFunction first and OpFunctionEnd last: a place in
  // MachineFunction::instructions, or kNone for OpLabel and OpFunctionEnd.
  std::vector<std::uint32_t> sources;
  std::unordered_map<std::uint32_t, Id> ids;  // by register
};

// `function` is the words from OpFunction to OpFunctionEnd.  Every opcode, the results, and the
// operands that are registers or blocks have to agree: nothing is guessed where one does not.
std::optional<MachineMatch> MatchMachineFunction(const MachineFunction& machine,
                                                 std::span<const Word> function);

}  // namespace assay::frontend
