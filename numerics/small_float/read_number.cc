#include "numerics/small_float/read_number.h"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "numerics/small_float/convert.h"

namespace assay::numerics::small_float {
namespace {

// A whole number with the prefix 0x, and no hexadecimal float.
bool IsRaw(const std::string& text) {
  return text.starts_with("0x") && text.size() > 2 &&
         text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos;
}

}  // namespace

Expected<Bits> ReadNumber(const Format& format, const std::string& text) {
  const auto fail = [&](const std::string& why) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' {}", text, why));
  };
  if (IsRaw(text)) {
    errno = 0;
    const Bits bits = std::strtoull(text.c_str(), nullptr, 16);
    const bool fits = errno == 0 && (format.width() == 64 || bits >> format.width() == 0);
    if (!fits) return fail(fmt::format("has more bits than {}, {}", format.name, format.width()));
    if ((bits & ((Bits{1} << format.padding_bits) - 1)) != 0) {
      return fail(
          fmt::format("is no {}: its {} low bits must be 0", format.name, format.padding_bits));
    }
    return bits;
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') {
    return fail("is neither a number nor bits: write 1.5, 0x1.8p+0 or 0x38");
  }
  const Number number = Decode(*FormatOf("f64"), std::bit_cast<Bits>(value));
  const Bits bits = Encode(format, number);
  if (number.kind == Kind::kNan) {
    if (format.has_nan()) return bits;
    return fail(fmt::format("is no {}, which has no NaN", format.name));
  }
  if (ValueOf(format, bits) == value && (value != 0 || format.has_sign)) return bits;
  const auto neighbour = [&](Rounding rounding) {
    const Conversion conversion{.rounding = rounding, .overflow = Overflow::kSaturate};
    return ValueOf(format, Encode(format, number, conversion));
  };
  return fail(fmt::format("is no number of {}; next to it are {} and {}", format.name,
                          neighbour(Rounding::kDown), neighbour(Rounding::kUp)));
}

Expected<std::uint32_t> ReadWord(const std::string& text) {
  errno = 0;
  char* end = nullptr;
  const unsigned long long word = std::strtoull(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || text[0] == '-' || errno != 0 || word >> 32 != 0) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no word: give a number from 0 to 0xffffffff", text));
  }
  return static_cast<std::uint32_t>(word);
}

}  // namespace assay::numerics::small_float
