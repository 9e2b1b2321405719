// Control flow: the edges between a function's blocks, and an order in which to visit them.
#pragma once

#include "frontend/module.h"

namespace assay::frontend {

// Fills the successors, predecessors and order of a function's blocks.  kUsage for a block without
// a terminator, or a branch to a target that is not a block of the function.
Expected<void> BuildControlFlow(Module* module, Function* function);

// Whether an instruction ends a block.
bool IsTerminator(Op opcode);

}  // namespace assay::frontend
