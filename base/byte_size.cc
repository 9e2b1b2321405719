#include "base/byte_size.h"

#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

namespace assay::base {

Expected<std::uint64_t> ParseByteSize(const std::string& text) {
  constexpr std::string_view kUnits = "KMGT";
  std::string_view digits = text;
  int shift = 0;
  if (const std::size_t unit = text.empty() ? std::string::npos : kUnits.find(text.back());
      unit != std::string::npos) {
    digits.remove_suffix(1);
    shift = 10 * (static_cast<int>(unit) + 1);
  }
  const bool is_hexadecimal = digits.starts_with("0x");
  if (is_hexadecimal) digits.remove_prefix(2);
  std::uint64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, number, is_hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != end ||
      number > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return Fail(ErrorKind::kUsage,
                "'" + text + "' is no number of bytes: write 65536, 64K, 512M or 8G");
  }
  return number << shift;
}

}  // namespace assay::base
