#include "tools/dap/base64.h"

#include <fmt/format.h>

#include <cstdint>

namespace assay::tools::dap {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHex = "0123456789abcdef";

}  // namespace

std::string Base64OfHex(std::string_view hex) {
  std::string text;
  // Three bytes are six digits and four letters.
  for (std::size_t i = 0; i < hex.size(); i += 6) {
    std::uint32_t bits = 0;
    for (std::size_t j = i; j < i + 6; ++j) {
      bits = bits << 4 | (j < hex.size() ? static_cast<std::uint32_t>(kHex.find(hex[j])) : 0);
    }
    const std::size_t letters = hex.size() - i >= 6 ? 4 : hex.size() - i == 4 ? 3 : 2;
    for (std::size_t j = 0; j < 4; ++j) {
      text += j < letters ? kLetters[bits >> (18 - 6 * j) & 63] : '=';
    }
  }
  return text;
}

Expected<std::string> HexOfBase64(std::string_view text) {
  const auto bad = [] { return Fail(ErrorKind::kUsage, "'data' is no Base64"); };
  if (text.size() % 4 != 0) return bad();
  std::string hex;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    std::string_view four = text.substr(i, 4);
    if (i + 4 == text.size()) {
      if (four.ends_with("==")) {
        four.remove_suffix(2);
      } else if (four.ends_with('=')) {
        four.remove_suffix(1);
      }
    }
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const std::size_t value = j < four.size() ? kLetters.find(four[j]) : 0;
      if (value == std::string_view::npos) return bad();
      bits = bits << 6 | static_cast<std::uint32_t>(value);
    }
    for (std::size_t j = 0; j < 2 * (four.size() - 1); ++j) hex += kHex[bits >> (20 - 4 * j) & 15];
  }
  return hex;
}

}  // namespace assay::tools::dap
