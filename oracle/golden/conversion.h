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
#include "oracle/inputs/conversion_inputs.h"

namespace assay::oracle {

inline constexpr std::string_view kGoldenConversionSchema = "assay-golden-conversion/1";

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
