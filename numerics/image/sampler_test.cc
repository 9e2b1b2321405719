#include "numerics/image/sampler.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "numerics/image/random_image.h"

namespace assay::numerics::image {
namespace {

ImageView View(int dimensions, bool arrayed, std::array<std::int64_t, 3> size,
               std::int64_t layers = 1) {
  return TightView({ChannelOrder::kR, ChannelType::kFloat}, dimensions, arrayed, size, layers,
                   nullptr);
}

Taps One(Sampler sampler, std::int64_t size, float s) {
  return SelectTaps(View(1, false, {size, 1, 1}), sampler, {.at = {F(s)}});
}

std::int64_t Nearest(AddressMode address, bool normalized, std::int64_t size, float s) {
  return One({address, FilterMode::kNearest, normalized}, size, s).taps[0].location.at[0];
}

TEST(SamplerTest, NearestByAddressMode) {
  using enum AddressMode;
  EXPECT_EQ(Nearest(kClamp, false, 4, 3.99F), 3);
  EXPECT_EQ(Nearest(kClamp, false, 4, -0.01F), -1);
  EXPECT_EQ(Nearest(kClamp, false, 4, -7), -1);
  EXPECT_EQ(Nearest(kClamp, false, 4, 40), 4);
  EXPECT_EQ(Nearest(kClampToEdge, false, 4, 40), 3);
  EXPECT_EQ(Nearest(kClampToEdge, false, 4, -40), 0);
  EXPECT_EQ(Nearest(kClamp, true, 4, 0.75F), 3);
  EXPECT_EQ(Nearest(kRepeat, true, 4, 1), 0);
  EXPECT_EQ(Nearest(kRepeat, true, 4, -0.25F), 3);
  EXPECT_EQ(Nearest(kRepeat, true, 4, 3.3F), 1);
  EXPECT_EQ(Nearest(kMirroredRepeat, true, 4, 1), 3);
  EXPECT_EQ(Nearest(kMirroredRepeat, true, 4, 1.25F), 3);
  EXPECT_EQ(Nearest(kMirroredRepeat, true, 4, 1.26F), 2);
  EXPECT_EQ(Nearest(kMirroredRepeat, true, 4, -0.3F), 1);
  EXPECT_EQ(Nearest(kMirroredRepeat, true, 4, 0x1p100F), 0);
}

// OpenCL C 8.2 leaves the precision of normalized coordinates open.
TEST(SamplerTest, NormalizedNearestRoundsEachStepToFloat) {
  using enum AddressMode;
  // 1 - 1e-30 is 1 in float, which REPEAT wraps.
  EXPECT_EQ(Nearest(kRepeat, true, 4, -1e-30F), 0);
  for (const int size : {3, 7, 11, 49, 1000}) {
    for (int i = 1; i < size; ++i) {
      const float s = static_cast<float>(i) / static_cast<float>(size);
      const float product = s * static_cast<float>(size);
      const auto expected = static_cast<std::int64_t>(std::floor(product));
      for (const AddressMode mode : {kNone, kClamp, kClampToEdge, kRepeat, kMirroredRepeat}) {
        EXPECT_EQ(Nearest(mode, true, size, s), expected) << size << ' ' << i;
      }
    }
  }
  // The largest coordinate below 1 is inside of every size.
  const float below = std::nextafter(1.0F, 0.0F);
  for (int size = 1; size < 70000; size = size * 3 / 2 + 1) {
    EXPECT_EQ(Nearest(kNone, true, size, below), size - 1);
    EXPECT_EQ(One({kNone, FilterMode::kNearest, true}, size, below).undefined, Undefined::kNo);
  }
}

struct Pair {
  std::int64_t i0, i1;
  double a;
};

void ExpectLinear(AddressMode address, bool normalized, float s, const Pair& expected) {
  const Taps taps = One({address, FilterMode::kLinear, normalized}, 4, s);
  ASSERT_EQ(taps.taps.size(), 2u);
  EXPECT_EQ(taps.taps[0].location.at[0], expected.i0) << s;
  EXPECT_EQ(taps.taps[1].location.at[0], expected.i1) << s;
  EXPECT_TRUE(taps.taps[1].weight == Rational(expected.a)) << s;
  EXPECT_TRUE(taps.taps[0].weight + taps.taps[1].weight == 1);
}

TEST(SamplerTest, LinearByAddressMode) {
  using enum AddressMode;
  ExpectLinear(kClamp, false, 2.25F, {1, 2, 0.75});
  ExpectLinear(kClamp, false, 0, {-1, 0, 0.5});
  ExpectLinear(kClamp, false, -9.25F, {-1, -1, 0.25});
  ExpectLinear(kClamp, false, 4, {3, 4, 0.5});
  ExpectLinear(kClampToEdge, false, 0, {0, 0, 0.5});
  ExpectLinear(kClampToEdge, false, 4, {3, 3, 0.5});
  ExpectLinear(kRepeat, true, 0, {3, 0, 0.5});
  ExpectLinear(kRepeat, true, 0.96875F, {3, 0, 0.375});
  ExpectLinear(kRepeat, true, -0.75F, {0, 1, 0.5});
  ExpectLinear(kMirroredRepeat, true, 0, {0, 0, 0.5});
  ExpectLinear(kMirroredRepeat, true, 1, {3, 3, 0.5});
  ExpectLinear(kMirroredRepeat, true, 1.25F, {2, 3, 0.5});
  ExpectLinear(kMirroredRepeat, true, -1.5F, {1, 2, 0.5});
}

// The exact product is just below 19.5.
TEST(SamplerTest, NormalizedLinearRoundsEachStepToFloat) {
  for (const AddressMode mode :
       {AddressMode::kClamp, AddressMode::kRepeat, AddressMode::kMirroredRepeat}) {
    const auto taps = One({mode, FilterMode::kLinear, true}, 329, 0x1.e58b48p-5F).taps;
    ASSERT_EQ(taps.size(), 2u);
    EXPECT_EQ(taps[0].location.at[0], 19);
    EXPECT_TRUE(taps[1].weight == 0);
  }
  // Without addressing the second element is inside where that of the exact product is.
  for (int size = 1; size < 70000; size = size * 3 / 2 + 1) {
    const float last = (static_cast<float>(size) - 0.5F) / static_cast<float>(size);
    const Taps taps = One({AddressMode::kNone, FilterMode::kLinear, true}, size, last);
    const Rational exact = Rational(static_cast<double>(last)) * Rational(size) - Ratio(1, 2);
    EXPECT_EQ(taps.undefined == Undefined::kOutside, exact < 0 || exact >= size - 1) << size;
  }
}

TEST(SamplerTest, WeightsOfACubeAreTheProducts) {
  const Taps taps =
      SelectTaps(View(3, false, {4, 4, 4}), {AddressMode::kClamp, FilterMode::kLinear, false},
                 {.at = {F(1.75F), F(2), F(3.375F)}});  // a = 1/4, b = 1/2, c = 7/8
  ASSERT_EQ(taps.taps.size(), 8u);
  EXPECT_TRUE(taps.taps[0].weight == Ratio(3, 4) * Ratio(1, 2) * Ratio(1, 8));
  EXPECT_TRUE(taps.taps[1].weight == Ratio(1, 4) * Ratio(1, 2) * Ratio(1, 8));
  EXPECT_TRUE(taps.taps[6].weight == Ratio(3, 4) * Ratio(1, 2) * Ratio(7, 8));
  EXPECT_EQ(taps.taps[6].location, (Location{{1, 2, 3}, 0}));
  EXPECT_EQ(taps.taps[1].location, (Location{{2, 1, 2}, 0}));
}

TEST(SamplerTest, LayersAreRoundedToEvenAndClamped) {
  const Sampler sampler = {AddressMode::kRepeat, FilterMode::kNearest, true};
  const auto layer = [&](float index) {
    return SelectTaps(View(2, true, {4, 4, 1}, 5), sampler, {.at = {F(0), F(0), F(index)}})
        .taps[0]
        .location.layer;
  };
  EXPECT_EQ(layer(0.5F), 0);
  EXPECT_EQ(layer(1.5F), 2);
  EXPECT_EQ(layer(2.5F), 2);
  EXPECT_EQ(layer(-3), 0);
  EXPECT_EQ(layer(9), 4);
  EXPECT_EQ(layer(1e30F), 4);
  const Taps row = SelectTaps(View(1, true, {4, 1, 1}, 3), sampler, {.at = {F(0), F(0.75F)}});
  EXPECT_EQ(row.taps[0].location.layer, 1);
}

TEST(SamplerTest, WhatIsUndefinedIsNamed) {
  using enum AddressMode;
  const Sampler clamp = {kClamp, FilterMode::kNearest, false};
  EXPECT_EQ(One(clamp, 4, NAN).undefined, Undefined::kCoordinateNotFinite);
  EXPECT_EQ(One(clamp, 4, -INFINITY).undefined, Undefined::kCoordinateNotFinite);
  EXPECT_EQ(One(clamp, 4, 0x1p31F).undefined, Undefined::kCoordinateBeyondInt);
  EXPECT_EQ(One(clamp, 4, -0x1p31F).undefined, Undefined::kNo);
  EXPECT_EQ(One(clamp, 4, 0x1p31F).taps[0].location.at[0], 4);
  EXPECT_EQ(One({kNone, FilterMode::kNearest, false}, 4, 4).undefined, Undefined::kOutside);
  EXPECT_EQ(One({kNone, FilterMode::kNearest, false}, 4, 3).undefined, Undefined::kNo);
  // The second element has weight 0 and is selected all the same.
  EXPECT_EQ(One({kNone, FilterMode::kLinear, false}, 4, 3.5F).undefined, Undefined::kOutside);
  EXPECT_EQ(One({kRepeat, FilterMode::kNearest, false}, 4, 1).undefined,
            Undefined::kRepeatUnnormalized);
  EXPECT_EQ(One({kMirroredRepeat, FilterMode::kLinear, true}, 4, 1).undefined, Undefined::kNo);
  const Coordinates integers = {.integers = true, .at = {static_cast<std::uint32_t>(-1)}};
  const ImageView view = View(1, false, {4, 1, 1});
  EXPECT_EQ(SelectTaps(view, {kClamp, FilterMode::kNearest, true}, integers).undefined,
            Undefined::kIntegerCoordinate);
  EXPECT_EQ(SelectTaps(view, {kClamp, FilterMode::kLinear, false}, integers).undefined,
            Undefined::kIntegerCoordinate);
  EXPECT_EQ(SelectTaps(view, clamp, integers).taps[0].location.at[0], -1);
  EXPECT_EQ(SelectPlace(View(2, true, {4, 4, 1}, 2), {3, 4, 0, 0}).undefined, Undefined::kOutside);
  EXPECT_EQ(SelectPlace(View(2, true, {4, 4, 1}, 2), {3, 3, 2, 0}).undefined,
            Undefined::kLayerOutside);
  EXPECT_EQ(SelectPlace(View(2, true, {4, 4, 1}, 2), {3, 3, 1, 0}).undefined, Undefined::kNo);
}

TEST(SamplerTest, ElementsFollowTheirPitches) {
  std::vector<std::byte> memory(1000);
  ImageView view = TightView({ChannelOrder::kRG, ChannelType::kHalfFloat}, 3, false, {3, 2, 4}, 1,
                             memory.data());
  EXPECT_EQ(ElementAt(view, {{2, 1, 3}, 0}) - memory.data(), 4 * (2 + 3 * (1 + 2 * 3)));
  view.row_pitch = 20;
  view.slice_pitch = 100;
  EXPECT_EQ(ElementAt(view, {{2, 1, 3}, 0}) - memory.data(), 8 + 20 + 300);
  const ImageView rows =
      TightView({ChannelOrder::kR, ChannelType::kUnormInt8}, 1, true, {7, 1, 1}, 3, memory.data());
  EXPECT_EQ(ElementAt(rows, {{6, 0, 0}, 2}) - memory.data(), 20);
}

}  // namespace
}  // namespace assay::numerics::image
