// SPIR-V modules that convert between small formats: SPV_EXT_float8, SPV_KHR_bfloat16 and
// SPV_INTEL_bfloat16_conversion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numerics/small_float/named_conversion.h"

namespace assay::oracle {

struct ConversionProgram {
  std::string name;  // convert_e4m3_sat_rte
  numerics::small_float::NamedConversion conversion;
  std::string_view extension;
  std::string text;  // the kernel `convert`(from, to, count): one number a work-item
};

// All that the extension has; `extensions` are those that a device lists.  The conversions round to
// nearest even, as OpenCL's do without a decoration.
std::vector<ConversionProgram> ConversionPrograms(const std::vector<std::string>& extensions);

// All that this file knows.
std::vector<std::string> ConversionExtensions();

}  // namespace assay::oracle
