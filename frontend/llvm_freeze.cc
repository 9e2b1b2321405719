#include "frontend/llvm_freeze.h"

#include <algorithm>

#include "frontend/llvm_lines.h"

namespace assay::frontend {

std::string WithoutFreeze(std::string_view ir) {
  constexpr std::string_view kFreeze = " = freeze ";
  std::string text;
  text.reserve(ir.size());
  while (!ir.empty()) {
    const std::string_view line = TakeLine(&ir);
    const std::size_t at = line.find(kFreeze);
    // Strings have their quotes: what stands behind one is no instruction.
    if (at == line.npos || !line.starts_with("  %") ||
        line.substr(0, at).find(' ', 2) != line.npos) {
      text += line;
      continue;
    }
    const std::size_t operand = at + kFreeze.size();
    const std::size_t behind = std::min({line.find(", !", operand), line.find('\n'), line.size()});
    const std::string_view value = line.substr(operand, behind - operand);
    text.append(line.substr(0, at)).append(" = select i1 true, ").append(value);
    text.append(", ").append(value).append(line.substr(behind));
  }
  return text;
}

}  // namespace assay::frontend
