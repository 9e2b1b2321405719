#include "interp/envelope/texel_ranges.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace assay::interp {
namespace {

namespace ni = numerics::image;

using oracle::Range;

std::uint32_t Bits32Of(float value) { return std::bit_cast<std::uint32_t>(value); }
float Value(numerics::Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

constexpr ni::ImageFormat kUnorm8 = {ni::ChannelOrder::kRGBA, ni::ChannelType::kUnormInt8};
constexpr ni::ImageFormat kFloat = {ni::ChannelOrder::kR, ni::ChannelType::kFloat};
constexpr ni::ImageFormat kSigned16 = {ni::ChannelOrder::kRGBA, ni::ChannelType::kSignedInt16};

TEST(TexelRanges, NormalizedReadsHaveTheChaptersLimit) {
  TexelRanges texels(kUnorm8, ni::DataType::kFloat, false);
  FieldRanges fields;
  fields.fill(Range::Point(100));
  fields[1] = Range::Point(0);
  fields[2] = Range::Point(255);
  fields[3] = Range::Integers(1, 3);
  const ColorRanges color = texels.Read(fields);
  // 100/255 is 0.392156862745: an ulp there is 2^-25, and 1.5 of them are 4.5e-8.
  ASSERT_EQ(color[0].kind, Range::Kind::kNumbers);
  EXPECT_NEAR(Value(color[0].low), 100.0 / 255, 4.5e-8);
  EXPECT_LT(Value(color[0].low), Value(color[0].high));
  EXPECT_NEAR(Value(color[0].high), 100.0 / 255, 4.5e-8);
  EXPECT_EQ(color[1], Range::Point(0));
  EXPECT_EQ(color[2], Range::Point(Bits32Of(1)));
  EXPECT_NEAR(Value(color[3].low), 1.0 / 255, 1e-8);
  EXPECT_NEAR(Value(color[3].high), 3.0 / 255, 1e-8);
}

TEST(TexelRanges, FloatsAndIntegersAreExact) {
  TexelRanges floats(kFloat, ni::DataType::kFloat, false);
  FieldRanges fields;
  fields.fill(Range::Point(Bits32Of(0.1F)));
  ColorRanges color = floats.Read(fields);
  EXPECT_EQ(color[0], Range::Point(Bits32Of(0.1F)));
  EXPECT_EQ(color[1], Range::Point(0));
  EXPECT_EQ(color[3], Range::Point(Bits32Of(1)));
  EXPECT_EQ(floats.Border()[3], Range::Point(Bits32Of(1)));  // CL_R: OpenCL C 6.15.15.1.1
  fields[0] = Range::Point(0x00000001);                      // may be flushed (8.3.3)
  color = floats.Read(fields);
  EXPECT_EQ(color[0].kind, Range::Kind::kNumbers);
  EXPECT_EQ(color[0].low, 0u);
  TexelRanges integers(kSigned16, ni::DataType::kInt, true);
  fields.fill(Range::Point(0xfffe));
  EXPECT_EQ(integers.Read(fields)[2], Range::Point(0xfffffffe));
  EXPECT_EQ(integers.Border()[3], Range::Point(0));
}

// |f(x) - 255 x| <= 0.6, of single colors as AllowedOfWrite has it.
TEST(TexelRanges, WritesAreWithinSixTenths) {
  std::mt19937 random(7);
  for (const auto type : {ni::ChannelType::kUnormInt8, ni::ChannelType::kSnormInt8,
                          ni::ChannelType::kUnormInt16, ni::ChannelType::kSnormInt16}) {
    const ni::ImageFormat format = {ni::ChannelOrder::kRGBA, type};
    const TexelRanges texels(format, ni::DataType::kFloat, false);
    for (int i = 0; i < 2000; ++i) {
      ni::Color color;
      ColorRanges ranges;
      for (std::size_t c = 0; c < 4; ++c) {
        color[c] = Bits32Of(std::uniform_real_distribution<float>(-1.3F, 1.3F)(random));
        ranges[c] = Range::Point(color[c]);
      }
      const ni::AllowedElement allowed = ni::AllowedOfWrite(format, color, ni::DataType::kFloat);
      const FieldRanges written = texels.Written(ranges);
      for (std::size_t f = 0; f < 4; ++f) {
        EXPECT_EQ(written[f], RangeOf(allowed.field[f])) << Value(color[f]);
      }
    }
  }
}

TEST(TexelRanges, WritesOfRanges) {
  const TexelRanges texels(kUnorm8, ni::DataType::kFloat, false);
  ColorRanges color;
  color.fill(Range::Numbers(Bits32Of(0.5F), Bits32Of(0.51F)));  // 127.5 to 130.05
  color[1] = Range::Anything(oracle::Open::kOperand);
  color[2] = Range::Numbers(Bits32Of(-3), Bits32Of(7));
  color[3] = Range::Numbers(0x7fc00000, 0x7fc00000);
  const FieldRanges written = texels.Written(color);
  EXPECT_EQ(written[0], Range::Integers(127, 130));
  EXPECT_EQ(written[1].kind, Range::Kind::kAnything);
  EXPECT_EQ(written[2], Range::Integers(0, 255));
  EXPECT_EQ(written[3].kind, Range::Kind::kAnything);  // a NaN
}

TEST(TexelRanges, WritesOfHalfRoundEitherWay) {
  const TexelRanges texels({ni::ChannelOrder::kRGBA, ni::ChannelType::kHalfFloat},
                           ni::DataType::kFloat, false);
  ColorRanges color;
  color.fill(Range::Point(Bits32Of(1)));
  color[1] = Range::Point(Bits32Of(1.0008F));  // between 0x3c00 and 0x3c01, nearer to the latter
  const FieldRanges written = texels.Written(color);
  EXPECT_EQ(written[0], Range::Point(0x3c00));
  EXPECT_EQ(written[1], Range::Numbers(0x3c00, 0x3c01));
}

}  // namespace
}  // namespace assay::interp
