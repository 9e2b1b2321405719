// Products of whole matrices by a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/matrix/model.h"

namespace assay::numerics::matrix {

struct Shape {
  std::size_t m = 0, n = 0, k = 0;
};

// d = c + a b: a is m x k, b is k x n with b[k][n], c and d are m x n, row by row; elements are
// bits of the model's formats.  The instructions follow each other in order of k; k is filled up
// with positive zeros to a multiple of the instruction's.
void Multiply(const Model& model, const Shape& shape, const std::uint32_t* a,
              const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* d, int threads);

// |d - exact| in ulp of the accumulator's format at the exact sum.  0 where both are NaN, or the
// same infinity after rounding; infinite where one is NaN or infinite and the other is not.
void MultiplyErrors(const Model& model, const Shape& shape, const std::uint32_t* a,
                    const std::uint32_t* b, const std::uint32_t* c, const std::uint32_t* d,
                    double* errors, int threads);

// The names of the models that are part of assay: those of devices, such as nvidia-hopper-mma.
std::vector<std::string_view> DeviceModels();
// exact, ieee-sequential, ieee-tree, and the devices'.
std::vector<std::string_view> ModelNames();

// The model of two formats: `name` as above, or else `text`, the content of a model file of that
// name, if it is not empty.  kUsage for an unknown name; kUnsupported where the model has no such
// instruction.
Expected<Model> FindModel(std::string_view name, std::string_view text, std::string_view input,
                          std::string_view accumulator);

}  // namespace assay::numerics::matrix
