// Products of matrices of OCP MX blocks: each 32 elements along k share a scale
// (numerics/small_float/mx_block.h).
#pragma once

#include <cstdint>

#include "numerics/matrix/multiply.h"
#include "numerics/small_float/format.h"

namespace assay::numerics::matrix {

struct ScaledFormats {
  const small_float::Format* a = nullptr;
  const small_float::Format* b = nullptr;
  const small_float::Format* accumulator = nullptr;  // f16, bf16 or f32
};

// d = c + the sum of scale_a * scale_b * a * b, exact and rounded once to nearest even: OCP MX 1.0,
// 6.2, DotGeneral, whose order and precision the standard leaves open.  k is a multiple of 32;
// scale_a is m x k / 32 and scale_b is k / 32 x n, row by row, bits of E8M0.
void MultiplyScaled(const ScaledFormats& formats, const Shape& shape, const std::uint32_t* a,
                    const std::uint32_t* b, const std::uint32_t* scale_a,
                    const std::uint32_t* scale_b, const std::uint32_t* c, std::uint32_t* d,
                    int threads);

}  // namespace assay::numerics::matrix
