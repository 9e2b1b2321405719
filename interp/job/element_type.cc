#include <fmt/format.h>

#include "interp/job/buffer_content.h"
#include "interp/job/job.h"
#include "numerics/evaluate.h"
#include "numerics/literal.h"
#include "numerics/near_names.h"

namespace assay::interp {
namespace {

using numerics::ScalarType;

constexpr int kVectorSizes[] = {2, 3, 4, 8, 16};

// Every component type; bool is a byte here, as in memory.
std::vector<std::string> ComponentNames() {
  std::vector<std::string> names = {"bool"};
  for (const ScalarType type : numerics::kAllScalarTypes) {
    names.emplace_back(numerics::ScalarTypeName(type));
  }
  return names;
}

std::optional<ScalarType> ScalarFromName(std::string_view name) {
  return name == "bool" ? ScalarType::kUchar : numerics::ScalarTypeFromName(name);
}

tl::unexpected<Error> UnknownType(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string& component : ComponentNames()) {
    names.push_back(component);
    if (component == "bool") continue;
    for (int size : kVectorSizes) names.push_back(fmt::format("{}{}", component, size));
  }
  const std::string near = numerics::NearNames(text, names);
  return Fail(ErrorKind::kUsage,
              near.empty()
                  ? fmt::format("unknown type '{}': it is char, uchar, short, ushort, int, "
                                "uint, long, ulong, half, bfloat16, float, double, one of "
                                "these with 2, 3, 4, 8 or 16 behind it, or bool",
                                text)
                  : fmt::format("unknown type '{}': did you mean {}?", text, near));
}

}  // namespace

Expected<ElementType> ParseElementType(std::string_view text) {
  ElementType type{.name = std::string(text), .component = std::string(text)};
  if (!ScalarFromName(text)) {
    // "bfloat16" is a name by itself, and was found above.
    for (int size : kVectorSizes) {
      const std::string suffix = fmt::format("{}", size);
      if (!text.ends_with(suffix)) continue;
      const std::string_view component = text.substr(0, text.size() - suffix.size());
      if (!numerics::ScalarTypeFromName(component)) continue;
      type.component = component;
      type.components = size;
    }
    if (type.components == 1) return UnknownType(text);
  }
  const int places = type.components == 3 ? 4 : type.components;  // 6.1.5
  type.bytes = static_cast<std::uint32_t>(numerics::SizeOf(ScalarOf(type))) *
               static_cast<std::uint32_t>(places);
  return type;
}

ScalarType ScalarOf(const ElementType& type) {
  return ScalarFromName(type.component).value_or(ScalarType::kUchar);
}

std::vector<numerics::Bits> ComponentsOf(const ElementType& type, std::span<const std::byte> bytes,
                                         std::uint64_t index) {
  std::vector<numerics::Bits> components;
  const std::byte* element = bytes.data() + index * type.bytes;
  for (std::size_t i = 0; i < static_cast<std::size_t>(type.components); ++i) {
    components.push_back(numerics::LoadElement(ScalarOf(type), element, i));
  }
  return components;
}

std::string FormatElement(const ElementType& type, std::span<const numerics::Bits> components) {
  std::string values, bits;
  for (const numerics::Bits component : components) {
    const std::string_view separator = values.empty() ? "" : ", ";
    values += fmt::format("{}{}", separator, numerics::FormatDecimal(ScalarOf(type), component));
    bits += fmt::format("{}{}", separator, numerics::FormatBits(ScalarOf(type), component));
  }
  return type.components == 1 ? fmt::format("{} ({})", values, bits)
                              : fmt::format("({}) ({})", values, bits);
}

}  // namespace assay::interp
