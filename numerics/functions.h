// The built-ins of the OpenCL numerical compliance chapter, one row each (functions.def).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "numerics/format.h"

namespace assay::numerics {

enum class Function : std::uint16_t;  // the enumerators: function.h

enum class FunctionClass : std::uint8_t {
  kOperator,
  kMath,
  kHalf,
  kNative,
  kCommon,
  kGeometric,
};

inline constexpr unsigned kAllFormatsMask = 0b1111;
inline constexpr unsigned kFloatOnly = 1u << static_cast<int>(Format::kFloat);

struct FunctionInfo {
  Function function;
  std::string_view name;
  FunctionClass cls;
  std::string_view operands;    // a letter each: F, I, U or V (functions.def)
  std::string_view results;     // likewise; the second one is returned through a pointer
  unsigned formats;             // bit per Format
  std::string_view expression;  // OpenCL C over x, y, z; empty: name(x, y, z)

  bool Supports(Format f) const { return (formats >> static_cast<int>(f) & 1) != 0; }
  bool IsGeometric() const { return cls == FunctionClass::kGeometric; }
  int Arity() const { return static_cast<int>(operands.size()); }
};

std::span<const FunctionInfo> AllFunctions();
const FunctionInfo& Info(Function function);
std::optional<Function> FunctionFromName(std::string_view name);
std::string_view FunctionClassName(FunctionClass cls);

}  // namespace assay::numerics
