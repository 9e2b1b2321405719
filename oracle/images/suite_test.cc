// The suite's tolerances, with numbers that were worked out by hand from its sources.
#include "oracle/images/suite.h"

#include <gtest/gtest.h>

#include <bit>

namespace assay::oracle {
namespace {

using numerics::image::AddressMode;
using numerics::image::ChannelOrder;
using numerics::image::ChannelType;
using numerics::image::Color;
using numerics::image::DataType;
using numerics::image::FilterMode;
using numerics::image::ImageFormat;

std::uint32_t AsBits(float value) { return std::bit_cast<std::uint32_t>(value); }

constexpr ImageFormat kR8 = {ChannelOrder::kR, ChannelType::kUnormInt8};

// Two texels in a row: 0 and 1.
class SuiteTest : public testing::Test {
 protected:
  bool Accepts(FilterMode filter, bool normalized, float coordinate, float answer,
               bool is_gpu = false, AddressMode mode = AddressMode::kClampToEdge) const {
    const ImageRequest request = {.op = ImageOp::kRead,
                                  .shape = ImageShape::k1D,
                                  .format = kR8,
                                  .size = {2, 1, 1},
                                  .sampled = true,
                                  .sampler = {mode, filter, normalized}};
    const SuiteJudge judge(request, texels_, is_gpu);
    const Color color = {AsBits(answer), 0, 0, AsBits(1)};
    return judge.AcceptsRead({AsBits(coordinate), 0, 0, 0}, color).value_or(false);
  }
  std::byte texels_[2] = {std::byte{0}, std::byte{255}};
};

// 2^-7 of the largest element, which is 1, and 2^-22.
TEST_F(SuiteTest, ALinearFilterHasARelativeErrorOfTwoToTheMinusSeven) {
  for (const float error : {0.0078125F, -0.0078125F}) {
    EXPECT_TRUE(Accepts(FilterMode::kLinear, false, 1.0F, 0.5F + error));
  }
  EXPECT_FALSE(Accepts(FilterMode::kLinear, false, 1.0F, 0.5F + 0.0079F));
  EXPECT_FALSE(Accepts(FilterMode::kLinear, false, 1.0F, 0.5F - 0.0079F));
  EXPECT_TRUE(Accepts(FilterMode::kLinear, true, 0.5F, 0.5F + 0.0078F));
}

// u = 0.5 is the middle of texel 0 alone: the largest element is the other one, with weight 0.
TEST_F(SuiteTest, LessThanACodeIsNoError) {
  EXPECT_TRUE(Accepts(FilterMode::kLinear, false, -1.0F, 0.0039F));   // both texels are 0
  EXPECT_FALSE(Accepts(FilterMode::kLinear, false, -1.0F, 0.0040F));  // 1/255 is 0.00392
}

TEST_F(SuiteTest, AnUnnormalizedNearestReadIsExactToFourEpsilon) {
  EXPECT_TRUE(Accepts(FilterMode::kNearest, false, 1.5F, 1.0F - 0x1p-22F));
  EXPECT_FALSE(Accepts(FilterMode::kNearest, false, 1.5F, 1.0F - 0x1p-20F));
  EXPECT_FALSE(Accepts(FilterMode::kNearest, false, 0.95F, 1.0F));
}

// u = 0.95 is 0.05 before the texel 1; 0.85 is 0.15 before.
TEST_F(SuiteTest, ANormalizedNearestReadMayMoveByATenthOfATexel) {
  EXPECT_TRUE(Accepts(FilterMode::kNearest, true, 0.475F, 0.0F));
  EXPECT_TRUE(Accepts(FilterMode::kNearest, true, 0.475F, 1.0F));
  EXPECT_TRUE(Accepts(FilterMode::kNearest, true, 0.525F, 0.0F));
  EXPECT_FALSE(Accepts(FilterMode::kNearest, true, 0.425F, 1.0F));
  EXPECT_FALSE(Accepts(FilterMode::kNearest, true, 0.575F, 0.0F));
}

TEST_F(SuiteTest, TheBorderOfRHasAlphaOne) {
  EXPECT_TRUE(Accepts(FilterMode::kNearest, false, 2.5F, 0.0F, false, AddressMode::kClamp));
  EXPECT_FALSE(Accepts(FilterMode::kNearest, false, 2.5F, 1.0F, false, AddressMode::kClamp));
}

// Integers move on a GPU only.
TEST(SuiteOfIntegersTest, MovesOnAGpuOnly) {
  const std::byte texels[2] = {std::byte{7}, std::byte{9}};
  const ImageRequest request = {.op = ImageOp::kRead,
                                .shape = ImageShape::k1D,
                                .format = {ChannelOrder::kR, ChannelType::kUnsignedInt8},
                                .size = {2, 1, 1},
                                .type = DataType::kUint,
                                .sampled = true,
                                .sampler = {AddressMode::kClampToEdge, FilterMode::kNearest, true}};
  const FourWords at = {AsBits(0.475F), 0, 0, 0};
  EXPECT_EQ(SuiteJudge(request, texels, true).AcceptsRead(at, {9, 0, 0, 1}), true);
  EXPECT_EQ(SuiteJudge(request, texels, false).AcceptsRead(at, {9, 0, 0, 1}), false);
  EXPECT_EQ(SuiteJudge(request, texels, false).AcceptsRead(at, {7, 0, 0, 1}), true);
}

bool AcceptsStored(ImageFormat format, float value, std::uint32_t stored,
                   bool toward_zero = false) {
  std::byte element[2] = {static_cast<std::byte>(stored), static_cast<std::byte>(stored >> 8)};
  const FourWords color = {AsBits(value), AsBits(value), AsBits(value), AsBits(value)};
  return SuiteAcceptsWrite(format, DataType::kFloat, color, element, toward_zero);
}

TEST(SuiteOfWritesTest, SixTenthsOfACode) {
  const float half_way = 100.5F / 255;
  EXPECT_TRUE(AcceptsStored(kR8, half_way, 100));
  EXPECT_TRUE(AcceptsStored(kR8, half_way, 101));
  EXPECT_FALSE(AcceptsStored(kR8, 100.3F / 255, 101));
  EXPECT_TRUE(AcceptsStored(kR8, 7.0F, 255));
  EXPECT_FALSE(AcceptsStored(kR8, 7.0F, 254));
}

// 1 + 2^-11 + 2^-12 is three quarters of the way from 1 to the next half, 0x3c01.
TEST(SuiteOfWritesTest, HalfInTheModeOfTheDevice) {
  constexpr ImageFormat kHalf = {ChannelOrder::kR, ChannelType::kHalfFloat};
  const float value = 1.0F + 0x1p-11F + 0x1p-12F;
  EXPECT_TRUE(AcceptsStored(kHalf, value, 0x3c01, false));
  EXPECT_FALSE(AcceptsStored(kHalf, value, 0x3c00, false));
  EXPECT_TRUE(AcceptsStored(kHalf, value, 0x3c00, true));
  EXPECT_FALSE(AcceptsStored(kHalf, value, 0x3c01, true));
}

}  // namespace
}  // namespace assay::oracle
