// Whether an operation has the operands that its row of interp/program/opcodes.def or
// interp/program/operations.def says. Handlers trust that a register is as wide as they read it;
// here is where that is made sure, when an instruction is made and once more when all passes are
// done.  Internal to importing and lowering.
#pragma once

#include "interp/import/import.h"

namespace assay::interp {

// The instruction's operands and results are values of the kernel's graph; its immediate is a place
// in the kernel's tables where the operation has one.
bool OperandsFit(const ImportedKernel& kernel, const IrInstruction& instruction);

}  // namespace assay::interp
