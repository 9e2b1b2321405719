#include "interp/execute/printf_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>

#include "numerics/format.h"

namespace assay::interp {
namespace {

using numerics::Format;

constexpr std::size_t kDefaultPrecision = 6;
constexpr int kHexDigits = 13;  // of a double's fraction

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

// Sign or base, then the digits, in a field: zeros come between the two, blanks around them.
std::string Field(const PrintfStyle& style, bool zeros, std::string head, std::string_view digits) {
  if (zeros && !style.left && head.size() + digits.size() < style.width) {
    head.append(style.width - head.size() - digits.size(), '0');
  }
  return PadPrintfField(style, head.append(digits));
}

std::string SignOf(const PrintfStyle& style, bool negative) {
  if (negative) return "-";
  if (style.plus) return "+";
  return style.space ? " " : "";
}

// Digits in the two styles that C shares with std::to_chars: "1.500000e+00" and "1.500000".
std::string Decimal(double magnitude, std::chars_format format, std::size_t precision) {
  constexpr std::size_t kWhole = 310 + 8;  // digits of the largest double; point and exponent
  std::string text(precision + kWhole, '\0');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), magnitude, format,
                                 static_cast<int>(precision));
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  return text;
}

// The '#' flag: a point also where no digit follows it.
std::string WithPoint(std::string text) {
  if (text.find('.') != std::string::npos) return text;
  const std::size_t exponent = std::min(text.find_first_of("ep"), text.size());
  return text.insert(exponent, ".");
}

std::string WithoutTrailingZeros(std::string text) {
  const std::size_t end = std::min(text.find('e'), text.size());
  if (text.find('.') >= end) return text;
  std::size_t keep = end;
  while (text[keep - 1] == '0') --keep;
  if (text[keep - 1] == '.') --keep;
  return text.erase(keep, end - keep);
}

// Style g: e where f would need many zeros; P and X are the specification's names.
std::string General(double magnitude, std::size_t precision, bool alternate) {
  const std::size_t p = std::max<std::size_t>(precision, 1);
  std::string text = Decimal(magnitude, std::chars_format::scientific, p - 1);
  int x = 0;
  const char* exponent = text.data() + text.find('e') + 1;
  if (*exponent == '+') ++exponent;
  std::from_chars(exponent, text.data() + text.size(), x);
  if (x >= -4 && x < static_cast<int>(p)) {
    const int digits = static_cast<int>(p) - 1 - x;
    text = Decimal(magnitude, std::chars_format::fixed, static_cast<std::size_t>(digits));
  }
  return alternate ? text : WithoutTrailingZeros(std::move(text));
}

// "1.8p+0" without its "0x": a subnormal keeps the exponent of the smallest normal number and
// begins with 0.  Rounded to nearest even ("the value is correctly rounded").
std::string Hexadecimal(std::uint64_t magnitude, std::optional<std::size_t> precision) {
  if (magnitude == 0) {
    return "0" + (precision.value_or(0) > 0 ? "." + std::string(*precision, '0') : "") + "p+0";
  }
  constexpr Format kDouble = Format::kDouble;
  std::uint64_t significand = magnitude & numerics::MantissaMask(kDouble);
  if (!numerics::IsSubnormal(kDouble, magnitude)) significand |= numerics::MinNormal(kDouble);
  const int exponent = numerics::GridExponent(kDouble, magnitude);
  std::size_t digits = kHexDigits;
  if (precision && *precision < kHexDigits) {
    const int dropped = 4 * (kHexDigits - static_cast<int>(*precision));
    const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
    significand >>= dropped;
    if (rest > half || (rest == half && significand % 2 == 1)) ++significand;
    digits = *precision;
  }
  const std::uint64_t whole = significand >> (4 * digits);
  const std::uint64_t fraction = significand & ((std::uint64_t{1} << (4 * digits)) - 1);
  std::string text = digits == 0 ? "" : fmt::format("{:0{}x}", fraction, digits);
  if (precision) {
    text.resize(*precision, '0');
  } else {
    text.erase(text.find_last_not_of('0') + 1);
  }
  return fmt::format("{}{}{}p{:+d}", whole, text.empty() ? "" : ".", text, exponent);
}

}  // namespace

std::string PadPrintfField(const PrintfStyle& style, std::string_view text) {
  const std::size_t blanks = style.width > text.size() ? style.width - text.size() : 0;
  std::string field;
  field.reserve(text.size() + blanks);
  if (!style.left) field.append(blanks, ' ');
  field.append(text);
  if (style.left) field.append(blanks, ' ');
  return field;
}

std::string FormatPrintfInteger(const PrintfStyle& style, char conversion, int bits,
                                std::uint64_t value) {
  const bool is_signed = conversion == 'd' || conversion == 'i';
  const bool negative = is_signed && ((value >> (bits - 1)) & 1) != 0;
  if (negative) value = (std::uint64_t{0} - value) & (~std::uint64_t{0} >> (64 - bits));
  const int base = conversion == 'o' ? 8 : conversion == 'x' || conversion == 'X' ? 16 : 10;
  std::array<char, 24> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base);
  std::string digits(buffer.data(), end.ptr);
  const std::size_t precision = style.precision.value_or(1);
  if (value == 0) digits.clear();  // the precision decides how many zeros there are
  if (digits.size() < precision) digits.insert(0, precision - digits.size(), '0');
  std::string head = is_signed ? SignOf(style, negative) : "";
  if (style.alternate && base == 8 && !digits.starts_with('0')) digits.insert(0, "0");
  if (style.alternate && base == 16 && value != 0) head = "0x";
  if (conversion == 'X') {
    head = Upper(std::move(head));
    digits = Upper(std::move(digits));
  }
  return Field(style, style.zero && !style.precision, std::move(head), digits);
}

std::string FormatPrintfFloating(const PrintfStyle& style, char conversion, std::uint64_t value) {
  const bool upper = conversion < 'a';
  const char lower = upper ? static_cast<char>(conversion - 'A' + 'a') : conversion;
  const std::uint64_t magnitude = numerics::Magnitude(Format::kDouble, value);
  std::string head = SignOf(style, numerics::IsNegative(Format::kDouble, value));
  if (!numerics::IsFinite(Format::kDouble, value)) {
    std::string text = head + (numerics::IsNan(Format::kDouble, value) ? "nan" : "inf");
    return PadPrintfField(style, upper ? Upper(std::move(text)) : text);
  }
  const double number = std::bit_cast<double>(magnitude);
  const std::size_t precision = style.precision.value_or(kDefaultPrecision);
  std::string digits;
  if (lower == 'a') {
    head += "0x";
    digits = Hexadecimal(magnitude, style.precision);
  } else if (lower == 'g') {
    digits = General(number, precision, style.alternate);
  } else {
    digits = Decimal(
        number, lower == 'e' ? std::chars_format::scientific : std::chars_format::fixed, precision);
  }
  if (style.alternate) digits = WithPoint(std::move(digits));
  if (upper) {
    head = Upper(std::move(head));
    digits = Upper(std::move(digits));
  }
  return Field(style, style.zero, std::move(head), digits);
}

}  // namespace assay::interp
