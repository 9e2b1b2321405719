// Addresses that are constants, as llvm-spirv writes them from version 18 on, and clang-22.
//
// LLVM says them in bytes: `getelementptr (i8, ptr @table, i64 8)`.  These compilers write
// OpSpecConstantOp PtrAccessChain with the 8 and a result that points to bytes, but with a base
// that points to the whole array, of which SPIR-V counts 8 then (SPIR-V, OpPtrAccessChain).  A cast
// is missing.
#pragma once

#include <string>

namespace assay::frontend {

// The module's bytes with those casts of the base.
std::string WithConstantAddresses(std::string bytes);

}  // namespace assay::frontend
