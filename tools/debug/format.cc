#include "tools/debug/format.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tools/debug/terminal.h"

namespace assay::tools {
namespace {

bool IsOneOf(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

std::uint64_t LowBits(std::uint64_t value, int bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

// Where a text in quotes that begins at `start` ends: behind the other quote.
std::size_t EndOfText(const std::string& text, std::size_t start) {
  for (std::size_t i = start + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[start]) {
      return i + 1;
    }
  }
  return std::string::npos;
}

// At commas that stand in no brackets and no quotes.
std::vector<std::string> Expressions(const std::string& text) {
  std::vector<std::string> found;
  std::string one;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = std::min(EndOfText(text, i), text.size());
      one += text.substr(i, end - i);
      i = end - 1;
      continue;
    }
    if (IsOneOf(c, "([{")) ++depth;
    if (IsOneOf(c, ")]}")) --depth;
    if (c == ',' && depth == 0) {
      found.push_back(Trimmed(std::exchange(one, "")));
    } else {
      one += c;
    }
  }
  found.push_back(Trimmed(one));
  return found;
}

// One conversion; `*at` stands behind its '%', and afterwards behind it.
Expected<FormatPiece> Conversion(const std::string& format, std::size_t* at) {
  FormatPiece piece;
  const std::size_t start = *at - 1;
  const auto take = [&](std::string_view set) {
    std::string taken;
    while (*at < format.size() && IsOneOf(format[*at], set)) taken += format[(*at)++];
    return taken;
  };
  const auto wrong = [&](std::string_view what) {
    return Fail(ErrorKind::kUsage,
                fmt::format("in '{}', {}", Trimmed(format.substr(start, *at + 1 - start)), what));
  };
  constexpr std::string_view kDigits = "0123456789";
  piece.flags = take("-+ #0");
  piece.flags += take(kDigits);
  if (*at < format.size() && format[*at] == '.') {
    piece.flags += format[(*at)++];
    piece.flags += take(kDigits);
  }
  if (*at < format.size() && format[*at] == '*') {
    return wrong("a width or precision is digits; '*' is not there");
  }
  if (*at < format.size() && format[*at] == 'v') {
    ++*at;
    const std::string count = take(kDigits);
    const bool is_size =
        count == "2" || count == "3" || count == "4" || count == "8" || count == "16";
    if (!is_size) return wrong("a vector has 2, 3, 4, 8 or 16 components");
    piece.components = std::stoi(count);
  }
  const std::string modifier = take("hljztLq");
  // A debugger's long has 64 bits, whatever it is called.
  piece.modifier = modifier == "h" || modifier == "hh"    ? modifier
                   : modifier.empty() || modifier == "hl" ? ""
                                                          : "l";
  if (*at >= format.size())
    return Fail(ErrorKind::kUsage, fmt::format("'{}' ends too early", format.substr(start)));
  piece.conversion = format[*at];
  if (piece.components != 0 && piece.conversion == '.') {
    return wrong("the precision stands before the v: %.1v4f");
  }
  if (!IsOneOf(piece.conversion, "diouxXcaAeEfFgGsp")) {
    return wrong("the conversion is none of d i o u x X c f F e E g G a A s p");
  }
  if (piece.components != 0 && IsOneOf(piece.conversion, "csp")) {
    return wrong("no vector is converted so");
  }
  ++*at;
  return piece;
}

using ValueKind = interp::debug::ValueBits::Kind;

double ToDouble(ValueKind kind, int bits, std::uint64_t value) {
  if (kind != ValueKind::kSigned) return static_cast<double>(value);
  const int unused = 64 - bits;
  return static_cast<double>(static_cast<std::int64_t>(value << unused) >> unused);
}

// Toward zero, as C's conversion.
std::uint64_t ToInteger(int bits, std::uint64_t value) {
  double number = 0;
  if (bits == 64) {
    std::memcpy(&number, &value, sizeof number);
  } else if (bits == 32) {
    float single = 0;
    std::memcpy(&single, &value, sizeof single);
    number = single;
  } else {
    _Float16 half = 0;
    std::memcpy(&half, &value, sizeof half);
    number = static_cast<double>(half);
  }
  constexpr double kLimit = 0x1p63;
  if (!(number > -kLimit && number < kLimit)) return std::uint64_t{1} << 63;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

std::uint64_t SignExtend(ValueKind kind, int bits, std::uint64_t value) {
  if (kind != ValueKind::kSigned) return value;
  const int unused = 64 - bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}

}  // namespace

Expected<std::string> Unescaped(const std::string& text) {
  constexpr std::string_view kLetters = "abefnrtv\\\"'";
  constexpr std::string_view kCodes = "\a\b\033\f\n\r\t\v\\\"'";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    if (++i == text.size()) break;  // behind blanks, which it keeps
    const std::size_t letter = kLetters.find(text[i]);
    if (letter != std::string_view::npos) {
      result += kCodes[letter];
    } else if (text[i] == ' ') {
      result += ' ';
    } else if (IsOneOf(text[i], "01234567")) {
      int code = 0;
      std::size_t digits = 0;
      for (; digits < 3 && i < text.size() && IsOneOf(text[i], "01234567"); ++digits, ++i) {
        code = code * 8 + (text[i] - '0');
      }
      --i;
      result += static_cast<char>(code);
    } else {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("no escape '\\{}'; there are \\n, \\t, \\\\, \\\", \\033 and the like",
                      text[i]));
    }
  }
  return result;
}

Expected<FormatRequest> ParseFormatRequest(const std::string& text) {
  constexpr const char* kUsage = "write \"FORMAT\", EXPRESSION, ...";
  if (!text.starts_with('"')) return Fail(ErrorKind::kUsage, kUsage);
  const std::size_t end = EndOfText(text, 0);
  if (end == std::string::npos) {
    return Fail(ErrorKind::kUsage, fmt::format("the format has no end: {}", text));
  }
  const auto format = Unescaped(text.substr(1, end - 2));
  if (!format) return tl::unexpected(format.error());
  FormatRequest request;
  const std::string rest = Trimmed(text.substr(end));
  if (!rest.empty()) {
    if (rest[0] != ',') {
      return Fail(ErrorKind::kUsage, fmt::format("a comma is missing before '{}'", rest));
    }
    request.expressions = Expressions(rest.substr(1));
  }
  FormatPiece last;
  std::size_t conversions = 0;
  for (std::size_t at = 0; at < format->size();) {
    const char c = (*format)[at++];
    const bool is_sign = c == '%' && at < format->size() && (*format)[at] == '%';
    if (c != '%' || is_sign) {
      last.before += is_sign ? "%%" : std::string(1, c);
      if (is_sign) ++at;
      continue;
    }
    auto piece = Conversion(*format, &at);
    if (!piece) return tl::unexpected(piece.error());
    piece->before = std::exchange(last.before, "");
    request.pieces.push_back(std::move(*piece));
    ++conversions;
  }
  request.pieces.push_back(std::move(last));
  for (const std::string& one : request.expressions) {
    if (one.empty()) return Fail(ErrorKind::kUsage, "an expression is missing behind a comma");
  }
  if (conversions != request.expressions.size()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("the format has {} conversion{}, and there {} {} value{}", conversions,
                    conversions == 1 ? "" : "s", request.expressions.size() == 1 ? "is" : "are",
                    request.expressions.size(), request.expressions.size() == 1 ? "" : "s"));
  }
  return request;
}

FormatArgument TextArgument(const FormatPiece& piece, std::string text) {
  // Of a number's flags a text knows these.
  std::string flags;
  const std::size_t width = std::min(piece.flags.find_first_not_of("-+ #0"), piece.flags.size());
  if (piece.flags.substr(0, width).find('-') != std::string::npos) flags = "-";
  flags += piece.flags.substr(width);
  if (piece.conversion != 's') flags = flags.substr(0, flags.find('.'));
  FormatArgument result;
  result.conversion = "%" + flags + "s";
  result.argument = {.type = interp::PrintfType::kPointer,
                     .bits = 64,
                     .components = {0},
                     .has_text = true,
                     .text = std::move(text)};
  return result;
}

FormatArgument ArgumentOf(const FormatPiece& piece, const interp::debug::EvaluateAnswer& value) {
  if (!value.bits) return TextArgument(piece, value.value);
  const ValueKind kind = value.bits->kind;
  const int bits = value.bits->bits;
  auto components = value.bits->components;
  FormatArgument result;
  using Type = interp::PrintfType;
  std::string modifier = piece.modifier;
  if (piece.components != 0) {
    // A vector is as wide as it is.
    modifier = bits == 8 ? "hh" : bits == 16 ? "h" : bits == 32 ? "hl" : "l";
    result.argument = {.type = kind == ValueKind::kFloat ? Type::kFloat : Type::kInteger,
                       .bits = static_cast<std::uint8_t>(bits),
                       .components = std::move(components)};
  } else if (piece.conversion == 'p') {
    result.argument = {.type = Type::kPointer, .bits = 64, .components = std::move(components)};
    modifier = "";
  } else if (piece.IsFloat()) {
    modifier = "";
    result.argument = {.type = Type::kFloat, .bits = 64, .components = std::move(components)};
    if (kind == ValueKind::kFloat) {
      result.argument.bits = static_cast<std::uint8_t>(bits);
    } else {
      const double number = ToDouble(kind, bits, result.argument.components[0]);
      std::memcpy(result.argument.components.data(), &number, sizeof number);
    }
  } else {
    // As gdb: a number is what the conversion makes of it.
    const int wanted = piece.conversion == 'c' ? 32
                       : modifier == "hh"      ? 8
                       : modifier == "h"       ? 16
                       : modifier == "l"       ? 64
                                               : 32;
    if (piece.conversion == 'c') modifier = "";
    const std::uint64_t number = kind == ValueKind::kFloat ? ToInteger(bits, components[0])
                                                           : SignExtend(kind, bits, components[0]);
    result.argument = {.type = Type::kInteger,
                       .bits = static_cast<std::uint8_t>(wanted),
                       .components = {LowBits(number, wanted)}};
  }
  result.conversion = fmt::format("%{}{}{}{}", piece.flags,
                                  piece.components == 0 ? "" : fmt::format("v{}", piece.components),
                                  modifier, piece.conversion);
  return result;
}

}  // namespace assay::tools
