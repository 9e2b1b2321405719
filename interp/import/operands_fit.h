// Checks that an operation has the operands that its row of interp/program/opcodes.def or
// interp/program/operations.def requires.  Handlers rely on the width of registers; this is checked
// when an instruction is made, and again after all passes.  Internal to importing and lowering.
#pragma once

#include "interp/import/import.h"

namespace assay::interp {

// The instruction's operands and results are values of the kernel's graph.  If the operation has an
// immediate, it is an index in the kernel's tables.
bool OperandsFit(const ImportedKernel& kernel, const IrInstruction& instruction);

}  // namespace assay::interp
