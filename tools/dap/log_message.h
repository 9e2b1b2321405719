// The messages of log points: "sum is {sum}", with expressions in braces.
#pragma once

#include <string>
#include <vector>

namespace assay::tools::dap {

struct LogPart {
  bool is_expression = false;
  std::string text;  // without the braces
};

// A brace that is not closed is text.
std::vector<LogPart> PartsOfLog(const std::string& message);

}  // namespace assay::tools::dap
