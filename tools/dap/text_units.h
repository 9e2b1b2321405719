// Converts positions in a line of text between bytes, which compilers and files count, and UTF-16
// units, which clients of the Debug Adapter Protocol count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay::tools::dap {

struct Cursor {
  std::size_t byte = 0;
  std::int64_t unit = 0;
};

// Behind so many units or bytes, a character that they end in included; or at the end.
Cursor CursorBehindUnits(std::string_view text, std::int64_t units);
Cursor CursorBehindBytes(std::string_view text, std::size_t bytes);

}  // namespace assay::tools::dap
