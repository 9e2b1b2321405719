// assay golden make of conversions of small formats (convert_e4m3_sat) and of matrix products
// (matrix_f16_f32_16x8x16).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

struct SmallGolden {
  std::vector<std::string> names;
  std::vector<std::string> formats;    // sources of conversions; empty: those of OpenCL C
  std::vector<std::string> roundings;  // of names without their own
  std::vector<std::string> encodings;
  std::string level;
  std::uint64_t samples = 0, seed = 1;
  std::string out;
  bool has_inputs = false;  // --inputs or --worst-from
};

// Are all names of these kinds?  kUsage where only some are, and for what they do not have.
Expected<bool> AsksForSmall(const SmallGolden& golden);

// The command's exit code.
int MakeSmall(const SmallGolden& golden);

}  // namespace assay::tools
