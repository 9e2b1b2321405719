#include "numerics/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "numerics/function.h"
#include "numerics/near_names.h"

namespace assay::numerics {
namespace {

ScalarType UnsignedOfWidth(int width) {
  return width == 16 ? ScalarType::kUshort : width == 32 ? ScalarType::kUint : ScalarType::kUlong;
}

// One letter of a signature in functions.def.
Slot SlotOf(char letter, Format format, int components) {
  switch (letter) {
    case 'I':
      return {ScalarType::kInt, 1};
    case 'U':
      return {UnsignedOfWidth(Traits(format).width), 1};
    case 'V':
      return {ScalarTypeOf(format), components};
    default:
      return {ScalarTypeOf(format), 1};
  }
}

std::vector<Slot> SlotsOf(std::string_view letters, Format format, int components) {
  std::vector<Slot> slots;
  for (char letter : letters) slots.push_back(SlotOf(letter, format, components));
  return slots;
}

int ScalarsIn(const std::vector<Slot>& slots) {
  return std::accumulate(slots.begin(), slots.end(), 0,
                         [](int sum, const Slot& slot) { return sum + slot.components; });
}

std::vector<ScalarType> ScalarTypesIn(const std::vector<Slot>& slots) {
  std::vector<ScalarType> types;
  for (const Slot& slot : slots) {
    types.insert(types.end(), static_cast<std::size_t>(slot.components), slot.type);
  }
  return types;
}

std::string SuffixText(std::optional<Rounding> suffix) {
  return suffix ? fmt::format("_{}", RoundingName(*suffix)) : std::string();
}

// The names a user may have meant -------------------------------------------------------------

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const FunctionInfo& info : AllFunctions()) names.emplace_back(info.name);
  for (const Operation& operation : AllConversions()) names.push_back(operation.Name());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

tl::unexpected<Error> UnknownName(std::string_view name) {
  const std::string meant = NearNames(name, AllNames());
  return Fail(ErrorKind::kUsage,
              meant.empty()
                  ? fmt::format("unknown function '{}': `assay list` shows all names", name)
                  : fmt::format("unknown function '{}': did you mean {}? `assay list` shows all "
                                "names",
                                name, meant));
}

// Parsing names -------------------------------------------------------------------------------

// Removes `prefix` from the front of `text`, or answers false.
bool Consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Reads "" or "_rte", ...; false for anything else.
bool ParseSuffix(std::string_view text, std::optional<Rounding>* suffix) {
  suffix->reset();
  if (text.empty()) return true;
  if (Consume(text, "_")) *suffix = RoundingFromName(text);
  return suffix->has_value();
}

Expected<Operation> ConversionFromName(std::string_view name, std::string_view format) {
  std::string_view rest = name;
  Consume(rest, "convert_");
  const std::string_view type_name = rest.substr(0, rest.find('_'));
  const std::optional<ScalarType> to = ScalarTypeFromName(type_name);
  rest.remove_prefix(type_name.size());
  if (!to) return UnknownName(name);
  const bool saturate = rest == "_sat" || rest.starts_with("_sat_");
  if (saturate) rest.remove_prefix(4);
  std::optional<Rounding> suffix;
  if (!ParseSuffix(rest, &suffix)) return UnknownName(name);
  if (saturate && IsFloating(*to)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' does not exist: _sat may not be used for conversions to "
                            "floating-point formats (OpenCL C 6.4.3.3)",
                            name));
  }
  const std::optional<ScalarType> from = ScalarTypeFromName(format);
  if (!from) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no source type for {}: the format of a conversion is the type "
                            "that it converts from, one of char, uchar, short, ushort, int, uint, "
                            "long, ulong, half, bfloat16, float, double",
                            format, name));
  }
  return Operation::Convert(*from, *to, suffix, saturate);
}

Expected<Operation> HalfMemoryFromName(std::string_view name, std::string_view format) {
  if (name == "vload_half") {
    if (format == "half") return Operation::VloadHalf();
    return Fail(ErrorKind::kUsage,
                fmt::format("vload_half reads half, not '{}': use the format half", format));
  }
  std::string_view rest = name;
  Consume(rest, "vstore_half");
  std::optional<Rounding> suffix;
  if (!ParseSuffix(rest, &suffix)) return UnknownName(name);
  const std::optional<ScalarType> from = ScalarTypeFromName(format);
  if (from != ScalarType::kFloat && from != ScalarType::kDouble) {
    return Fail(ErrorKind::kUsage, fmt::format("{} stores float or double, not '{}': use one of "
                                               "these formats",
                                               name, format));
  }
  return Operation::VstoreHalf(*from, suffix);
}

std::string FormatList(unsigned mask) {
  std::string list;
  for (Format format : kAllFormats) {
    if ((mask >> static_cast<int>(format) & 1) == 0) continue;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Traits(format).name);
  }
  return list;
}

Expected<Operation> BuiltinFromName(const FunctionInfo& info, std::string_view format_name) {
  // "float3" is the format of a geometric function of three components.
  std::string_view scalar_name = format_name;
  int components = 1;
  if (info.IsGeometric() && format_name.size() > 1 && !FormatFromName(format_name)) {
    components = format_name.back() - '0';
    scalar_name.remove_suffix(1);
  }
  const std::optional<Format> format = FormatFromName(scalar_name);
  const int least = info.function == Function::cross ? 3 : 1;
  if (components == 1 && scalar_name == format_name) components = least;
  if (!format || components < least || components > 4) {
    return Fail(ErrorKind::kUsage,
                fmt::format("unknown format '{}' for {}: {}it exists for {}{}", format_name,
                            info.name, DidYouMeanFormat(scalar_name), FormatList(info.formats),
                            info.IsGeometric() ? fmt::format(", each with {} to 4 components "
                                                             "(float4)",
                                                             least)
                                               : ""));
  }
  if (!info.Supports(*format)) {
    return Fail(ErrorKind::kUsage, fmt::format("{} does not exist for {}: use {}", info.name,
                                               scalar_name, FormatList(info.formats)));
  }
  return Operation::Builtin(info.function, *format, components);
}

}  // namespace

Operation Operation::Builtin(Function function, Format format, int components) {
  Operation operation;
  operation.kind = OperationKind::kBuiltin;
  operation.function = function;
  operation.format = format;
  operation.components = !Info(function).IsGeometric() ? 1
                         : function == Function::cross ? std::max(components, 3)
                                                       : components;
  return operation;
}

Operation Operation::Convert(ScalarType from, ScalarType to, std::optional<Rounding> suffix,
                             bool saturate) {
  Operation operation;
  operation.kind = OperationKind::kConvert;
  operation.from = from;
  operation.to = to;
  operation.suffix = suffix;
  operation.saturate = saturate;
  return operation;
}

Operation Operation::VloadHalf() {
  Operation operation;
  operation.kind = OperationKind::kVloadHalf;
  operation.from = ScalarType::kHalf;
  operation.to = ScalarType::kFloat;
  return operation;
}

Operation Operation::VstoreHalf(ScalarType from, std::optional<Rounding> suffix) {
  Operation operation;
  operation.kind = OperationKind::kVstoreHalf;
  operation.from = from;
  operation.to = ScalarType::kHalf;
  operation.suffix = suffix;
  return operation;
}

std::vector<Slot> Operation::Inputs() const {
  if (kind != OperationKind::kBuiltin) return {{from, 1}};
  return SlotsOf(Info(function).operands, format, components);
}

std::vector<Slot> Operation::Outputs() const {
  if (kind != OperationKind::kBuiltin) return {{to, 1}};
  return SlotsOf(Info(function).results, format, components);
}

std::vector<ScalarType> Operation::ArgumentTypes() const { return ScalarTypesIn(Inputs()); }
std::vector<ScalarType> Operation::ResultTypes() const { return ScalarTypesIn(Outputs()); }
int Operation::ArgumentCount() const { return ScalarsIn(Inputs()); }
int Operation::ResultCount() const { return ScalarsIn(Outputs()); }

std::string Operation::Name() const {
  switch (kind) {
    case OperationKind::kConvert:
      return fmt::format("convert_{}{}{}", ScalarTypeName(to), saturate ? "_sat" : "",
                         SuffixText(suffix));
    case OperationKind::kVloadHalf:
      return "vload_half";
    case OperationKind::kVstoreHalf:
      return "vstore_half" + SuffixText(suffix);
    case OperationKind::kBuiltin:
      break;
  }
  return std::string(Info(function).name);
}

std::string Operation::FormatName() const {
  if (kind != OperationKind::kBuiltin) return std::string(ScalarTypeName(from));
  std::string name(Traits(format).name);
  if (components > 1) name += std::to_string(components);
  return name;
}

Expected<Operation> OperationFromName(std::string_view name, std::string_view format) {
  if (name.starts_with("convert_")) return ConversionFromName(name, format);
  if (name == "vload_half" || name.starts_with("vstore_half")) {
    return HalfMemoryFromName(name, format);
  }
  const std::optional<Function> function = FunctionFromName(name);
  if (!function) return UnknownName(name);
  return BuiltinFromName(Info(*function), format);
}

std::vector<Operation> AllConversions() {
  std::vector<std::optional<Rounding>> suffixes = {std::nullopt};
  suffixes.insert(suffixes.end(), std::begin(kAllRoundings), std::end(kAllRoundings));
  std::vector<Operation> all;
  for (ScalarType from : kAllScalarTypes) {
    for (ScalarType to : kAllScalarTypes) {
      // OpenCL C 6.4.3.1 lists no conversion of bfloat16.
      if (from == ScalarType::kBfloat16 || to == ScalarType::kBfloat16) continue;
      for (bool saturate : {false, true}) {
        if (saturate && IsFloating(to)) continue;
        for (const auto& suffix : suffixes) {
          all.push_back(Operation::Convert(from, to, suffix, saturate));
        }
      }
    }
  }
  all.push_back(Operation::VloadHalf());
  for (ScalarType from : {ScalarType::kFloat, ScalarType::kDouble}) {
    for (const auto& suffix : suffixes) all.push_back(Operation::VstoreHalf(from, suffix));
  }
  return all;
}

}  // namespace assay::numerics
