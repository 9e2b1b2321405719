// Checks, once for a kernel, the properties on which lowering relies: SPIRV-Tools accepts some
// modules whose operands have types that their instructions do not allow.  Internal to lowering.
#pragma once

#include "interp/import/import.h"

namespace assay::interp {

// kUsage, with the SPIR-V instruction, where an operand's width is not what the operation reads.
Expected<void> VerifyOperands(const frontend::Module& module, const ImportedKernel& kernel);

// Whether the value and the result of a work-group function are of the types that it takes (SPIR-V
// 3.52.21).
bool TakesInGroup(const frontend::Module& module, const frontend::Instruction& instruction);

// The same as VerifyOperands where no function executes an operation on its kind.
Expected<void> VerifyHandlers(const frontend::Module& module, const Program& program);

}  // namespace assay::interp
