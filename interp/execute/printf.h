// printf of OpenCL C (6.15.14): interprets the format string; arguments are bits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/rules/finding.h"

namespace assay::interp {

enum class PrintfType : std::uint8_t { kInteger, kFloat, kPointer };

// One argument: a scalar, or a vector of up to 16 components.
struct PrintfArgument {
  PrintfType type = PrintfType::kInteger;
  std::uint8_t bits = 32;                 // of a component: 8, 16, 32 or 64
  std::vector<std::uint64_t> components;  // zero-extended bits
  // The text that a pointer into a constant object of the module points to, a literal string (for
  // %s).
  bool has_text = false;
  std::string text;
};

struct PrintfResult {
  std::string text;
  // printf's own result (6.15.14): 0, or -1 where something was wrong.
  int value = 0;
  // The errors in the format and the arguments, as sentences.  The text is then as useful as
  // possible ("%d" of a float prints a recognisable number, nothing undefined).
  struct Problem {
    Rule rule;
    std::string message;
  };
  std::vector<Problem> problems;
};

// Every conversion (d i o u x X f F e E g G a A c s p %), flag, width, precision, vector specifier
// (v2 v3 v4 v8 v16) and length modifier (hh h hl l) of 6.15.14.2.  Floating-point numbers are
// printed exactly as C's printf prints the same value as a double; half and float are converted
// exactly.
PrintfResult FormatPrintf(std::string_view format, std::span<const PrintfArgument> arguments);

}  // namespace assay::interp
