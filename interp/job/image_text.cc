// Images as text: names, places of elements, colors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interp/job/image_content.h"
#include "numerics/image/read.h"
#include "numerics/literal.h"
#include "numerics/near_names.h"

namespace assay::interp {
namespace {

namespace ni = numerics::image;
using numerics::Bits;
using numerics::ScalarType;

// A name with or without "CL_" before it, by a function that knows the whole names.
template <typename Value>
Expected<Value> ParseName(std::string_view name, std::optional<Value> (*find)(std::string_view),
                          std::string_view what, const std::vector<std::string>& names) {
  const std::string whole =
      name.starts_with("CL_") ? std::string(name) : fmt::format("CL_{}", name);
  if (const auto value = find(whole)) return *value;
  std::vector<std::string> full;
  for (const std::string& other : names) full.push_back("CL_" + other);
  const std::string near = numerics::NearNames(whole, full);
  return Fail(ErrorKind::kUsage,
              near.empty()
                  ? fmt::format("there is no channel {} '{}'; there are {}", what, name,
                                fmt::join(names, ", "))
                  : fmt::format("there is no channel {} '{}': did you mean {}?", what, name, near));
}

std::string WithoutPrefix(std::string_view name) {
  return std::string(name.starts_with("CL_") ? name.substr(3) : name);
}

}  // namespace

Expected<ni::ChannelOrder> ParseChannelOrder(std::string_view name) {
  std::vector<std::string> names;
  for (int i = 0; i < ni::kChannelOrders; ++i) {
    names.push_back(WithoutPrefix(ni::Name(static_cast<ni::ChannelOrder>(i))));
  }
  return ParseName(name, ni::ChannelOrderFromName, "order", names);
}

Expected<ni::ChannelType> ParseChannelType(std::string_view name) {
  std::vector<std::string> names;
  for (const ni::ChannelType type : ni::kAllChannelTypes) {
    names.push_back(WithoutPrefix(ni::Name(type)));
  }
  return ParseName(name, ni::ChannelTypeFromName, "type", names);
}

Expected<ni::AddressMode> ParseAddressMode(std::string_view name) {
  constexpr std::string_view kNames[] = {"none", "clamp_to_edge", "clamp", "repeat",
                                         "mirrored_repeat"};
  const auto* found = std::ranges::find(kNames, name);
  if (found != std::end(kNames)) return static_cast<ni::AddressMode>(found - std::begin(kNames));
  return Fail(ErrorKind::kUsage, fmt::format("there is no address mode '{}'; there are {}", name,
                                             fmt::join(kNames, ", ")));
}

Expected<ni::FilterMode> ParseFilterMode(std::string_view name) {
  if (name == "nearest") return ni::FilterMode::kNearest;
  if (name == "linear") return ni::FilterMode::kLinear;
  return Fail(ErrorKind::kUsage,
              fmt::format("there is no filter '{}'; there are nearest and linear", name));
}

std::string ColorType::Letters() const {
  std::string letters;
  for (const std::size_t component : components) {
    letters += fmt::format("{}{}", letters.empty() ? "" : ", ", "rgba"[component]);
  }
  return letters;
}

ColorType ColorTypeOf(ni::ImageFormat format) {
  ColorType color;
  switch (ni::KindOf(format.type)) {
    case ni::ChannelKind::kSigned:
      color = {ScalarType::kInt, ni::DataType::kInt, {}};
      break;
    case ni::ChannelKind::kUnsigned:
      color = {ScalarType::kUint, ni::DataType::kUint, {}};
      break;
    case ni::ChannelKind::kHalf:
      color = {ScalarType::kHalf, ni::DataType::kHalf, {}};
      break;
    case ni::ChannelKind::kUnorm:
    case ni::ChannelKind::kSnorm:
    case ni::ChannelKind::kFloat:
      break;
  }
  const ni::ElementLayout layout = ni::LayoutOf(format).value_or(ni::ElementLayout{});
  for (int i = 0; i < layout.fields; ++i) {
    color.components.push_back(layout.field[static_cast<std::size_t>(i)].component);
  }
  std::ranges::sort(color.components);
  return color;
}

ElementType ElementTypeOf(ni::ImageFormat format) {
  const ni::ElementLayout layout = ni::LayoutOf(format).value_or(ni::ElementLayout{.bytes = 1});
  const int width = layout.field[0].width;
  // Channels that are bytes or words of their own; others are one number together.
  const bool apart = std::all_of(
      layout.field.begin(), layout.field.begin() + layout.fields,
      [&](ni::ChannelField field) { return field.width == width && field.offset % width == 0; });
  const bool is_word = width == 8 || width == 16 || width == 32;
  const int bits = apart && is_word ? width : std::min(32, layout.bytes * 8);
  const ni::ChannelKind kind = ni::KindOf(format.type);
  std::string name = bits == 8 ? "uchar" : bits == 16 ? "ushort" : "uint";
  if (kind == ni::ChannelKind::kSigned && is_word) name = name.substr(1);
  if (kind == ni::ChannelKind::kHalf) name = "half";
  if (kind == ni::ChannelKind::kFloat && bits == 32) name = "float";
  const int components = layout.bytes * 8 / bits;
  if (components > 1) name += std::to_string(components);
  return ParseElementType(name).value_or(ElementType{});
}

std::uint64_t ElementsOf(const ImageDescriptor& image) {
  const auto layout = ni::LayoutOf(image.format);
  return layout ? ImageBytes(image) / static_cast<std::uint64_t>(layout->bytes) : 0;
}

std::string PlaceText(const ImageDescriptor& image, std::uint64_t element) {
  int level = 0;
  std::array<std::uint64_t, 3> size{};
  const auto layers = static_cast<std::uint64_t>(image.layers);
  const auto samples = static_cast<std::uint64_t>(image.samples);
  for (;; ++level) {
    for (std::size_t d = 0; d < 3; ++d) {
      size[d] = static_cast<std::uint64_t>(ni::MipSize(image.size[d], level));
    }
    const std::uint64_t elements = size[0] * size[1] * size[2] * layers * samples;
    if (element < elements || level + 1 >= image.levels) break;
    element -= elements;
  }
  std::string text = fmt::format("({}", element % size[0]);
  std::uint64_t left = element / size[0];
  for (int d = 1; d < DimensionsOf(image.shape); ++d) {
    text += fmt::format(",{}", left % size[static_cast<std::size_t>(d)]);
    left /= size[static_cast<std::size_t>(d)];
  }
  text += ")";
  const std::uint64_t layer = left % layers, sample = left / layers;
  if (IsArrayed(image.shape)) text += fmt::format(" of layer {}", layer);
  if (samples > 1) text += fmt::format(" of sample {}", sample);
  if (image.levels > 1) text += fmt::format(" of level {}", level);
  return text;
}

std::vector<Bits> ColorOf(const ImageDescriptor& image, std::span<const std::byte> bytes,
                          std::uint64_t element) {
  const ni::ElementLayout layout = ni::LayoutOf(image.format).value_or(ni::ElementLayout{});
  const ColorType type = ColorTypeOf(image.format);
  const std::byte* place = bytes.data() + element * static_cast<std::uint64_t>(layout.bytes);
  std::vector<Bits> color;
  for (const std::size_t component : type.components) {
    for (int i = 0; i < layout.fields; ++i) {
      const ni::ChannelField field = layout.field[static_cast<std::size_t>(i)];
      if (field.component != component) continue;
      const auto exact = ni::DecodeField(image.format, field, ni::ReadField(place, field));
      color.push_back(ni::RoundComponent(exact, type.data, numerics::Rounding::kRte));
    }
  }
  return color;
}

std::string FormatColor(const ImageDescriptor& image, std::span<const std::byte> bytes,
                        std::uint64_t element) {
  const ColorType type = ColorTypeOf(image.format);
  std::string values, bits;
  for (const Bits component : ColorOf(image, bytes, element)) {
    const std::string_view separator = values.empty() ? "" : ", ";
    values += fmt::format("{}{}", separator, numerics::FormatDecimal(type.scalar, component));
    bits += fmt::format("{}{}", separator, numerics::FormatBits(type.scalar, component));
  }
  return type.components.size() == 1 ? fmt::format("{} ({})", values, bits)
                                     : fmt::format("({}) ({})", values, bits);
}

bool IsSameElement(ni::ImageFormat format, const std::byte* a, const std::byte* b) {
  const ni::ElementLayout layout = ni::LayoutOf(format).value_or(ni::ElementLayout{});
  return std::all_of(
      layout.field.begin(), layout.field.begin() + layout.fields,
      [&](ni::ChannelField field) { return ni::ReadField(a, field) == ni::ReadField(b, field); });
}

}  // namespace assay::interp
