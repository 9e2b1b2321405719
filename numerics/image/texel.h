// Reading one element: bytes to exact values, to the bits that read_image{f,h,i,ui} returns, and to
// the sets that a conforming device may return.
//
// OpenCL C 8.3 and env/image_addressing_and_filtering.asciidoc, "Conversion Rules".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "numerics/format.h"
#include "numerics/image/allowed.h"
#include "numerics/image/format.h"
#include "numerics/image/rational.h"
#include "numerics/image/undefined.h"
#include "numerics/rounding.h"

namespace assay::numerics::image {

// read_imagef, read_imageh, read_imagei, read_imageui; also the data of write_image*.
enum class DataType : std::uint8_t { kFloat, kHalf, kInt, kUint };

constexpr bool IsFloating(DataType type) { return type <= DataType::kHalf; }
// Of kFloat and kHalf.
constexpr Format FormatOf(DataType type) {
  return type == DataType::kHalf ? Format::kHalf : Format::kFloat;
}

// A color as four components r, g, b, a; 32 bits each, of kHalf 16 bits.  A depth is in r, and what
// the others have then means nothing.
using Color = std::array<Bits, 4>;

// The exact value of one component before any rounding.
struct ExactComponent {
  enum class Kind : std::uint8_t {
    kRational,
    kSrgb,          // the linear value of the sRGB code `code`, which is irrational
    kNegativeZero,  // of FLOAT and HALF_FLOAT
    kInfinity,      // negative where `value` is
    kNan,
  };
  Kind kind = Kind::kRational;
  std::uint8_t code = 0;
  Rational value = 0;
  // FLOAT and HALF_FLOAT: the bits as they are in the image.
  Format stored_format = Format::kFloat;
  Bits stored = 0;

  bool IsFinite() const { return kind <= Kind::kNegativeZero; }
};

struct ExactTexel {
  std::array<ExactComponent, 4> component;  // r, g, b, a
};

// `element`: the bytes of LayoutOf(format), which must have a value.
ExactTexel DecodeTexel(ImageFormat format, const std::byte* element);
// What is outside an image with CLAMP: 0, 0, 0 and 0 or 1.
ExactTexel BorderTexel(ImageFormat format);

// Around the linear value of an sRGB code (8.3.5); equal ends up to code 10 and for 255, where the
// value is rational.  `bits`: the width is at most 2^-bits.
Enclosure LinearOfSrgb(std::uint8_t code, unsigned bits);
// The same at half_codes / 2: where the nearest code changes, and the ends of |x - 255 c_sRGB(y)|
// <= 0.5.
Enclosure LinearOfHalfCode(int half_codes, unsigned bits);

// Does read_image* of this type go with the format?
Undefined CheckRead(ImageFormat format, DataType type);

// The component as `type` has it, rounded once: NaN is the canonical one, but one of the same type
// is kept as it is.  Integers are zero- or sign-extended to 32 bits.
Bits RoundComponent(const ExactComponent& component, DataType type, Rounding rounding);

// What may differ between conforming devices.
struct ReadRules {
  // The read has a sampler: subnormal values of FLOAT and HALF_FLOAT may be flushed (6.15.15.3). Of
  // FLOAT they may in every read (8.3.3); half to float without a sampler is lossless (8.3.2).
  bool sampler = true;
};

struct AllowedTexel {
  std::array<AllowedSet, 4> component;
  int components = 4;  // 1 of DEPTH and DEPTH_STENCIL, whose data is a scalar
  bool Contains(const Color& color) const;
};

// What a read of this element may return (8.3.1: 1.5 ulp and the exact ends; 8.3.5: the sRGB
// bound).
AllowedTexel AllowedOfTexel(ImageFormat format, const std::byte* element, DataType type,
                            ReadRules rules);
AllowedTexel AllowedOfBorder(ImageFormat format, DataType type);
AllowedTexel AllowedAnything(DataType type);

// The same for one field, before the mapping to r, g, b, a; `component` is DecodeField's.
AllowedSet AllowedOfField(ImageFormat format, ChannelField field, std::uint64_t bits, DataType type,
                          ReadRules rules);
ExactComponent DecodeField(ImageFormat format, ChannelField field, std::uint64_t bits);

}  // namespace assay::numerics::image
