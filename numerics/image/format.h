// Image formats: channel orders, channel data types, and where each channel lies in an element.
//
// OpenCL API specification, "Image Format Descriptor" (api/opencl_runtime_layer.asciidoc, tables
// "List of supported Image Channel Order Values" and "... Channel Data Types") and the mapping to
// SPIR-V (env/common_properties.asciidoc, "Image Channel Order Mapping").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay::numerics::image {

// The numbers are SPIR-V's (OpImageQueryOrder); OpenCL's are 0x10B0 more.
enum class ChannelOrder : std::uint8_t {
  kR,
  kA,
  kRG,
  kRA,
  kRGB,
  kRGBA,
  kBGRA,
  kARGB,
  kIntensity,
  kLuminance,
  kRx,
  kRGx,
  kRGBx,
  kDepth,
  kDepthStencil,
  kSRGB,
  kSRGBx,
  kSRGBA,
  kSBGRA,
  kABGR,
};
inline constexpr int kChannelOrders = 20;

// The numbers are SPIR-V's (OpImageQueryFormat); OpenCL's are 0x10D0 more.
enum class ChannelType : std::uint8_t {
  kSnormInt8,
  kSnormInt16,
  kUnormInt8,
  kUnormInt16,
  kUnormShort565,
  kUnormShort555,
  kUnormInt101010,
  kSignedInt8,
  kSignedInt16,
  kSignedInt32,
  kUnsignedInt8,
  kUnsignedInt16,
  kUnsignedInt32,
  kHalfFloat,
  kFloat,
  kUnormInt24,
  kUnormInt101010_2,
  kUnormInt10X6 = 17,      // cl_ext_image_unsigned_10x6_12x4_14x2
  kUnormInt2_101010 = 21,  // cl_ext_image_unorm_int_2_101010
  kUnsignedInt10X6 = 22,   // cl_ext_image_unsigned_10x6_12x4_14x2, to the end
  kUnsignedInt12X4 = 23,
  kUnsignedInt14X2 = 24,
  kUnormInt12X4 = 25,
  kUnormInt14X2 = 26,
};

inline constexpr std::array kAllChannelTypes = {
    ChannelType::kSnormInt8,        ChannelType::kSnormInt16,       ChannelType::kUnormInt8,
    ChannelType::kUnormInt16,       ChannelType::kUnormShort565,    ChannelType::kUnormShort555,
    ChannelType::kUnormInt101010,   ChannelType::kSignedInt8,       ChannelType::kSignedInt16,
    ChannelType::kSignedInt32,      ChannelType::kUnsignedInt8,     ChannelType::kUnsignedInt16,
    ChannelType::kUnsignedInt32,    ChannelType::kHalfFloat,        ChannelType::kFloat,
    ChannelType::kUnormInt24,       ChannelType::kUnormInt101010_2, ChannelType::kUnormInt10X6,
    ChannelType::kUnormInt2_101010, ChannelType::kUnsignedInt10X6,  ChannelType::kUnsignedInt12X4,
    ChannelType::kUnsignedInt14X2,  ChannelType::kUnormInt12X4,     ChannelType::kUnormInt14X2};

struct ImageFormat {
  ChannelOrder order = ChannelOrder::kRGBA;
  ChannelType type = ChannelType::kUnormInt8;
  friend bool operator==(const ImageFormat&, const ImageFormat&) = default;
};

// What the bits of a channel mean.
enum class ChannelKind : std::uint8_t { kUnorm, kSnorm, kSigned, kUnsigned, kHalf, kFloat };

ChannelKind KindOf(ChannelType type);
// Read by read_imagef and read_imageh; the others by read_imagei or read_imageui.
inline bool IsFloatingKind(ChannelKind kind) {
  return kind != ChannelKind::kSigned && kind != ChannelKind::kUnsigned;
}
// The sRGB orders, whose R, G and B are not linear.
bool IsSrgb(ChannelOrder order);

// "CL_RGBA", "CL_UNORM_INT8".
std::string_view Name(ChannelOrder order);
std::string_view Name(ChannelType type);
std::optional<ChannelOrder> ChannelOrderFromName(std::string_view name);
std::optional<ChannelType> ChannelTypeFromName(std::string_view name);

// The host API's and OpenCL C's numbers (CL_R is 0x10B0, CL_SNORM_INT8 0x10D0).
constexpr std::uint32_t ClNumber(ChannelOrder order) {
  return 0x10B0U + static_cast<std::uint32_t>(order);
}
constexpr std::uint32_t ClNumber(ChannelType type) {
  return 0x10D0U + static_cast<std::uint32_t>(type);
}

// Is the combination one that an image may have?
enum class FormatCheck : std::uint8_t {
  kValid,
  kTypeNeedsOtherOrder,  // a packed or extension type with an order that its row does not name
  kOrderNeedsOtherType,  // DEPTH_STENCIL and the sRGB orders
  kNotPowerOfTwo,        // "The number of bits per element ... must be a power of two"
};
FormatCheck Check(ImageFormat format);
std::string_view Explain(FormatCheck check);

// One channel in the element: `width` bits from bit `offset` on, in little-endian bit numbering
// (bit 8*n + m is bit m of byte n).  Packed types are one little-endian integer.
struct ChannelField {
  std::uint8_t offset = 0;
  std::uint8_t width = 0;
  // The component of a written color that is stored here: 0 to 3 for r, g, b, a.
  std::uint8_t component = 0;
  friend bool operator==(const ChannelField&, const ChannelField&) = default;
};

// What component r, g, b or a of a read color is.
inline constexpr std::int8_t kZero = -1;
inline constexpr std::int8_t kOne = -2;

struct ElementLayout {
  int bytes = 0;   // of one element
  int fields = 0;  // channels that are read; the ignored ones and stencil are not here
  std::array<ChannelField, 4> field = {};
  // For r, g, b, a: the field that gives it, or kZero or kOne (OpenCL C 6.15.15, "Mapping Image
  // Channels to Color Values"; env "Mapping Image Data to Vector Components").
  std::array<std::int8_t, 4> source = {kZero, kZero, kZero, kOne};
  // DEPTH and DEPTH_STENCIL: the data is a scalar, in component r.
  bool scalar = false;
};

// The layout of any combination, also of one that Check refuses for its size; nullopt where the
// type does not go with the order.
std::optional<ElementLayout> LayoutOf(ImageFormat format);

// Alpha of the border color; r, g and b are 0 (OpenCL C 6.15.15.1.1, "Determining the Border Color
// or Value").  CL_sRGB and CL_DEPTH_STENCIL are in neither list of the text: they are taken as
// CL_RGB and CL_DEPTH.
int BorderAlpha(ChannelOrder order);

// The lists of formats that a full-profile device must support ("Minimum List of Supported Image
// Formats").
enum class FormatList : std::uint8_t {
  kReadOrWrite20,  // OpenCL 2.0, 2.1 and 2.2; DEPTH_STENCIL only with cl_khr_gl_depth_images
  kReadOrWrite,    // 1.2, 3.0 and 3.1
  kReadWrite,      // in one kernel instance, where the device supports that at all
};
bool IsRequired(ImageFormat format, FormatList list);

// The `width` bits of a field, zero-extended, and the reverse; `element` has the layout's bytes.
std::uint64_t ReadField(const std::byte* element, ChannelField field);
void WriteField(std::byte* element, ChannelField field, std::uint64_t bits);

// The lowest `width` bits as a two's complement number.
constexpr std::int64_t SignExtend(std::uint64_t bits, int width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

// The bits of an element that some field holds: the others are undefined or ignored.
std::array<std::byte, 16> UsedBits(const ElementLayout& layout);

}  // namespace assay::numerics::image
