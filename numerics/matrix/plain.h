// Dot products whose arithmetic the formats define: exact, and chains and trees of IEEE operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/matrix/line.h"
#include "numerics/matrix/model.h"

namespace assay::numerics::matrix {

// Of `length` products of elements of model.input; c and the result are of model.accumulator.
// Every NaN result is model.nan.
std::uint32_t ExactDot(const Model& model, const Line& a, const Line& b, std::size_t length,
                       std::uint32_t c);
std::uint32_t SequentialDot(const Model& model, const std::uint32_t* a, const std::uint32_t* b,
                            std::size_t length, std::uint32_t c);
std::uint32_t TreeDot(const Model& model, const std::uint32_t* a, const std::uint32_t* b,
                      std::size_t length, std::uint32_t c);

// |d - exact| in ulp (multiply.h).
double ExactError(const Model& model, const Line& a, const Line& b, std::size_t length,
                  std::uint32_t c, std::uint32_t d);
// x + y in the accumulator's format, rounded to nearest even.
std::uint32_t IeeeSum(const Model& model, std::uint32_t x, std::uint32_t y);

}  // namespace assay::numerics::matrix
