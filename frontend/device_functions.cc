#include "frontend/device_functions.h"

#include <algorithm>
#include <utility>

namespace assay::frontend {
namespace {

constexpr std::string_view kLibrary = "__devicelib_";
constexpr std::string_view kImf = "__imf_";

struct MathRow {
  std::string_view name;
  OpenClStd instruction;
};

struct IntegerRow {
  std::string_view name;
  OpenClStd instruction;
  DeviceType type;
  DeviceType result;
};

#define MATH(name, instruction) {#name, OpenClStd::k##instruction},
#define INTEGER(name, instruction, type, result)
#define EVALUATED(name, type, result)
constexpr MathRow kMathRows[] = {
#include "frontend/device_functions.def"
};
#undef MATH
#undef INTEGER
#define MATH(name, instruction)
#define INTEGER(name, instruction, type, result) \
  {#name, OpenClStd::k##instruction, DeviceType::k##type, DeviceType::k##result},
constexpr IntegerRow kIntegerRows[] = {
#include "frontend/device_functions.def"
};
#undef INTEGER
#undef EVALUATED
#define INTEGER(name, instruction, type, result)
#define EVALUATED(name, type, result) \
  {#name, OpenClStd{}, DeviceType::k##type, DeviceType::k##result},
constexpr IntegerRow kEvaluatedRows[] = {
#include "frontend/device_functions.def"
};
#undef MATH
#undef INTEGER
#undef EVALUATED

constexpr std::pair<std::string_view, DeviceType> kTypes[] = {
    {"half", DeviceType::kHalf},     {"float", DeviceType::kFloat},
    {"double", DeviceType::kDouble}, {"bfloat16", DeviceType::kBfloat16},
    {"short", DeviceType::kShort},   {"ushort", DeviceType::kUshort},
    {"int", DeviceType::kInt},       {"uint", DeviceType::kUint},
    {"ll", DeviceType::kLong},       {"ull", DeviceType::kUlong},
    {"longlong", DeviceType::kLong}};

std::optional<DeviceType> TypeNamed(std::string_view name) {
  for (const auto& [text, type] : kTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

bool Remove(std::string_view suffix, std::string_view* name) {
  if (!name->ends_with(suffix)) return false;
  name->remove_suffix(suffix.size());
  return true;
}

// CUDA's suffixes, which the library has.
std::optional<DeviceRounding> RemoveRounding(std::string_view* name) {
  constexpr std::pair<std::string_view, DeviceRounding> kSuffixes[] = {
      {"_rn", DeviceRounding::kRte},
      {"_rz", DeviceRounding::kRtz},
      {"_ru", DeviceRounding::kRtp},
      {"_rd", DeviceRounding::kRtn}};
  for (const auto& [suffix, rounding] : kSuffixes) {
    if (Remove(suffix, name)) return rounding;
  }
  return std::nullopt;
}

// float2int_rd, half2float.  What is not exact and names no rounding is rounded to nearest.
std::optional<DeviceFunction> Conversion(std::string_view name) {
  const auto rounding = RemoveRounding(&name);
  // "bfloat162float" has two of them.
  for (std::size_t place = name.find('2'); place != name.npos; place = name.find('2', place + 1)) {
    const auto from = TypeNamed(name.substr(0, place));
    const auto to = TypeNamed(name.substr(place + 1));
    if (!from || !to) continue;
    return DeviceFunction{.kind = DeviceFunctionKind::kConversion,
                          .type = *from,
                          .result = *to,
                          .rounding = rounding.value_or(DeviceRounding::kRte)};
  }
  return std::nullopt;
}

std::optional<DeviceFunction> Bits(std::string_view name) {
  const std::size_t place = name.find("_as_");
  if (place == name.npos) return std::nullopt;
  const auto from = TypeNamed(name.substr(0, place));
  const auto to = TypeNamed(name.substr(place + 4));
  if (!from || !to) return std::nullopt;
  return DeviceFunction{.kind = DeviceFunctionKind::kBits, .type = *from, .result = *to};
}

// fadd_rz, drcp_ru, fmaf_rn, sqrt_rd.
std::optional<DeviceFunction> Arithmetic(std::string_view name) {
  const auto rounding = RemoveRounding(&name);
  if (!rounding || name.size() < 3) return std::nullopt;
  DeviceFunction function{.kind = DeviceFunctionKind::kArithmetic, .rounding = *rounding};
  function.type = name[0] == 'f' ? DeviceType::kFloat : DeviceType::kDouble;
  function.name = name.substr(1);
  constexpr std::string_view kOperations[] = {"add", "sub", "mul", "div", "rcp"};
  const bool begins = name[0] == 'f' || name[0] == 'd';
  const bool known =
      begins && std::ranges::find(kOperations, function.name) != std::end(kOperations);
  if (!known) {
    function.type = Remove("f", &name) ? DeviceType::kFloat : DeviceType::kDouble;
    function.name = name;
    if (name != "fma" && name != "sqrt") return std::nullopt;
  }
  function.result = function.type;
  return function;
}

// What a name with "f" for float, "f16" for half or nothing for double stands for, if `is_known`.
template <typename IsKnown>
std::optional<DeviceType> RemoveType(std::string_view* name, const IsKnown& is_known) {
  constexpr std::pair<std::string_view, DeviceType> kSuffixes[] = {
      {"", DeviceType::kDouble}, {"f", DeviceType::kFloat}, {"f16", DeviceType::kHalf}};
  for (const auto& [suffix, type] : kSuffixes) {
    std::string_view rest = *name;
    if (!Remove(suffix, &rest) || !is_known(rest)) continue;
    *name = rest;
    return type;
  }
  return std::nullopt;
}

std::optional<DeviceFunction> Math(std::string_view name) {
  // With high, low and enhanced performance's accuracy.
  if (!Remove("_ha", &name) && !Remove("_la", &name)) Remove("_ep", &name);
  const MathRow* row = nullptr;
  const auto type = RemoveType(&name, [&row](std::string_view rest) {
    row = std::ranges::find(kMathRows, rest, &MathRow::name);
    return row != std::end(kMathRows);
  });
  if (!type) return std::nullopt;
  return DeviceFunction{.kind = DeviceFunctionKind::kMath,
                        .name = row->name,
                        .instruction = row->instruction,
                        .type = *type,
                        .result = *type};
}

std::optional<DeviceFunction> TestOrRounding(std::string_view name) {
  constexpr std::string_view kTests[] = {"isnan", "isinf", "isfinite", "signbit"};
  const auto test = RemoveType(&name, [&](std::string_view rest) {
    return std::ranges::find(kTests, rest) != std::end(kTests);
  });
  if (test) {
    return DeviceFunction{
        .kind = DeviceFunctionKind::kTest, .name = name, .type = *test, .result = DeviceType::kInt};
  }
  constexpr std::string_view kRoundings[] = {"lrint", "lround", "llrint", "llround"};
  const auto rounded = RemoveType(&name, [&](std::string_view rest) {
    return std::ranges::find(kRoundings, rest) != std::end(kRoundings);
  });
  if (!rounded) return std::nullopt;
  name.remove_prefix(name.starts_with("ll") ? 2 : 1);
  return DeviceFunction{.kind = DeviceFunctionKind::kToLong,
                        .name = name,
                        .type = *rounded,
                        .result = DeviceType::kLong};
}

std::optional<DeviceFunction> Integer(std::string_view name) {
  const auto make = [](const IntegerRow& row, DeviceFunctionKind kind) {
    return DeviceFunction{.kind = kind,
                          .name = row.name,
                          .instruction = row.instruction,
                          .type = row.type,
                          .result = row.result};
  };
  for (const IntegerRow& row : kIntegerRows) {
    if (row.name == name) return make(row, DeviceFunctionKind::kInteger);
  }
  for (const IntegerRow& row : kEvaluatedRows) {
    if (row.name == name) return make(row, DeviceFunctionKind::kEvaluated);
  }
  return std::nullopt;
}

// ConvertFToBF16INTEL, ConvertBF16ToFINTELVec4, memcpy.
std::optional<DeviceFunction> OfMemory(std::string_view name) {
  if (name == "memcpy" || name == "memset" || name == "memcmp") {
    return DeviceFunction{.kind = DeviceFunctionKind::kMemory, .name = name};
  }
  DeviceFunction function{.kind = DeviceFunctionKind::kBfloatValue};
  constexpr std::pair<std::string_view, std::uint32_t> kVectors[] = {
      {"Vec16", 16}, {"Vec8", 8}, {"Vec4", 4}, {"Vec3", 3}, {"Vec2", 2}, {"Vec1", 1}};
  for (const auto& [suffix, count] : kVectors) {
    if (function.kind == DeviceFunctionKind::kBfloatValue && Remove(suffix, &name)) {
      function.kind = DeviceFunctionKind::kBfloatArray;
      function.count = count;
    }
  }
  const bool narrows = name == "ConvertFToBF16INTEL";
  if (!narrows && name != "ConvertBF16ToFINTEL") return std::nullopt;
  function.type = narrows ? DeviceType::kFloat : DeviceType::kBfloat16;
  function.result = narrows ? DeviceType::kBfloat16 : DeviceType::kFloat;
  return function;
}

}  // namespace

bool IsOfDeviceLibrary(std::string_view name) {
  return name.starts_with(kLibrary) || name.starts_with(kImf);
}

std::optional<DeviceFunction> FindDeviceFunction(std::string_view name) {
  if (name.starts_with(kLibrary)) {
    name.remove_prefix(kLibrary.size());
    if (const auto function = OfMemory(name)) return function;
    if (name == "abs" || name == "labs" || name == "llabs") return Integer(name);
    return Math(name);
  }
  if (!name.starts_with(kImf)) return std::nullopt;
  name.remove_prefix(kImf.size());
  for (const auto find : {Math, Integer, TestOrRounding, Bits, Conversion, Arithmetic}) {
    if (const auto function = find(name)) return function;
  }
  return std::nullopt;
}

}  // namespace assay::frontend
