// Expressions of the debugger: a subset of OpenCL C, plus %31 for the value of a SPIR-V id, and
// $item, $group, $time, $pc and $line.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "frontend/debug_types.h"

namespace assay::interp {

struct DebugExpression {
  enum class Kind : std::uint8_t {
    kInteger,  // `bits`, of `type`
    kFloat,    // the same
    kName,     // a variable; `text`
    kId,       // %31; `text` without the sign
    kDollar,   // $item; `text` without the sign
    kCall,     // `text` is the function
    kMember,   // operand . text
    kArrow,    // operand -> text
    kIndex,    // operand [ operand ]
    kUnary,    // `text` is the operator: - + ! ~ * &
    kBinary,   // the same; = and gdb's @ too
    kConditional,
    kCast,    // to `type`
    kVector,  // (float4)(operands): of `type`
    kSizeof,  // of `type`, or of the operand
  };
  Kind kind = Kind::kInteger;
  std::size_t column = 1;  // from 1, of the operator or the first character
  std::string text;
  std::uint64_t bits = 0;
  frontend::TypeRef type = 0;
  std::vector<DebugExpression> operands;
};

// kUsage names the column.  Types are those of the module and the built-in ones.
Expected<DebugExpression> ParseDebugExpression(const std::string& text,
                                               frontend::SourceTypes* types);
// Whether computing it changes something.
bool Assigns(const DebugExpression& expression);
// "float4", "global int*", "uint[4]", "struct Pair"; nothing if it is not a type.
std::optional<frontend::TypeRef> ParseDebugType(const std::string& text,
                                                frontend::SourceTypes* types);

}  // namespace assay::interp
