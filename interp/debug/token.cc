#include "interp/debug/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace assay::interp {
namespace {

// A chain of operators is as deep as it is long.
constexpr std::size_t kMaxTokens = 2000;

bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The character constant at a place, and where it ends (C99 6.4.4.4); nothing where it is none.
std::optional<std::pair<std::uint8_t, std::size_t>> CharacterAt(const std::string& text,
                                                                std::size_t at) {
  const auto character = [&](std::size_t place) {
    return place < text.size() ? text[place] : '\'';
  };
  std::size_t end = at + 1;
  unsigned value = static_cast<unsigned char>(character(end++));
  if (value == '\'') return std::nullopt;
  if (value == '\\') {
    constexpr std::string_view kEscapes = "abtnvfr";  // 7, 8, ... 13
    const char escape = character(end++);
    const std::size_t known = kEscapes.find(escape);
    const bool is_hex = escape == 'x';
    if (is_hex || (escape >= '0' && escape <= '7')) {
      const char* const last = text.data() + std::min(end + 2, text.size());
      const char* const first = text.data() + (is_hex ? end : end - 1);
      const auto [rest, error] = std::from_chars(first, last, value, is_hex ? 16 : 8);
      if (error != std::errc() || value > 255) return std::nullopt;
      end = static_cast<std::size_t>(rest - text.data());
    } else if (known != std::string_view::npos) {
      value = static_cast<unsigned>(7 + known);
    } else {
      value = static_cast<unsigned char>(escape);
    }
  }
  if (end >= text.size() || text[end] != '\'') return std::nullopt;
  return std::pair(static_cast<std::uint8_t>(value), end + 1);
}

// The longest operator that a text begins with; one character of what is none.
std::string_view PunctuationAt(std::string_view text) {
  constexpr std::string_view kLong[] = {
      "<<=", ">>=", "->", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
      "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
  for (const std::string_view one : kLong) {
    if (text.starts_with(one)) return one;
  }
  return text.substr(0, 1);
}

}  // namespace

Expected<std::vector<DebugToken>> DebugTokens(const std::string& text) {
  std::vector<DebugToken> tokens;
  const auto take_name = [&](std::size_t from) {
    std::size_t end = from;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    return end;
  };
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
      continue;
    }
    DebugToken token{.column = i + 1};
    std::size_t end = i + 1;
    const bool starts_number =
        std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && i + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[i + 1])));
    // After an operand % is the remainder.
    const bool after_operand =
        !tokens.empty() && (tokens.back().kind != DebugToken::Kind::kPunctuation ||
                            tokens.back().text == ")" || tokens.back().text == "]");
    if (starts_number) {
      token.kind = DebugToken::Kind::kNumber;
      while (
          end < text.size() &&
          (IsNameCharacter(text[end]) || text[end] == '.' ||
           ((text[end] == '+' || text[end] == '-') &&
            (text[end - 1] == 'p' || text[end - 1] == 'P' ||
             ((text[end - 1] == 'e' || text[end - 1] == 'E') && text.compare(i, 2, "0x") != 0))))) {
        ++end;
      }
    } else if (c == '\'') {
      const auto character = CharacterAt(text, i);
      if (!character) {
        return Fail(ErrorKind::kUsage, fmt::format("column {}: a character is written 'a'", i + 1));
      }
      token.kind = DebugToken::Kind::kCharacter;
      // OpenCL C's char is signed.
      token.text = fmt::format("{}", static_cast<std::int8_t>(character->first));
      end = character->second;
    } else if (IsNameCharacter(c)) {
      token.kind = DebugToken::Kind::kName;
      end = take_name(i);
    } else if ((c == '%' && !after_operand) || c == '$') {
      token.kind = c == '%' ? DebugToken::Kind::kId : DebugToken::Kind::kDollar;
      end = take_name(i + 1);
      if (end == i + 1) {
        return Fail(ErrorKind::kUsage, fmt::format("column {}: '{}' needs a name or number behind "
                                                   "it",
                                                   i + 1, c));
      }
      token.text = text.substr(i + 1, end - i - 1);
    } else {
      token.kind = DebugToken::Kind::kPunctuation;
      end = i + PunctuationAt(std::string_view(text).substr(i)).size();
      if (std::string_view("()[]{}.,+-*/%&|^~!<>=?:@").find(c) == std::string_view::npos) {
        return Fail(ErrorKind::kUsage, fmt::format("column {}: '{}' is not known here", i + 1, c));
      }
    }
    if (token.text.empty()) token.text = text.substr(i, end - i);
    tokens.push_back(std::move(token));
    if (tokens.size() > kMaxTokens) {
      return Fail(ErrorKind::kUsage, fmt::format("column {}: the expression is too long", i + 1));
    }
    i = end;
  }
  tokens.push_back({.column = text.size() + 1});
  return tokens;
}

}  // namespace assay::interp
