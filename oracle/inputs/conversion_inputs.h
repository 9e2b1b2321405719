// Operands of a conversion between small formats (numerics/small_float/named_conversion.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"
#include "numerics/small_float/named_conversion.h"
#include "oracle/inputs/inputs.h"

namespace assay::oracle {

struct ConversionVector {
  numerics::small_float::Bits bits = 0;
  std::uint32_t word = 0;  // of stochastic rounding
  std::string reason;      // special, boundary, random, exhaustive
};

// Boundaries are the numbers of the target, the midpoints between them, and both neighbours of each
// in the source.  kUsage if the level is exhaustive and the source has more than 16 bits.
Expected<std::vector<ConversionVector>> ChooseConversionInputs(
    const numerics::small_float::NamedConversion& conversion, Level level, std::uint64_t samples,
    std::uint64_t seed);

// All encodings of a source of at most 16 bits; kUsage where it has more.
Expected<std::vector<ConversionVector>> AllConversionInputs(
    const numerics::small_float::NamedConversion& conversion);
inline constexpr int kMostExhaustiveBits = 16;

}  // namespace assay::oracle
