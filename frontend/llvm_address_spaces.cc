#include "frontend/llvm_address_spaces.h"

#include <vector>

#include "frontend/llvm_lines.h"
#include "frontend/llvm_metadata.h"

namespace assay::frontend {
namespace {

constexpr std::string_view kExpression = "!DIExpression(";

// The place of an expression in a line, outside of quotes; npos if there is none.
std::size_t FindExpression(std::string_view line, std::size_t from) {
  bool quoted = false;
  for (std::size_t i = from; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (!quoted && line[i] == '!' && line.substr(i).starts_with(kExpression)) return i;
  }
  return std::string_view::npos;
}

void AppendExpression(std::string_view expression, std::string* text) {
  const std::vector<std::string_view> words = LlvmNode(expression).Elements();
  *text += kExpression;
  bool any = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + 3 < words.size() && words[i] == "DW_OP_constu" && words[i + 2] == "DW_OP_swap" &&
        words[i + 3] == "DW_OP_xderef") {
      i += 3;
      continue;
    }
    if (any) *text += ", ";
    *text += words[i];
    any = true;
  }
  *text += ')';
}

}  // namespace

std::string WithoutAddressSpaceExpressions(std::string_view ir) {
  std::string text;
  text.reserve(ir.size());
  while (!ir.empty()) {
    const std::string_view line = TakeLine(&ir);
    std::size_t done = 0;
    for (std::size_t at = FindExpression(line, 0); at != line.npos;
         at = FindExpression(line, done)) {
      const std::size_t close = line.find(')', at);
      if (close == line.npos) break;
      text += line.substr(done, at - done);
      AppendExpression(line.substr(at, close + 1 - at), &text);
      done = close + 1;
    }
    text += line.substr(done);
  }
  return text;
}

}  // namespace assay::frontend
