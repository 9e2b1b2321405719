// Adds the lines, scopes and variables of a function's machine instructions to its SPIR-V
// instructions.  Internal to debug information.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "frontend/clang_dump.h"
#include "frontend/debug_writer.h"
#include "frontend/llvm_debug_records.h"
#include "frontend/machine_match.h"
#include "frontend/value_shape.h"

namespace assay::frontend {

struct MatchedFunction {
  const MachineFunction& machine;
  const MachineMatch& match;
  std::span<const Word> words;  // from OpFunction to OpFunctionEnd
  const ValueShapes& shapes;    // of the module
};

// Nothing if there are none, or if a location contradicts the dump.
std::optional<std::vector<Word>> WriteFunctionDebugInfo(const MatchedFunction& function,
                                                        LlvmDebugRecords* records,
                                                        DebugWriter* writer);

}  // namespace assay::frontend
