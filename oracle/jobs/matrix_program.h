// A SPIR-V module that multiplies tiles, for devices with SPV_KHR_cooperative_matrix.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::oracle {

struct MatrixTile {
  std::string input, accumulator;  // as in numerics/matrix/model.h, and f64, s16, u8, u32, ...
  int m = 0, n = 0, k = 0;
};

// Of each work-group so many work-items: a multiple of every sub-group size that devices have.
inline constexpr std::uint32_t kMatrixWorkItems = 64;

// Bytes of an element; 0: SPIR-V of OpenCL's extension has no such type.
std::uint32_t MatrixElementBytes(std::string_view format);

// The kernel `product`(a, b, c, d, count): sub-group i of all computes d = a b + c of tile i, if i
// is less than count; tiles follow each other, row by row.  Nothing for other formats.
std::optional<std::string> MatrixProgram(const MatrixTile& tile);

}  // namespace assay::oracle
