#include "frontend/long_literals.h"

#include <algorithm>
#include <cctype>

namespace assay::frontend {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The place behind a comment or a quoted text that begins at `at`; `at` where none does.
std::size_t SkipQuoted(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view close, std::size_t from) {
    const std::size_t end = text.find(close, from);
    return end == text.npos ? text.size() : end + close.size();
  };
  if (text.substr(at, 2) == "//") return behind("\n", at + 2);
  if (text.substr(at, 2) == "/*") return behind("*/", at + 2);
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at] && text[end] != '\n') {
    end += text[end] == '\\' ? 2 : 1;
  }
  return std::min(end + 1, text.size());
}

// The end of a preprocessing number (C99 6.4.8) that begins at `at`.
std::size_t EndOfNumber(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  for (; end < text.size(); ++end) {
    const bool sign = text[end] == '+' || text[end] == '-';
    const bool exponent = std::string_view("eEpP").find(text[end - 1]) != std::string_view::npos;
    if (!IsWordCharacter(text[end]) && text[end] != '.' && !(sign && exponent)) break;
  }
  return end;
}

// Drops one of the two letters at the end of [begin, end), and fills up with a space.
void Shorten(std::size_t begin, std::size_t end, std::string* text) {
  std::size_t last = end;
  if (last > begin && (((*text)[last - 1] | 0x20) == 'u')) --last;
  if (last < begin + 2) return;
  const char letter = (*text)[last - 1];
  if ((letter != 'l' && letter != 'L') || (*text)[last - 2] != letter) return;
  text->erase(last - 1, 1);
  text->insert(end - 1, 1, ' ');
}

}  // namespace

std::string WithLongLiterals(std::string_view text) {
  std::string result(text);
  bool pasted = false;  // the last token was ##
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = SkipQuoted(text, at); end != at) {
      at = end;
      continue;
    }
    const bool number =
        IsDigit(text[at]) || (text[at] == '.' && at + 1 < text.size() && IsDigit(text[at + 1]));
    if (number || IsWordCharacter(text[at])) {
      std::size_t end = at + 1;
      if (number) {
        end = EndOfNumber(text, at);
      } else {
        while (end < text.size() && IsWordCharacter(text[end])) ++end;
      }
      const std::string_view word = text.substr(at, end - at);
      const bool suffix = word.find_first_not_of("uUlL") == word.npos;
      if (number || (pasted && suffix)) Shorten(at, end, &result);
      pasted = false;
      at = end;
      continue;
    }
    if (text.substr(at, 2) == "##") {
      pasted = true;
      at += 2;
      continue;
    }
    pasted = pasted && std::isspace(static_cast<unsigned char>(text[at])) != 0;
    ++at;
  }
  return result;
}

}  // namespace assay::frontend
