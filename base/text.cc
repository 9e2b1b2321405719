#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace assay::base {
namespace {

// The next code point of well-formed UTF-8 (Unicode, table 3-7), and its length; 0 where the bytes
// are none.
struct Decoded {
  char32_t point = 0;
  std::size_t length = 0;
};

Decoded Decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  char32_t point = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < kLeast[length] || point > 0x10ffff || surrogate) return {};
  return {point, length};
}

struct Range {
  char32_t first, last;
};

// Characters that are invisible or change other text: C1 controls, direction marks (UAX #9), line
// separators, joiners and blanks of no width, tags, and noncharacters.
constexpr Range kHidden[] = {
    {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},    {0x180e, 0x180e}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfdd0, 0xfdef},  {0xfeff, 0xfeff}, {0xfff0, 0xfffb},
    {0xfffe, 0xffff}, {0xe0000, 0xe0fff}, {0x1d173, 0x1d17a}};

bool IsHidden(char32_t point) {
  if (point < 0x20 || (point & 0xfffe) == 0xfffe) return true;
  for (const Range& range : kHidden) {
    if (point >= range.first && point <= range.last) return true;
  }
  return false;
}

std::string Escaped(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [point, length] = Decode(text);
    const std::size_t taken = length == 0 ? 1 : length;
    if (length == 0 || point < 0x20 || point == 0x7f) {
      const char c = text[0];
      if (kept.find(c) != std::string_view::npos) {
        shown += c;
      } else if (c == '\n') {
        shown += "\\n";
      } else if (c == '\t') {
        shown += "\\t";
      } else if (c == '\r') {
        shown += "\\r";
      } else {
        fmt::format_to(std::back_inserter(shown), "\\x{:02x}", static_cast<unsigned char>(c));
      }
    } else if (IsHidden(point)) {
      fmt::format_to(std::back_inserter(shown), "\\u{{{:x}}}", static_cast<std::uint32_t>(point));
    } else {
      shown += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return shown;
}

}  // namespace

std::string Printable(std::string_view text) { return Escaped(text, ""); }

std::string PrintableLines(std::string_view text) { return Escaped(text, "\n\t"); }

std::string Indented(std::string_view log, std::string_view indent) {
  std::string text;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    text += fmt::format("{}{}{}", text.empty() ? "" : "\n", indent, Printable(log.substr(0, end)));
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return text;
}

std::string Continued(std::string_view text) {
  const std::string shown = PrintableLines(text);
  std::string result;
  result.reserve(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    result += shown[i];
    const bool flush_left = i + 1 < shown.size() && shown[i + 1] != ' ' && shown[i + 1] != '\n';
    if (shown[i] == '\n' && flush_left) result += "  ";
  }
  return result;
}

std::string Wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string wrapped;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column != indent && column + 1 + end > columns) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column != indent) {
      wrapped += ' ';
      ++column;
    }
    wrapped += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return wrapped;
}

std::string XmlText(std::string_view text) { return Escaped(text, "\n\t"); }

std::string EscapedXml(std::string_view text) {
  std::string escaped;
  for (char c : XmlText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace assay::base
