// Golden vectors of conversions between small formats (numerics/small_float/named_conversion.h).
//
// A conversion has one right answer, so all profiles accept the same.  NaN may be any NaN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/small_float/named_conversion.h"
#include "oracle/inputs/inputs.h"

namespace assay::oracle {

inline constexpr std::string_view kGoldenConversionSchema = "assay-golden-conversion/1";

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

// JSON with one vector a line, which ends in its SHA-256 (file.h).
std::string EncodeGoldenConversion(const numerics::small_float::NamedConversion& conversion,
                                   const std::vector<ConversionVector>& vectors,
                                   const std::string& tool, const std::string& command);

// convert_e4m3_sat_rte.f32.json
std::string ConversionFileName(const numerics::small_float::NamedConversion& conversion);

// The content that the operands in a file of this schema give; nothing: it is of another schema.
// kUsage names what is missing.
std::optional<Expected<std::string>> ConversionAgain(std::string_view content);

}  // namespace assay::oracle
