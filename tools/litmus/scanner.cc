#include "tools/litmus/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace assay::tools::litmus {
namespace {

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '.';
}

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

Scanner::Scanner(std::string_view text, std::string path, Language language, int first_line)
    : text_(text), path_(std::move(path)), language_(language), line_(first_line) {
  Advance();
}

tl::unexpected<Error> Scanner::Wrong(const std::string& message, int line) const {
  return Fail(ErrorKind::kUsage, fmt::format("{}:{}: {}", path_, line, message));
}

std::string Scanner::TextBetween(std::size_t begin, std::size_t end) const {
  std::string text;
  Scanner part(text_.substr(0, end), path_, language_);
  part.place_ = begin;
  std::size_t behind = begin;
  for (part.Advance(); part.next_.kind != TokenKind::kEnd; part.Advance()) {
    if (part.next_.place > behind && !text.empty()) text += ' ';
    text += part.next_.text;
    behind = part.next_.place + part.next_.text.size();
  }
  return text;
}

void Scanner::SkipSpace() {
  while (place_ < text_.size()) {
    const std::string_view rest = text_.substr(place_);
    std::size_t length = 0;
    if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
      length = 1;
    } else if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with(language_ == Language::kC ? "/*" : "(*")) {
      const std::size_t end = rest.find(language_ == Language::kC ? "*/" : "*)", 2);
      length = end == std::string_view::npos ? rest.size() : end + 2;
    }
    if (length == 0) return;
    line_ +=
        static_cast<int>(std::count(rest.begin(), rest.begin() + static_cast<long>(length), '\n'));
    place_ += length;
  }
}

std::size_t Scanner::LengthOfSign() const {
  for (const std::string_view sign : {"/\\", "\\/", "==", "!=", "<=", ">=", "&&", "||", "++", "--",
                                      "->", "+=", "-=", "<<", ">>"}) {
    if (text_.substr(place_).starts_with(sign)) return sign.size();
  }
  return 1;
}

void Scanner::Advance() {
  SkipSpace();
  next_ = {.kind = TokenKind::kEnd, .text = {}, .place = place_, .line = line_};
  if (place_ >= text_.size()) return;
  const char first = text_[place_];
  std::size_t length = 1;
  if (IsWordByte(first)) {
    // "%" begins a name of SPIR-V's text form; between C's operands it is a sign.
    const bool is_remainder = first == '%' && language_ == Language::kC;
    next_.kind = is_remainder     ? TokenKind::kSign
                 : IsDigit(first) ? TokenKind::kNumber
                                  : TokenKind::kWord;
    while (!is_remainder && place_ + length < text_.size() && IsWordByte(text_[place_ + length]) &&
           (text_[place_ + length] != '%')) {
      ++length;
    }
  } else if (first == '"') {
    next_.kind = TokenKind::kText;
    const std::size_t end = text_.find('"', place_ + 1);
    length = end == std::string_view::npos ? text_.size() - place_ : end + 1 - place_;
  } else {
    next_.kind = TokenKind::kSign;
    length = LengthOfSign();
  }
  next_.text = text_.substr(place_, length);
  line_ += static_cast<int>(std::count(next_.text.begin(), next_.text.end(), '\n'));
  place_ += length;
}

Token Scanner::Take() {
  const Token taken = next_;
  Advance();
  return taken;
}

bool Scanner::TakeIf(std::string_view text) {
  if (next_.kind == TokenKind::kEnd || next_.text != text) return false;
  Advance();
  return true;
}

std::string_view Scanner::TakeLine() {
  const std::size_t begin = next_.place;
  const std::size_t end = std::min(text_.find('\n', begin), text_.size());
  place_ = end;
  line_ = next_.line;
  Advance();
  return text_.substr(begin, end - begin);
}

Expected<std::string_view> Scanner::TakeBraces() {
  const int opened = next_.line;
  const std::size_t begin = next_.place + 1;
  const Language outside = language_;
  language_ = Language::kC;
  place_ = begin;
  line_ = opened;
  Advance();
  for (int depth = 1; next_.kind != TokenKind::kEnd; Advance()) {
    if (next_.text == "{") ++depth;
    if (next_.text == "}" && --depth == 0) break;
  }
  language_ = outside;
  if (next_.kind == TokenKind::kEnd) return Wrong("this '{' is not closed", opened);
  const std::size_t end = next_.place;
  Advance();
  return text_.substr(begin, end - begin);
}

}  // namespace assay::tools::litmus
