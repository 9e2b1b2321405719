#include "tools/dap/text_units.h"

#include <algorithm>

namespace assay::tools::dap {
namespace {

// Over the next character.
Cursor Next(std::string_view text, Cursor cursor) {
  const auto lead = static_cast<unsigned char>(text[cursor.byte]);
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return {std::min(cursor.byte + length, text.size()), cursor.unit + (length == 4 ? 2 : 1)};
}

}  // namespace

Cursor CursorBehindUnits(std::string_view text, std::int64_t units) {
  Cursor cursor;
  while (cursor.byte < text.size() && cursor.unit < units) cursor = Next(text, cursor);
  return cursor;
}

Cursor CursorBehindBytes(std::string_view text, std::size_t bytes) {
  Cursor cursor;
  while (cursor.byte < std::min(bytes, text.size())) cursor = Next(text, cursor);
  return cursor;
}

}  // namespace assay::tools::dap
