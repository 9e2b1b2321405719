// Removes address spaces from LLVM's debug expressions.  Internal to the compilers.
#pragma once

#include <string>
#include <string_view>

namespace assay::frontend {

// The text of a module's IR without them.  clang says of every variable of OpenCL C that its
// address is in an address space (DW_OP_constu, 0, DW_OP_swap, DW_OP_xderef). When LLVM's optimizer
// splits a variable into registers, it drops debug expressions that it cannot split, so every
// structure would be optimized out.  No information is lost, because the types have the address
// spaces, too.
std::string WithoutAddressSpaceExpressions(std::string_view ir);

}  // namespace assay::frontend
