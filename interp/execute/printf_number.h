// Formats numbers for one conversion of a format string (OpenCL C 6.15.14.2, which is C99 7.19.6.1
// here). Uses integer arithmetic and std::to_chars, so the locale has no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::interp {

// The part of a conversion between '%' and the vector specifier.
struct PrintfStyle {
  bool left = false;       // -
  bool plus = false;       // +
  bool space = false;      // ' '
  bool alternate = false;  // #
  bool zero = false;       // 0
  std::size_t width = 0;
  std::optional<std::size_t> precision;
};

// `value` is zero-extended from `bits` bits; `conversion` is one of d i o u x X.
std::string FormatPrintfInteger(const PrintfStyle& style, char conversion, int bits,
                                std::uint64_t value);

// `value` has the bits of a double; `conversion` is one of a A e E f F g G.
std::string FormatPrintfFloating(const PrintfStyle& style, char conversion, std::uint64_t value);

// Pads the text with blanks to the width of the field.
std::string PadPrintfField(const PrintfStyle& style, std::string_view text);

}  // namespace assay::interp
