// The lines of LLVM's IR as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace assay::frontend {

// Takes the first line, with its end, off the text, which is not empty.
inline std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = std::min(text->find('\n'), text->size() - 1) + 1;
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end);
  return line;
}

}  // namespace assay::frontend
