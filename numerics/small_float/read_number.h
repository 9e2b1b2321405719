// Numbers of small formats as users write them.
#pragma once

#include <cstdint>
#include <string>

#include "base/expected.h"
#include "numerics/small_float/format.h"

namespace assay::numerics::small_float {

// Decimal or a C hexadecimal float ("0x1.8p+0"), which must be a number of the format; raw bits
// ("0x38"); inf, nan.  kUsage names the two neighbours where it is no number of the format.
Expected<Bits> ReadNumber(const Format& format, const std::string& text);

// The word of stochastic rounding: a whole number of 32 bits, decimal or hexadecimal.
Expected<std::uint32_t> ReadWord(const std::string& text);

}  // namespace assay::numerics::small_float
