// The results that a product of matrices may have in any order, if no step is less precise than the
// accumulator's format.
//
// No specification limits the sums (SPV_KHR_cooperative_matrix leaves order and precision open, and
// OpenCL's draft names neither).  This is the weakest promise that a program can be written
// against, and what devices with shorter sums break.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numerics/matrix/line.h"
#include "numerics/matrix/model.h"

namespace assay::numerics::matrix {

struct ProductRange {
  enum class Kind : std::uint8_t {
    kRange,     // from low to high, by value: both zeros are one
    kNan,       // any NaN
    kAnything,  // a partial sum may overflow, or there are more terms than the format has units
  };
  Kind kind = Kind::kRange;
  std::uint32_t low = 0, high = 0;  // bits of the accumulator's format; infinity is one number more

  bool Contains(const Model& model, std::uint32_t bits) const;
};

// Contains c + the sum of `length` products for every order and grouping, where each product and
// each partial sum is rounded to the accumulator's format, in any direction, or kept more
// precisely.  An enclosure: with n products and u = 2^-mantissa_bits, the bound of Higham,
// "Accuracy and Stability of Numerical Algorithms", 2nd edition, 3.1, gamma(n + 1) times the sum of
// the magnitudes, and the smallest number for each step.  Of floats (model.input is no format of
// integers).
ProductRange RangeOfProduct(const Model& model, const Line& a, const Line& b, std::size_t length,
                            std::uint32_t c);

}  // namespace assay::numerics::matrix
