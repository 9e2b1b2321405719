// Functions of Intel's extensions of OpenCL C: declarations of those of cl_intel_subgroups and its
// kin, which clang's own header has and the table of functions that clang uses instead of it has
// not; and the products of matrices, which no compiler defines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::frontend {

// What comes before a source that names these functions; "" for others.  Internal to the
// compilation of OpenCL C.
std::string IntelFunctions(std::string_view source);

// intel_sub_group_ELEMENTS_matrix_mad_kK: a product of M x K and K x N, where N is the size of the
// sub-group (cl_intel_subgroup_matrix_multiply_accumulate and its kin for TF32).  A compiler leaves
// it as an import, and nobody links anything to it.
struct MatrixFunction {
  std::string_view elements;  // of A and B, such as "i8_u8"
  std::uint32_t k;
  // Matrix Multiply Accumulate Operands (SPV_INTEL_subgroup_matrix_multiply_accumulate), where the
  // sum is float or int.
  std::uint32_t operands;
};
std::optional<MatrixFunction> FindMatrixFunction(std::string_view name);

}  // namespace assay::frontend
