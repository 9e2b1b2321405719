// The tokens of a litmus test: its own words between processes, and OpenCL C inside of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::tools::litmus {

enum class TokenKind { kWord, kNumber, kText, kSign, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::size_t place = 0;  // of its first byte
  int line = 1;
};

// Which comments there are: "(* *)" and "// ..." between processes; "/* */" and "// ..." in C,
// where
// "(*" begins an expression.
enum class Language { kLitmus, kC };

class Scanner {
 public:
  // `path` is for messages; `text` must outlive the scanner and its tokens.
  Scanner(std::string_view text, std::string path, Language language, int first_line = 1);

  const Token& Peek() const { return next_; }
  Token Take();
  // Takes the next token if it is this one.
  bool TakeIf(std::string_view text);
  // The rest of the next token's line; the token after it is on another line.
  std::string_view TakeLine();
  // What lies between the next token, a "{", and the "}" that closes it, read as C; both are taken.
  Expected<std::string_view> TakeBraces();

  // The text from one place up to another, with single blanks between its tokens' lines.
  std::string TextBetween(std::size_t begin, std::size_t end) const;

  // kUsage: "sb.litmus:7: MESSAGE".
  tl::unexpected<Error> Wrong(const std::string& message) const {
    return Wrong(message, next_.line);
  }
  tl::unexpected<Error> Wrong(const std::string& message, int line) const;
  const std::string& path() const { return path_; }

 private:
  void Advance();
  void SkipSpace();
  std::size_t LengthOfSign() const;

  std::string_view text_;
  std::string path_;
  Language language_;
  std::size_t place_ = 0;
  int line_;
  Token next_;
};

}  // namespace assay::tools::litmus
