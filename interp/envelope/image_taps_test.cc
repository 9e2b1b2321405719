#include "interp/envelope/image_taps.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>

namespace assay::interp {
namespace {

namespace ni = numerics::image;

using oracle::Range;

std::uint32_t F(float value) { return std::bit_cast<std::uint32_t>(value); }

constexpr ni::ImageFormat kFormat = {ni::ChannelOrder::kRGBA, ni::ChannelType::kUnormInt8};
const ni::ImageView kView = ni::TightView(kFormat, 2, false, {8, 4, 1}, 1, nullptr);
constexpr ni::Sampler kExact = {ni::AddressMode::kClamp, ni::FilterMode::kNearest, false};
constexpr ni::Sampler kNormalized = {ni::AddressMode::kRepeat, ni::FilterMode::kNearest, true};
constexpr ni::Sampler kLinear = {ni::AddressMode::kClampToEdge, ni::FilterMode::kLinear, false};

std::optional<ImageTaps> Taps(const ni::Sampler& sampler, Range x, Range y) {
  const std::array at = {x, y};
  return FindTaps(kView, &sampler, false, at);
}
Range Point(float value) { return Range::Point(F(value)); }

TEST(ImageTaps, AnExactSamplerSelectsOneElement) {
  const auto taps = Taps(kExact, Point(2.9999998F), Point(-0.5F));
  ASSERT_TRUE(taps);
  EXPECT_EQ(taps->axes[0].first, 2);
  EXPECT_EQ(taps->axes[0].count, 1);
  EXPECT_EQ(taps->axes[1].first, -1);
  EXPECT_EQ(taps->axes[1].count, 1);
}

TEST(ImageTaps, ASubnormalCoordinateMayBeZero) {
  const auto taps = Taps(kExact, Point(-0x1p-140F), Point(1));
  ASSERT_TRUE(taps);
  EXPECT_EQ(taps->axes[0].first, -1);
  EXPECT_EQ(taps->axes[0].count, 2);
}

TEST(ImageTaps, NearABorderNormalizedCoordinatesSelectEitherElement) {
  const auto center = Taps(kNormalized, Point(3.5F / 8), Point(1.5F / 4));
  ASSERT_TRUE(center);
  EXPECT_EQ(center->axes[0].first, 3);
  EXPECT_EQ(center->axes[0].count, 1);
  const auto border = Taps(kNormalized, Point(3.1F / 8), Point(1.9F / 4));
  ASSERT_TRUE(border);
  EXPECT_EQ(border->axes[0].first, 2);
  EXPECT_EQ(border->axes[0].count, 2);
  EXPECT_EQ(border->axes[1].first, 1);
  EXPECT_EQ(border->axes[1].count, 2);
}

TEST(ImageTaps, ALinearFilterHasWeights) {
  const auto taps = Taps(kLinear, Point(3.25F), Point(1.5F));
  ASSERT_TRUE(taps);
  EXPECT_TRUE(taps->is_weighted);
  EXPECT_EQ(taps->axes[0].first, 2);
  EXPECT_EQ(taps->axes[0].weight, 0.75);
  EXPECT_EQ(taps->axes[1].first, 1);
  EXPECT_EQ(taps->axes[1].weight, 0);
}

TEST(ImageTaps, RangesOfCoordinatesSelectAllBetween) {
  const auto taps = Taps(kExact, Range::Numbers(F(1.5F), F(4.5F)), Point(0));
  ASSERT_TRUE(taps);
  EXPECT_EQ(taps->axes[0].first, 1);
  EXPECT_EQ(taps->axes[0].count, 4);
  EXPECT_FALSE(Taps(kExact, Range::Numbers(F(0), F(1000)), Point(0)));
  EXPECT_FALSE(Taps(kExact, Range::Numbers(F(0), 0x7f800000), Point(0)));
  const std::array integers = {Range::Integers(0xffffffff, 1), Range::Point(2)};
  const auto unsampled = FindTaps(kView, nullptr, true, integers);
  ASSERT_TRUE(unsampled);
  EXPECT_EQ(unsampled->axes[0].first, -1);
  EXPECT_EQ(unsampled->axes[0].count, 3);
}

// Against the formulas of chapter 8, whichever they select.
TEST(ImageTaps, AddressedIsWhatTheFormulasSelect) {
  for (const auto mode : {ni::AddressMode::kClampToEdge, ni::AddressMode::kClamp,
                          ni::AddressMode::kRepeat, ni::AddressMode::kMirroredRepeat}) {
    for (int element = -20; element < 30; ++element) {
      const ni::Sampler sampler = {mode, ni::FilterMode::kNearest, true};
      ni::Coordinates coordinates;
      coordinates.at = {F((static_cast<float>(element) + 0.5F) / 8), F(0.125F)};
      const ni::Taps taps = ni::SelectTaps(kView, sampler, coordinates);
      ASSERT_EQ(taps.taps.size(), 1u);
      const std::int64_t expected = taps.taps[0].inside ? taps.taps[0].location.at[0] : -1;
      EXPECT_EQ(Addressed(mode, 8, element), expected) << static_cast<int>(mode) << " " << element;
    }
  }
}

}  // namespace
}  // namespace assay::interp
