// Checks, once for a kernel, the properties on which lowering relies: SPIRV-Tools accepts some
// modules whose operands have types that their instructions do not allow.  Internal to lowering.
#pragma once

#include "interp/import/import.h"

namespace assay::interp {

// kUsage, with the SPIR-V instruction, if an operand has not the width that the operation reads.
Expected<void> VerifyOperands(const frontend::Module& module, const ImportedKernel& kernel);

// Whether the value and the result of a work-group function have valid types (SPIR-V 3.52.21).
bool TakesInGroup(const frontend::Module& module, const frontend::Instruction& instruction);

// The same error as VerifyOperands if there is no handler for an operation on its kind.
Expected<void> VerifyHandlers(const frontend::Module& module, const Program& program);

}  // namespace assay::interp
