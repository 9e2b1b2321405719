#include "numerics/image/format.h"

#include <algorithm>
#include <bit>

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;

struct OrderRow {
  std::string_view name;
  // The channels in memory order: r g b a, x ignored, I intensity, L luminance, D depth, S stencil.
  std::string_view channels;
};

constexpr OrderRow kOrders[] = {
    {"CL_R", "r"},         {"CL_A", "a"},        {"CL_RG", "rg"},
    {"CL_RA", "ra"},       {"CL_RGB", "rgb"},    {"CL_RGBA", "rgba"},
    {"CL_BGRA", "bgra"},   {"CL_ARGB", "argb"},  {"CL_INTENSITY", "I"},
    {"CL_LUMINANCE", "L"}, {"CL_Rx", "rx"},      {"CL_RGx", "rgx"},
    {"CL_RGBx", "rgbx"},   {"CL_DEPTH", "D"},    {"CL_DEPTH_STENCIL", "DS"},
    {"CL_sRGB", "rgb"},    {"CL_sRGBx", "rgbx"}, {"CL_sRGBA", "rgba"},
    {"CL_sBGRA", "bgra"},  {"CL_ABGR", "abgr"},
};
static_assert(std::size(kOrders) == kChannelOrders);

struct TypeRow {
  ChannelType type;
  std::string_view name;
  ChannelKind kind;
  int storage;  // bits of one channel in memory; 0: packed
  int low;      // the lowest bit of the storage that has the value
};

constexpr TypeRow kTypes[] = {
    {kSnormInt8, "CL_SNORM_INT8", ChannelKind::kSnorm, 8, 0},
    {kSnormInt16, "CL_SNORM_INT16", ChannelKind::kSnorm, 16, 0},
    {kUnormInt8, "CL_UNORM_INT8", ChannelKind::kUnorm, 8, 0},
    {kUnormInt16, "CL_UNORM_INT16", ChannelKind::kUnorm, 16, 0},
    {kUnormShort565, "CL_UNORM_SHORT_565", ChannelKind::kUnorm, 0, 0},
    {kUnormShort555, "CL_UNORM_SHORT_555", ChannelKind::kUnorm, 0, 0},
    {kUnormInt101010, "CL_UNORM_INT_101010", ChannelKind::kUnorm, 0, 0},
    {kSignedInt8, "CL_SIGNED_INT8", ChannelKind::kSigned, 8, 0},
    {kSignedInt16, "CL_SIGNED_INT16", ChannelKind::kSigned, 16, 0},
    {kSignedInt32, "CL_SIGNED_INT32", ChannelKind::kSigned, 32, 0},
    {kUnsignedInt8, "CL_UNSIGNED_INT8", ChannelKind::kUnsigned, 8, 0},
    {kUnsignedInt16, "CL_UNSIGNED_INT16", ChannelKind::kUnsigned, 16, 0},
    {kUnsignedInt32, "CL_UNSIGNED_INT32", ChannelKind::kUnsigned, 32, 0},
    {kHalfFloat, "CL_HALF_FLOAT", ChannelKind::kHalf, 16, 0},
    {kFloat, "CL_FLOAT", ChannelKind::kFloat, 32, 0},
    {kUnormInt24, "CL_UNORM_INT24", ChannelKind::kUnorm, 24, 0},
    {kUnormInt101010_2, "CL_UNORM_INT_101010_2", ChannelKind::kUnorm, 0, 0},
    {kUnormInt10X6, "CL_UNORM_INT10X6_EXT", ChannelKind::kUnorm, 16, 6},
    {kUnormInt2_101010, "CL_UNORM_INT_2_101010_EXT", ChannelKind::kUnorm, 0, 0},
    {kUnsignedInt10X6, "CL_UNSIGNED_INT10X6_EXT", ChannelKind::kUnsigned, 16, 6},
    {kUnsignedInt12X4, "CL_UNSIGNED_INT12X4_EXT", ChannelKind::kUnsigned, 16, 4},
    {kUnsignedInt14X2, "CL_UNSIGNED_INT14X2_EXT", ChannelKind::kUnsigned, 16, 2},
    {kUnormInt12X4, "CL_UNORM_INT12X4_EXT", ChannelKind::kUnorm, 16, 4},
    {kUnormInt14X2, "CL_UNORM_INT14X2_EXT", ChannelKind::kUnorm, 16, 2},
};

const TypeRow& Row(ChannelType type) {
  return *std::find_if(std::begin(kTypes), std::end(kTypes),
                       [type](const TypeRow& row) { return row.type == type; });
}
const OrderRow& Row(ChannelOrder order) { return kOrders[static_cast<int>(order)]; }

struct PackedRow {
  ChannelType type;
  int bytes;
  std::array<ChannelField, 4> field;  // in the order r, g, b, a; width 0: none
};

// "For CL_UNORM_SHORT_565, R is in bits 15:11, G is in bits 10:5 and B is in bits 4:0." and so on.
constexpr PackedRow kPacked[] = {
    {kUnormShort565, 2, {{{11, 5, 0}, {5, 6, 1}, {0, 5, 2}, {}}}},
    {kUnormShort555, 2, {{{10, 5, 0}, {5, 5, 1}, {0, 5, 2}, {}}}},
    {kUnormInt101010, 4, {{{20, 10, 0}, {10, 10, 1}, {0, 10, 2}, {}}}},
    {kUnormInt101010_2, 4, {{{22, 10, 0}, {12, 10, 1}, {2, 10, 2}, {0, 2, 3}}}},
    {kUnormInt2_101010, 4, {{{0, 10, 0}, {10, 10, 1}, {20, 10, 2}, {30, 2, 3}}}},
};

// "The channel order must be ...", of the table of data types.
bool TypeGoesWithOrder(ImageFormat format) {
  const ChannelOrder order = format.order;
  switch (format.type) {
    case kUnormShort565:
    case kUnormShort555:
    case kUnormInt101010:
      return order == kRGB || order == kRGBx;
    case kUnormInt101010_2:
      return order == kRGBA;
    case kUnormInt2_101010:
      return order == kABGR;
    case kUnormInt10X6:
    case kUnormInt12X4:
    case kUnormInt14X2:
    case kUnsignedInt10X6:
    case kUnsignedInt12X4:
    case kUnsignedInt14X2:
      return order == kR || order == kRG || order == kRGBA;
    case kSnormInt8:
    case kSnormInt16:
    case kUnormInt8:
    case kUnormInt16:
    case kSignedInt8:
    case kSignedInt16:
    case kSignedInt32:
    case kUnsignedInt8:
    case kUnsignedInt16:
    case kUnsignedInt32:
    case kHalfFloat:
    case kFloat:
    case kUnormInt24:
      break;
  }
  return true;
}

bool OrderGoesWithType(ImageFormat format) {
  if (format.order == kDepthStencil) return format.type == kUnormInt24 || format.type == kFloat;
  // The conversion rules know "a normalized 8-bit unsigned integer sRGB color value" only.
  if (IsSrgb(format.order)) return format.type == kUnormInt8;
  return true;
}

void MapComponent(char channel, std::int8_t field, ElementLayout* layout) {
  const auto map = [&](std::initializer_list<int> components) {
    for (int component : components) layout->source[static_cast<std::size_t>(component)] = field;
  };
  if (channel == 'r' || channel == 'D') map({0});
  if (channel == 'g') map({1});
  if (channel == 'b') map({2});
  if (channel == 'a') map({3});
  if (channel == 'L') map({0, 1, 2});
  if (channel == 'I') map({0, 1, 2, 3});
}

void AddField(char channel, ChannelField field, ElementLayout* layout) {
  const auto position = std::string_view("rgba").find(channel);
  field.component = position == std::string_view::npos ? 0 : static_cast<std::uint8_t>(position);
  MapComponent(channel, static_cast<std::int8_t>(layout->fields), layout);
  layout->field[static_cast<std::size_t>(layout->fields++)] = field;
}

// One little-endian integer with the depth first, so in its most significant bits, and 8 bits of
// stencil; or a float and a second 32-bit value ("Restrictions on Depth/Stencil Images").
ElementLayout DepthStencilLayout(ChannelType type) {
  ElementLayout layout = {.bytes = type == kUnormInt24 ? 4 : 8, .scalar = true};
  AddField('D', type == kUnormInt24 ? ChannelField{8, 24, 0} : ChannelField{0, 32, 0}, &layout);
  return layout;
}

ElementLayout PackedLayout(const PackedRow& row) {
  ElementLayout layout = {.bytes = row.bytes};
  for (std::size_t c = 0; c < 4; ++c) {
    if (row.field[c].width != 0) AddField("rgba"[c], row.field[c], &layout);
  }
  return layout;
}

}  // namespace

ChannelKind KindOf(ChannelType type) { return Row(type).kind; }

bool IsSrgb(ChannelOrder order) { return order >= kSRGB && order <= kSBGRA; }

std::string_view Name(ChannelOrder order) { return Row(order).name; }
std::string_view Name(ChannelType type) { return Row(type).name; }

std::optional<ChannelOrder> ChannelOrderFromName(std::string_view name) {
  for (int i = 0; i < kChannelOrders; ++i) {
    if (kOrders[i].name == name) return static_cast<ChannelOrder>(i);
  }
  return std::nullopt;
}

std::optional<ChannelType> ChannelTypeFromName(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

FormatCheck Check(ImageFormat format) {
  if (!TypeGoesWithOrder(format)) return FormatCheck::kTypeNeedsOtherOrder;
  if (!OrderGoesWithType(format)) return FormatCheck::kOrderNeedsOtherType;
  const int bytes = LayoutOf(format)->bytes;
  return std::has_single_bit(static_cast<unsigned>(bytes)) ? FormatCheck::kValid
                                                           : FormatCheck::kNotPowerOfTwo;
}

std::string_view Explain(FormatCheck check) {
  switch (check) {
    case FormatCheck::kValid:
      return "valid";
    case FormatCheck::kTypeNeedsOtherOrder:
      return "this channel data type goes with other channel orders only (OpenCL API, \"List of "
             "supported Image Channel Data Types\")";
    case FormatCheck::kOrderNeedsOtherType:
      return "this channel order goes with other channel data types only (OpenCL API, \"List of "
             "supported Image Channel Order Values\"; OpenCL C 8.3.5 for sRGB)";
    case FormatCheck::kNotPowerOfTwo:
      return "the number of bits per element must be a power of two (OpenCL API, \"Image Format "
             "Descriptor\")";
  }
  return "";
}

std::optional<ElementLayout> LayoutOf(ImageFormat format) {
  if (!TypeGoesWithOrder(format) || !OrderGoesWithType(format)) return std::nullopt;
  if (format.order == kDepthStencil) return DepthStencilLayout(format.type);
  for (const PackedRow& row : kPacked) {
    if (row.type == format.type) return PackedLayout(row);
  }
  const TypeRow& type = Row(format.type);
  const std::string_view channels = Row(format.order).channels;
  ElementLayout layout = {.bytes = type.storage / 8 * static_cast<int>(channels.size()),
                          .scalar = format.order == kDepth};
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (channels[c] == 'x') continue;
    const int offset = static_cast<int>(c) * type.storage + type.low;
    AddField(
        channels[c],
        {static_cast<std::uint8_t>(offset), static_cast<std::uint8_t>(type.storage - type.low), 0},
        &layout);
  }
  // A and the like: "The unmapped components will be set to 0.0 for red, green and blue".
  return layout;
}

int BorderAlpha(ChannelOrder order) {
  const bool is_opaque =
      order == kR || order == kRG || order == kRGB || order == kSRGB || order == kLuminance;
  return is_opaque ? 1 : 0;
}

bool IsRequired(ImageFormat format, FormatList list) {
  const ChannelType type = format.type;
  const bool snorm = KindOf(type) == ChannelKind::kSnorm;
  const bool plain = type == kUnormInt8 || type == kUnormInt16 || snorm || type == kHalfFloat ||
                     type == kFloat || (type >= kSignedInt8 && type <= kUnsignedInt32);
  const bool bytes = type == kUnormInt8;
  switch (list) {
    case FormatList::kReadOrWrite20:
      if (format.order == kDepth) return type == kUnormInt16 || type == kFloat;
      if (format.order == kDepthStencil) return type == kUnormInt24 || type == kFloat;
      if (format.order == kBGRA || format.order == kSRGBA) return bytes;
      return plain && (format.order == kR || format.order == kRG || format.order == kRGBA);
    case FormatList::kReadOrWrite:
      if (format.order == kBGRA) return bytes;
      return plain && !snorm && format.order == kRGBA;
    case FormatList::kReadWrite:
      return plain && !snorm && type != kUnormInt16 &&
             (format.order == kR || format.order == kRGBA);
  }
  return false;
}

std::uint64_t ReadField(const std::byte* element, ChannelField field) {
  const int first = field.offset / 8, last = (field.offset + field.width - 1) / 8;
  std::uint64_t bits = 0;
  for (int b = last; b >= first; --b) bits = bits << 8 | std::to_integer<std::uint64_t>(element[b]);
  return (bits >> field.offset % 8) & ((std::uint64_t{1} << field.width) - 1);
}

void WriteField(std::byte* element, ChannelField field, std::uint64_t bits) {
  const int first = field.offset / 8, last = (field.offset + field.width - 1) / 8;
  const int shift = field.offset % 8;
  const std::uint64_t mask = ((std::uint64_t{1} << field.width) - 1) << shift;
  bits = (bits << shift) & mask;
  for (int b = first; b <= last; ++b) {
    const int low = 8 * (b - first);
    element[b] =
        (element[b] & ~static_cast<std::byte>(mask >> low)) | static_cast<std::byte>(bits >> low);
  }
}

std::array<std::byte, 16> UsedBits(const ElementLayout& layout) {
  std::array<std::byte, 16> used = {};
  for (int f = 0; f < layout.fields; ++f) {
    WriteField(used.data(), layout.field[static_cast<std::size_t>(f)], ~std::uint64_t{0});
  }
  return used;
}

}  // namespace assay::numerics::image
