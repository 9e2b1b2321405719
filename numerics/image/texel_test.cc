#include "numerics/image/texel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "numerics/image/encode.h"
#include "numerics/image/random_image.h"

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;

constexpr Bits kHalfOne = 0x3c00;

std::vector<std::byte> Element(ImageFormat format, std::uint64_t bits) {
  const ElementLayout layout = *LayoutOf(format);
  std::vector<std::byte> element(static_cast<std::size_t>(layout.bytes));
  for (int f = 0; f < layout.fields; ++f) {
    WriteField(element.data(), layout.field[static_cast<std::size_t>(f)], bits);
  }
  return element;
}

Bits Read(ImageFormat format, std::uint64_t bits, DataType type = DataType::kFloat) {
  const ExactTexel texel = DecodeTexel(format, Element(format, bits).data());
  return RoundComponent(texel.component[0], type, Rounding::kRte);
}

AllowedSet AllowedTexel(ImageFormat format, std::uint64_t bits, DataType type = DataType::kFloat,
                        bool sampler = true) {
  return AllowedOfTexel(format, Element(format, bits).data(), type, {sampler}).component[0];
}

TEST(TexelTest, NormalizedValuesAreTheQuotientsOfTheText) {
  // One division of two floats that have the integers exactly is rounded correctly.
  for (unsigned x = 0; x < 65536; x += 97) {
    EXPECT_EQ(Read({kR, kUnormInt16}, x), F(static_cast<float>(x) / 65535.0F));
    EXPECT_EQ(Read({kR, kUnormInt8}, x & 255), F(static_cast<float>(x & 255) / 255.0F));
    EXPECT_EQ(Read({kR, kUnormInt10X6}, x & 1023), F(static_cast<float>(x & 1023) / 1023.0F));
    const auto s = static_cast<std::int16_t>(x);
    EXPECT_EQ(Read({kR, kSnormInt16}, x), F(std::fmax(-1.0F, static_cast<float>(s) / 32767.0F)));
  }
  EXPECT_EQ(Read({kR, kSnormInt8}, 0x80), F(-1));
  EXPECT_EQ(Read({kR, kSnormInt8}, 0x81), F(-1));
  EXPECT_EQ(Read({kRGB, kUnormShort565}, 31), F(1));
  EXPECT_EQ(Read({kDepthStencil, kUnormInt24}, 0xffffff), F(1));
  EXPECT_EQ(Read({kR, kUnormInt8}, 255, DataType::kHalf), kHalfOne);
  // 1 / 65535 = 2^-16 (1 + 2^-16 + ...) is 256 of the 2^-24 that half has there.
  EXPECT_EQ(Read({kR, kUnormInt16}, 1, DataType::kHalf), 256u);
}

TEST(TexelTest, FloatingValuesAndIntegersAreKept) {
  EXPECT_EQ(Read({kR, kFloat}, 0x7fa00001), 0x7fa00001u);
  EXPECT_EQ(Read({kR, kFloat}, 0x80000000), 0x80000000u);
  EXPECT_EQ(Read({kR, kFloat}, 1), 1u);
  EXPECT_EQ(Read({kR, kHalfFloat}, 1), F(0x1p-24F));
  EXPECT_EQ(Read({kR, kHalfFloat}, 0xfc00), F(-INFINITY));
  EXPECT_EQ(Read({kR, kHalfFloat}, 0x7c01), 0x7fc00000u);
  EXPECT_EQ(Read({kR, kHalfFloat}, 0x7c01, DataType::kHalf), 0x7c01u);
  EXPECT_EQ(Read({kR, kHalfFloat}, 0x8000), 0x80000000u);
  EXPECT_EQ(Read({kR, kSignedInt8}, 0x80, DataType::kInt), 0xffffff80u);
  EXPECT_EQ(Read({kR, kUnsignedInt32}, 0xffffffff, DataType::kUint), 0xffffffffu);
  EXPECT_EQ(Read({kR, kUnsignedInt14X2}, 0x3fff, DataType::kUint), 0x3fffu);
}

TEST(TexelTest, SrgbIsTheFormulaInDoubleRounded) {
  EXPECT_EQ(Read({kSRGBA, kUnormInt8}, 0), F(0));
  EXPECT_EQ(Read({kSRGBA, kUnormInt8}, 255), F(1));
  for (unsigned x = 1; x < 255; ++x) {
    const double c = x / 255.0;
    const double y = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    EXPECT_EQ(Read({kSRGBA, kUnormInt8}, x), F(static_cast<float>(y))) << x;
  }
  // Alpha is linear.
  const ExactTexel texel =
      DecodeTexel({kSRGBA, kUnormInt8}, Element({kSRGBA, kUnormInt8}, 51).data());
  EXPECT_EQ(RoundComponent(texel.component[3], DataType::kFloat, Rounding::kRte), F(0.2F));
}

TEST(TexelTest, OneAndAHalfUlpAroundNormalizedValuesWithExactEnds) {
  const AllowedSet third = AllowedTexel({kR, kUnormInt8}, 85);  // 1/3 lies a third below a float
  const Bits nearest = F(1.0F / 3.0F);
  EXPECT_TRUE(third.Contains(nearest));
  EXPECT_TRUE(third.Contains(nearest + 1));
  EXPECT_TRUE(third.Contains(nearest - 1));
  EXPECT_FALSE(third.Contains(nearest + 2));
  EXPECT_FALSE(third.Contains(nearest - 2));
  EXPECT_FALSE(third.Contains(0));
  for (Bits end : {Bits{0}, Bits{255}}) {
    const AllowedSet set = AllowedTexel({kR, kUnormInt8}, end);
    EXPECT_TRUE(set.Contains(end == 0 ? 0 : F(1)));
    EXPECT_FALSE(set.Contains(end == 0 ? F(-0.0F) : F(1) - 1));
    EXPECT_FALSE(set.Contains(end == 0 ? 1 : F(1) + 1));
  }
  EXPECT_FALSE(AllowedTexel({kR, kSnormInt8}, 0x80).Contains(F(-1) - 1));
  EXPECT_FALSE(AllowedTexel({kR, kUnormInt16}, 65534).Contains(F(1) + 1));
  EXPECT_FALSE(third.by_analogy);
  EXPECT_FALSE(AllowedTexel({kRGB, kUnormInt101010}, 3).by_analogy);
  EXPECT_TRUE(AllowedTexel({kRGB, kUnormShort565}, 3).by_analogy);
  // Subnormal halves may be flushed, normal ones not.
  EXPECT_TRUE(AllowedTexel({kR, kUnormInt16}, 1, DataType::kHalf).Contains(0));
  EXPECT_FALSE(AllowedTexel({kR, kUnormInt16}, 5, DataType::kHalf).Contains(0));
}

TEST(TexelTest, FlushingOfStoredSubnormals) {
  EXPECT_TRUE(AllowedTexel({kR, kFloat}, 0x80000001).Contains(0));
  EXPECT_TRUE(AllowedTexel({kR, kFloat}, 0x80000001, DataType::kFloat, false).Contains(0x80000000));
  EXPECT_FALSE(AllowedTexel({kR, kFloat}, 0x00800000).Contains(0));
  EXPECT_FALSE(AllowedTexel({kR, kFloat}, 0x80000000).Contains(0));
  EXPECT_TRUE(AllowedTexel({kR, kHalfFloat}, 1).Contains(0));
  EXPECT_FALSE(AllowedTexel({kR, kHalfFloat}, 1, DataType::kFloat, false).Contains(0));
  EXPECT_TRUE(AllowedTexel({kR, kFloat}, 0x7f800001).Contains(0xffc12345));
  EXPECT_FALSE(AllowedTexel({kR, kFloat}, 0x7f800001).Contains(F(INFINITY)));
}

TEST(TexelTest, SrgbMayBeHalfACodeAway) {
  // c_sRGB(y) * 255 of y just inside and outside of 99.5 and 100.5.
  const auto back = [](double y) { return 255 * (1.055 * std::pow(y, 1 / 2.4) - 0.055); };
  const AllowedSet set = AllowedTexel({kSRGBA, kUnormInt8}, 100);
  for (double code : {99.5001, 100.0, 100.4999}) {
    const double y = std::pow((code / 255 + 0.055) / 1.055, 2.4);
    ASSERT_NEAR(back(y), code, 1e-9);
    EXPECT_TRUE(set.Contains(F(static_cast<float>(y)))) << code;
  }
  for (double code : {99.4999, 100.5001}) {
    EXPECT_FALSE(set.Contains(F(static_cast<float>(std::pow((code / 255 + 0.055) / 1.055, 2.4)))));
  }
  EXPECT_FALSE(AllowedTexel({kSRGBA, kUnormInt8}, 0).Contains(1));
  EXPECT_FALSE(AllowedTexel({kSRGBA, kUnormInt8}, 255).Contains(F(1) - 1));
}

TEST(TexelTest, FunctionsThatDoNotGoWithTheFormat) {
  EXPECT_EQ(CheckRead({kR, kUnormInt8}, DataType::kInt), Undefined::kWrongResultType);
  EXPECT_EQ(CheckRead({kR, kSignedInt8}, DataType::kUint), Undefined::kWrongResultType);
  EXPECT_EQ(CheckRead({kR, kUnsignedInt8}, DataType::kFloat), Undefined::kWrongResultType);
  EXPECT_EQ(CheckRead({kR, kFloat}, DataType::kHalf), Undefined::kHalfOfFloat);
  EXPECT_EQ(CheckRead({kR, kHalfFloat}, DataType::kHalf), Undefined::kNo);
  EXPECT_EQ(CheckWrite({kR, kFloat}, DataType::kHalf), Undefined::kNo);
  EXPECT_TRUE(AllowedTexel({kR, kUnormInt8}, 7, DataType::kInt).Contains(12345));
}

// What the preferred result is, is allowed; and what is written is read back.
TEST(TexelTest, EveryByteIsWrittenAsItWasRead) {
  for (ImageFormat format : {ImageFormat{kRGBA, kUnormInt8}, ImageFormat{kBGRA, kSnormInt8},
                             ImageFormat{kSRGBA, kUnormInt8}, ImageFormat{kARGB, kUnormInt8}}) {
    for (unsigned x = 0; x < 256; ++x) {
      const auto element = Element(format, x);
      const ExactTexel texel = DecodeTexel(format, element.data());
      Color color;
      for (std::size_t c = 0; c < 4; ++c) {
        color[c] = RoundComponent(texel.component[c], DataType::kFloat, Rounding::kRte);
      }
      EXPECT_TRUE(AllowedOfTexel(format, element.data(), DataType::kFloat, {}).Contains(color));
      std::byte back[4];
      EncodeTexel(format, color, DataType::kFloat, back);
      const bool lowest = format.type == kSnormInt8 && x == 0x80;  // -128 and -127 are both -1
      EXPECT_EQ(back[0], lowest ? std::byte{0x81} : element[0]);
    }
  }
}

}  // namespace
}  // namespace assay::numerics::image
