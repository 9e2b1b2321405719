// Format strings of the debugger's `printf` and `dprintf`: C's conversions, and OpenCL C's vectors.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/debug/messages.h"
#include "interp/execute/printf.h"

namespace assay::tools {

// A piece of a format: text, then a conversion.
struct FormatPiece {
  std::string before;    // as a format has it, with %%
  std::string flags;     // flags, width and precision
  std::string modifier;  // hh, h, l, or ""
  int components = 0;    // of a vector
  char conversion = 0;   // 0: the format ends before it

  bool IsInteger() const { return std::string_view("diouxXc").find(conversion) != npos; }
  bool IsFloat() const { return std::string_view("aAeEfFgG").find(conversion) != npos; }
  static constexpr std::size_t npos = std::string_view::npos;
};

// "FORMAT", EXPRESSION, ...
struct FormatRequest {
  std::vector<FormatPiece> pieces;
  std::vector<std::string> expressions;  // one for each conversion
};

// The message of kUsage says what is wrong.
Expected<FormatRequest> ParseFormatRequest(const std::string& text);

// Replaces C's escapes; kUsage for an invalid escape.
Expected<std::string> Unescaped(const std::string& text);

// A value as the debugger answered it, as one conversion takes it.  What nothing defined
// is `<undefined>`.
struct FormatArgument {
  std::string conversion;  // for the formatter: "%-8.3v4hlf"
  interp::PrintfArgument argument;
};
FormatArgument ArgumentOf(const FormatPiece& piece, const interp::debug::EvaluateAnswer& value);
FormatArgument TextArgument(const FormatPiece& piece, std::string text);

}  // namespace assay::tools
