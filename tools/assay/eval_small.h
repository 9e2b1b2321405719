// assay eval of small formats: convert_e4m3_sat_rtz and mx_e4m3 (docs/cli/eval.md).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

struct SmallQuestion {
  std::string function;
  std::vector<std::string> arguments;
  std::string format, rounding;
  int digits = 40;
};

struct SmallAnswer {
  std::string text;
  nlohmann::ordered_json json;  // assay-eval/1
};

// Is it a conversion to or from a format that OpenCL C has no type for, or a block of them?
bool IsSmall(const SmallQuestion& question);

// kUsage for a wrong operand or format.
Expected<SmallAnswer> EvalSmall(const SmallQuestion& question);

}  // namespace assay::tools
