// A row of a or a column of b, as numbers for the inner loops.
#pragma once

#include <cstdint>

namespace assay::numerics::matrix {

// The value of a finite element is significand * 2^(exponent - mantissa bits of the format).
struct Line {
  const std::int32_t* significand;
  const std::int32_t* exponent;
  const std::uint32_t* bits;
};

// Exponents of infinity and NaN, and of zeros: beyond every other, also in the sum with another
// one's.  A sum of two exponents from kLeastSpecial on is that of a special product.
inline constexpr std::int32_t kSpecialExponent = 1 << 24;
inline constexpr std::int32_t kZeroExponent = -(1 << 20);
inline constexpr std::int32_t kLeastSpecial = kSpecialExponent / 2;

// The largest block of a model.
inline constexpr int kMaxBlock = 64;

}  // namespace assay::numerics::matrix
