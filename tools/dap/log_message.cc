#include "tools/dap/log_message.h"

namespace assay::tools::dap {

std::vector<LogPart> PartsOfLog(const std::string& message) {
  std::vector<LogPart> parts;
  std::size_t at = 0;
  while (at < message.size()) {
    const std::size_t open = message.find('{', at);
    const std::size_t close = open == std::string::npos ? open : message.find('}', open);
    if (close == std::string::npos) break;
    if (open != at) parts.push_back({false, message.substr(at, open - at)});
    parts.push_back({true, message.substr(open + 1, close - open - 1)});
    at = close + 1;
  }
  if (at < message.size()) parts.push_back({false, message.substr(at)});
  return parts;
}

}  // namespace assay::tools::dap
