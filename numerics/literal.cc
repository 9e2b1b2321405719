#include "numerics/literal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "numerics/exact.h"
#include "numerics/real.h"

namespace assay::numerics {
namespace {

tl::unexpected<Error> Malformed(ScalarType type, std::string_view text) {
  const int digits = WidthOf(type) / 4;
  if (!IsFloating(type)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no {}: write a decimal integer or raw bits (0x and up to {} "
                            "hexadecimal digits)",
                            text, ScalarTypeName(type), digits));
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("'{}' is no {}: write a decimal number (1.5e-3), a hexadecimal float "
                          "with an exponent (0x1.8p-3), raw bits (0x and up to {} hexadecimal "
                          "digits), inf or nan",
                          text, ScalarTypeName(type), digits));
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool IsHexDigit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t CountWhile(std::string_view text, bool (*accept)(char)) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), accept) -
                                  text.begin());
}

// DIGITS [. DIGITS] with at least one digit, then [MARK [SIGN] DIGITS], and nothing else.
bool IsNumber(std::string_view text, bool (*digit)(char), char mark, bool needs_exponent) {
  const std::size_t whole = CountWhile(text, digit);
  text.remove_prefix(whole);
  std::size_t fractional = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fractional = CountWhile(text, digit);
    text.remove_prefix(fractional);
  }
  if (whole + fractional == 0) return false;
  if (text.empty()) return !needs_exponent;
  if (text.front() != mark) return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && CountWhile(text, IsDecimalDigit) == text.size();
}

// The number nearest to a literal of `base`, by one rounding; infinity if it is too large.
Bits Nearest(Format format, const std::string& digits, int base) {
  Real value(WorkingPrecision(format));
  const int ternary = mpfr_strtofr(value, digits.c_str(), nullptr, base, MPFR_RNDN);
  // MPFR's own exponent range is far beyond every format's.
  const Bits sign = mpfr_signbit(value.get()) != 0 ? SignMask(format) : 0;
  if (mpfr_zero_p(value.get()) != 0) return sign;
  if (mpfr_inf_p(value.get()) != 0) return sign | Infinity(format);
  return Round(PlaceRounded(value, ternary, format), format, Rounding::kRte);
}

// "0x..." with nothing but digits: raw bits of the type.
Expected<Bits> ParseRaw(ScalarType type, std::string_view digits, std::string_view text) {
  const auto most = static_cast<std::size_t>(WidthOf(type) / 4);
  if (digits.size() > most) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' has {} hexadecimal digits, but {} has {}{}", text, digits.size(),
                            ScalarTypeName(type), most,
                            IsFloating(type) ? "; a hexadecimal float needs an exponent, "
                                               "as in 0x1p3"
                                             : ""));
  }
  Bits bits = 0;
  const char* end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, bits, 16).ptr != end) return Malformed(type, text);
  return bits;
}

Expected<Bits> ParseInteger(ScalarType type, std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || CountWhile(digits, IsDecimalDigit) != digits.size()) {
    return Malformed(type, text);
  }
  const Bits mask = WidthMask(type);
  const Bits highest = IsSigned(type) ? mask >> 1 : mask;
  const Bits limit = !negative ? highest : IsSigned(type) ? highest + 1 : 0;
  Bits magnitude = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (parsed.ec != std::errc() || magnitude > limit) {
    const std::string lowest = IsSigned(type) ? fmt::format("-{}", highest + 1) : "0";
    return Fail(ErrorKind::kUsage, fmt::format("'{}' does not fit {}: {} to {}", text,
                                               ScalarTypeName(type), lowest, highest));
  }
  return (negative ? Bits{0} - magnitude : magnitude) & mask;
}

Expected<Bits> ParseFloating(ScalarType type, std::string_view text) {
  const Format format = FormatOf(type);
  std::string rest = Lower(text);
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.erase(0, 1);
  const Bits sign = negative ? SignMask(format) : 0;
  if (rest == "inf" || rest == "infinity") return sign | Infinity(format);
  if (rest == "nan") return sign | QuietNan(format);
  const bool hexadecimal = rest.starts_with("0x");
  const bool valid = hexadecimal ? IsNumber(std::string_view(rest).substr(2), IsHexDigit, 'p', true)
                                 : IsNumber(rest, IsDecimalDigit, 'e', false);
  if (!valid) return Malformed(type, text);
  const Bits nearest = Nearest(format, rest, hexadecimal ? 16 : 10);
  if (nearest != Infinity(format)) return sign | nearest;
  return Fail(ErrorKind::kUsage,
              fmt::format("'{}' is beyond the largest {} ({}): write inf for infinity", text,
                          Traits(format).name, FormatDecimal(format, MaxFinite(format))));
}

}  // namespace

Expected<Bits> ParseLiteral(ScalarType type, std::string_view text) {
  const std::string lower = Lower(text);
  if (lower.starts_with("0x")) {
    const std::string_view digits = std::string_view(lower).substr(2);
    if (!digits.empty() && CountWhile(digits, IsHexDigit) == digits.size()) {
      return ParseRaw(type, digits, text);
    }
  }
  return IsFloating(type) ? ParseFloating(type, text) : ParseInteger(type, text);
}

Expected<std::vector<Bits>> ParseOperands(const Operation& operation,
                                          const std::vector<std::string>& texts) {
  const std::vector<ScalarType> types = operation.ArgumentTypes();
  if (texts.size() != types.size()) {
    std::vector<std::string_view> names;
    for (ScalarType type : types) names.push_back(ScalarTypeName(type));
    return Fail(ErrorKind::kUsage,
                fmt::format("{} {} takes {} argument{} ({}), {} given", operation.Name(),
                            operation.FormatName(), types.size(), types.size() == 1 ? "" : "s",
                            fmt::join(names, ", "), texts.size()));
  }
  std::vector<Bits> operands;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Expected<Bits> bits = ParseLiteral(types[i], texts[i]);
    if (!bits) return tl::unexpected<Error>(bits.error());
    operands.push_back(*bits);
  }
  return operands;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.emplace_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::string FormatBits(ScalarType type, Bits bits) {
  return fmt::format("0x{:0{}x}", bits & WidthMask(type), WidthOf(type) / 4);
}

std::string FormatBits(Format format, Bits bits) { return FormatBits(ScalarTypeOf(format), bits); }

std::string FormatHexFloat(Format format, Bits bits) {
  if (IsNan(format, bits)) return "nan";
  const std::string sign = IsNegative(format, bits) ? "-" : "";
  if (IsInfinite(format, bits)) return sign + "inf";
  if (IsZero(format, bits)) return sign + "0x0p+0";
  const int mantissa_bits = Traits(format).mantissa_bits();
  int exponent = GridExponent(format, bits);
  Bits significand = bits & MantissaMask(format);
  if (IsSubnormal(format, bits)) {
    const int shift = mantissa_bits - (std::bit_width(significand) - 1);
    significand = significand << shift & MantissaMask(format);
    exponent -= shift;
  }
  // Whole hexadecimal digits after the point, without trailing zeros.
  const int digits = (mantissa_bits + 3) / 4;
  std::string fraction =
      fmt::format("{:0{}x}", significand << (4 * digits - mantissa_bits), digits);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}p{:+d}", sign, fraction.empty() ? "" : ".", fraction, exponent);
}

std::string FormatDecimal(Format format, Bits bits) {
  if (IsNan(format, bits)) return "nan";
  if (IsInfinite(format, bits)) return IsNegative(format, bits) ? "-inf" : "inf";
  const double value = ToDouble(format, bits);
  // Whole numbers as people write them: "%g" would make 2e+01 of 20.
  constexpr double kTooLong = 1e15;
  if (std::trunc(value) == value && std::fabs(value) < kTooLong)
    return fmt::format("{:.0f}", value);
  constexpr int kEnough = 17;  // digits that tell any two doubles apart
  for (int digits = 1; digits < kEnough; ++digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (Nearest(format, text, 10) == bits) return text;
  }
  return fmt::format("{:.{}g}", value, kEnough);
}

std::string FormatDecimal(ScalarType type, Bits bits) {
  if (IsFloating(type)) return FormatDecimal(FormatOf(type), bits);
  const Bits mask = WidthMask(type);
  bits &= mask;
  if (IsSigned(type) && bits > mask >> 1) return fmt::format("-{}", (Bits{0} - bits) & mask);
  return fmt::format("{}", bits);
}

}  // namespace assay::numerics
