// What is known of SPIR-V's atomic instructions beside the grammar.
#pragma once

#include "frontend/spirv.h"

namespace assay::frontend {

// Atomics of one family may be done in any order without a difference, if nobody looks at what they
// return; 0: of none.
int OrderlessFamily(Op opcode);

}  // namespace assay::frontend
