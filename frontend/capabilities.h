// The capabilities, extensions and extended instruction sets that assay executes.  The rows are
// data (capabilities.def). A module that is not for OpenCL is refused when it is loaded.  In any
// other module, only the kernels are refused that need something that is not executed
// (kernel_needs.h); the message names it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/decode.h"
#include "frontend/loader.h"

namespace assay::frontend {

class Module;
struct Instruction;

// kUnsupported with one line for each capability that says that the module is not for OpenCL, or
// that nothing is known of.
Expected<void> CheckCapabilities(const Binary& binary);

// Whether the module has anything that is not executed, so that each kernel must be checked.
bool MayRefuse(const Module& module);

// Why a kernel with such an instruction is not executed, "instruction OpImageRead is not supported:
// ...", whatever its operands are; empty for one that may be.
std::string RefusalOf(Op opcode);

// Appends one line for each reason why an instruction is not executed: "OpImageRead is not
// supported: ...". `operands` are its operands, split by the grammar.
void AddRefusals(const Module& module, const Instruction& instruction,
                 std::span<const Operand> operands, std::vector<std::string>* refusals);

bool IsSupported(Capability capability);
bool IsSupportedExtension(std::string_view name);

}  // namespace assay::frontend
