#include "numerics/image/encode.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "numerics/image/random_image.h"

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;

std::uint64_t Write(ImageFormat format, Bits value, DataType type = DataType::kFloat) {
  std::byte element[16];
  EncodeTexel(format, {value, value, value, value}, type, element);
  return ReadField(element, LayoutOf(format)->field[0]);
}

AllowedSet Allowed(ImageFormat format, Bits value, DataType type = DataType::kFloat) {
  return AllowedOfWrite(format, {value, value, value, value}, type).field[0];
}

TEST(EncodeTest, NormalizedValuesAreScaledClampedAndRoundedToEven) {
  EXPECT_EQ(Write({kR, kUnormInt8}, F(0.5F)), 128u);  // 127.5: a tie
  EXPECT_EQ(Write({kR, kSnormInt8}, F(0.5F)), 64u);   // 63.5: a tie
  EXPECT_EQ(Write({kR, kSnormInt8}, F(-1)), 0x81u);
  EXPECT_EQ(Write({kR, kSnormInt8}, F(-1.01F)), 0x80u);  // -128.27: clamped to -128
  EXPECT_EQ(Write({kR, kSnormInt16}, F(-2)), 0x8000u);
  EXPECT_EQ(Write({kR, kUnormInt8}, F(2)), 255u);
  EXPECT_EQ(Write({kR, kUnormInt8}, F(-0.4F)), 0u);
  EXPECT_EQ(Write({kRGB, kUnormShort565}, F(1)), 31u);
  EXPECT_EQ(Write({kRGB, kUnormInt101010}, F(0.25F)), 256u);  // 255.75
  EXPECT_EQ(Write({kR, kUnormInt16}, 0x3800, DataType::kHalf), 32768u);
  // 0.0019607842 * 255 is above 0.5 by less than a float of the product shows.
  const float above = std::nextafterf(0.5F / 255.0F, 1.0F);
  ASSERT_GT(static_cast<double>(above) * 255, 0.5);
  EXPECT_EQ(Write({kR, kUnormInt8}, F(above)), 1u);
}

TEST(EncodeTest, SixTenthsAroundTheExactValue) {
  const AllowedSet tie = Allowed({kR, kUnormInt8}, F(0.5F));  // 127.5
  EXPECT_TRUE(tie.Contains(127));
  EXPECT_TRUE(tie.Contains(128));
  EXPECT_FALSE(tie.Contains(126));
  EXPECT_FALSE(tie.Contains(129));
  const AllowedSet near = Allowed({kR, kUnormInt8}, F(100.3F / 255));
  EXPECT_TRUE(near.Contains(100));
  EXPECT_FALSE(near.Contains(101));
  const AllowedSet above = Allowed({kR, kUnormInt8}, F(100.41F / 255));
  EXPECT_TRUE(above.Contains(100));
  EXPECT_TRUE(above.Contains(101));
  const AllowedSet below = Allowed({kR, kUnormInt8}, F(100.59F / 255));
  EXPECT_TRUE(below.Contains(100));
  EXPECT_FALSE(Allowed({kR, kUnormInt8}, F(100.61F / 255)).Contains(100));
  const AllowedSet minus = Allowed({kR, kSnormInt8}, F(-0.5F));  // -63.5
  EXPECT_TRUE(minus.Contains(0xc0));
  EXPECT_TRUE(minus.Contains(0xc1));
  EXPECT_FALSE(minus.Contains(0xc2));
  EXPECT_EQ(Allowed({kR, kUnormInt8}, F(1e30F)).low, 255);
}

TEST(EncodeTest, InfinityAndNanInNormalizedChannelsAreLeftOpen) {
  for (Bits value : {F(INFINITY), F(-INFINITY), Bits{0x7fc00000}}) {
    const AllowedElement allowed =
        AllowedOfWrite({kRGBA, kUnormInt8}, {value, 0, 0, 0}, DataType::kFloat);
    EXPECT_EQ(allowed.undefined, Undefined::kNotFiniteToNormalized);
    EXPECT_TRUE(allowed.field[0].anything);
    EXPECT_FALSE(allowed.field[1].anything);
  }
  EXPECT_EQ(Write({kR, kUnormInt8}, F(INFINITY)), 255u);
  EXPECT_EQ(Write({kR, kSnormInt8}, F(-INFINITY)), 0x80u);
  EXPECT_EQ(Write({kR, kSnormInt8}, 0xffc00000), 0u);
  // 8.3.5 says what they become: 0 and 1.
  EXPECT_EQ(AllowedOfWrite({kSRGBA, kUnormInt8}, {0x7fc00000, F(INFINITY), 0, 0}, DataType::kFloat)
                .undefined,
            Undefined::kNo);
  EXPECT_EQ(Write({kSRGBA, kUnormInt8}, 0x7fc00000), 0u);
}

TEST(EncodeTest, HalfByRoundingToEvenOrToZero) {
  const Bits value = F(1 + 0x1.8p-11F);  // three quarters of a gap above 1
  EXPECT_EQ(Write({kR, kHalfFloat}, value), 0x3c01u);
  const AllowedSet set = Allowed({kR, kHalfFloat}, value);
  EXPECT_TRUE(set.Contains(0x3c00));
  EXPECT_TRUE(set.Contains(0x3c01));
  EXPECT_FALSE(set.Contains(0x3c02));
  const AllowedSet below = Allowed({kR, kHalfFloat}, F(-(1 + 0x1p-12F)));  // both give -1
  EXPECT_TRUE(below.Contains(0xbc00));
  EXPECT_FALSE(below.Contains(0xbc01));
  const AllowedSet large = Allowed({kR, kHalfFloat}, F(65520));
  EXPECT_TRUE(large.Contains(0x7c00));
  EXPECT_TRUE(large.Contains(0x7bff));
  EXPECT_FALSE(Allowed({kR, kHalfFloat}, F(INFINITY)).Contains(0x7bff));
  const AllowedSet small = Allowed({kR, kHalfFloat}, F(-0x1p-20F));
  for (Bits bits : {0x8010, 0x0000, 0x8000}) EXPECT_TRUE(small.Contains(bits));
  EXPECT_FALSE(small.Contains(0x0010));
  EXPECT_FALSE(Allowed({kR, kHalfFloat}, F(0x1p-14F)).Contains(0));
  EXPECT_TRUE(Allowed({kR, kHalfFloat}, 0x7f800001).Contains(0xfe12));
  // half to half is lossless.
  EXPECT_FALSE(Allowed({kR, kHalfFloat}, 1, DataType::kHalf).Contains(0));
}

TEST(EncodeTest, FloatIsPreservedButMayBeFlushed) {
  EXPECT_EQ(Write({kR, kFloat}, 0x7fa00001), 0x7fa00001u);
  EXPECT_TRUE(Allowed({kR, kFloat}, 1).Contains(0x80000000));
  EXPECT_FALSE(Allowed({kR, kFloat}, 0x00800000).Contains(0));
  EXPECT_EQ(Write({kR, kFloat}, 0x3c00, DataType::kHalf), F(1));
}

TEST(EncodeTest, IntegersAreClamped) {
  EXPECT_EQ(Write({kR, kSignedInt8}, static_cast<std::uint32_t>(-129), DataType::kInt), 0x80u);
  EXPECT_EQ(Write({kR, kSignedInt16}, 0x7fffffff, DataType::kInt), 0x7fffu);
  EXPECT_EQ(Write({kR, kSignedInt32}, 0x80000000, DataType::kInt), 0x80000000u);
  EXPECT_EQ(Write({kR, kUnsignedInt8}, 256, DataType::kUint), 255u);
  EXPECT_EQ(Write({kR, kUnsignedInt16}, 0xffffffff, DataType::kUint), 0xffffu);
  EXPECT_EQ(Write({kR, kUnsignedInt32}, 0xffffffff, DataType::kUint), 0xffffffffu);
  EXPECT_EQ(Write({kR, kUnsignedInt12X4}, 5000, DataType::kUint), 4095u);
  EXPECT_FALSE(
      Allowed({kR, kSignedInt8}, static_cast<std::uint32_t>(-1), DataType::kInt).Contains(0));
}

TEST(EncodeTest, SrgbIsTheFormulaWithSixTenths) {
  for (int i = 0; i <= 2000; ++i) {
    const float y = static_cast<float>(i) / 1999.0F;
    const double c = y >= 1 ? 1 : y < 0.0031308 ? 12.92 * y : 1.055 * std::pow(y, 1 / 2.4) - 0.055;
    const double scaled = 255 * c;
    EXPECT_EQ(Write({kSRGBA, kUnormInt8}, F(y)), std::lrint(scaled)) << y;
    const AllowedSet set = Allowed({kSRGBA, kUnormInt8}, F(y));
    EXPECT_EQ(set.low, std::lrint(std::ceil(scaled - 0.6)));
    EXPECT_EQ(set.high, std::lrint(std::min(255.0, std::floor(scaled + 0.6))));
  }
  // (3/4)^12 has the rational root (3/4)^5.
  EXPECT_EQ(Write({kSRGBA, kUnormInt8}, F(531441.0F / 16777216.0F)), 50u);
}

TEST(EncodeTest, ChannelsOfTheOrderAndIgnoredBits) {
  std::byte element[4];
  const Color color = {F(1), F(0), F(0.2F), F(0.4F)};
  EncodeTexel({kBGRA, kUnormInt8}, color, DataType::kFloat, element);
  EXPECT_EQ(element[0], std::byte{51});
  EXPECT_EQ(element[2], std::byte{255});
  EXPECT_EQ(element[3], std::byte{102});
  const AllowedElement allowed = AllowedOfWrite({kRGBx, kUnormInt8}, color, DataType::kFloat);
  EncodeTexel({kRGBx, kUnormInt8}, color, DataType::kFloat, element);
  EXPECT_EQ(element[3], std::byte{0});
  element[3] = std::byte{77};
  EXPECT_TRUE(allowed.Contains(element));
  element[1] = std::byte{77};
  EXPECT_FALSE(allowed.Contains(element));
  EXPECT_EQ(CheckWrite({kR, kUnormInt8}, DataType::kUint), Undefined::kWrongWriteType);
  EXPECT_TRUE(AllowedOfWrite({kRGBx, kUnormInt8}, color, DataType::kUint).Contains(element));
}

}  // namespace
}  // namespace assay::numerics::image
