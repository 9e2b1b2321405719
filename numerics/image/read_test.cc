#include "numerics/image/read.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numerics/image/enclosure.h"
#include "numerics/image/random_image.h"

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;
using enum AddressMode;

// A row of elements of one float channel.
struct Row {
  std::vector<float> values;
  ImageView view;
  explicit Row(std::vector<float> of, ChannelOrder order = kR, std::size_t channels = 1)
      : values(std::move(of)) {
    view = TightView({order, kFloat}, 1, false,
                     {static_cast<std::int64_t>(values.size() / channels), 1, 1}, 1,
                     reinterpret_cast<const std::byte*>(values.data()));
  }
};

ReadResult Read(const Row& row, const Sampler& sampler, float s) {
  return ReadSampled(row.view, sampler, {.at = {F(s)}}, DataType::kFloat);
}

constexpr Sampler kLinearClamp = {kClamp, FilterMode::kLinear, false};

TEST(ReadTest, LinearIsTheWeightedSumRoundedOnce) {
  const Row row({1, 1 + 0x1p-23F, 3, -3});
  EXPECT_EQ(Read(row, kLinearClamp, 1).color[0], F(1));  // 1 + 2^-24: a tie to even
  EXPECT_EQ(Read(row, kLinearClamp, 1.25F).color[0], F(1 + 0x1p-23F));
  EXPECT_EQ(Read(row, kLinearClamp, 3).color[0], F(0));
  EXPECT_EQ(Read(row, kLinearClamp, 0).color[0], F(0.5F));  // half of it is the border
  EXPECT_EQ(Read(row, kLinearClamp, 0).color[3], F(1));     // alpha of R is 1 inside and outside
  const Row alpha({1, 7, 1, 7}, kRx, 2);
  EXPECT_EQ(Read(alpha, kLinearClamp, 0).color[3], F(0.5F));  // of Rx it is 0 outside
  EXPECT_EQ(ReadSampled(row.view, kLinearClamp, {.at = {F(1)}}, DataType::kFloat, Rounding::kRtp)
                .color[0],
            F(1 + 0x1p-23F));
  const Row zeros({-0.0F, -0.0F, 0.0F});
  EXPECT_EQ(Read(zeros, kLinearClamp, 1).color[0], F(-0.0F));
  EXPECT_EQ(Read(zeros, kLinearClamp, 2).color[0], F(0.0F));
}

TEST(ReadTest, BorderAndUndefinedReads) {
  const Row row({INFINITY, 2, NAN});
  EXPECT_EQ(Read(row, {kClamp, FilterMode::kNearest, false}, -1).color, (Color{0, 0, 0, F(1)}));
  EXPECT_EQ(Read(row, {kClamp, FilterMode::kNearest, false}, 0).color[0], F(INFINITY));
  EXPECT_EQ(Read(row, kLinearClamp, 1.5F).undefined,
            Undefined::kLinearOfInfinityOrNan);  // weight 0
  EXPECT_EQ(Read(row, kLinearClamp, 0.75F).undefined, Undefined::kLinearOfInfinityOrNan);
  EXPECT_EQ(Read(row, {kNone, FilterMode::kNearest, false}, 3).undefined, Undefined::kOutside);
  EXPECT_EQ(ReadSampled(row.view, kLinearClamp, {.at = {F(1)}}, DataType::kInt).undefined,
            Undefined::kWrongResultType);
  const std::byte bytes[4] = {};
  const ImageView integers = TightView({kR, kUnsignedInt8}, 1, false, {4, 1, 1}, 1, bytes);
  EXPECT_EQ(ReadSampled(integers, kLinearClamp, {.at = {F(1)}}, DataType::kUint).undefined,
            Undefined::kLinearOfIntegers);
  EXPECT_EQ(ReadUnsampled(row.view, {1, 0, 0, 0}, DataType::kFloat).color[0], F(2));
  EXPECT_EQ(ReadUnsampled(row.view, {3, 0, 0, 0}, DataType::kFloat).undefined, Undefined::kOutside);
  EXPECT_EQ(ReadUnsampled(row.view, {1, 0, 0, 0}, DataType::kHalf).undefined,
            Undefined::kHalfOfFloat);
}

TEST(ReadTest, SrgbIsFilteredAfterTheConversion) {
  const std::byte bytes[8] = {std::byte{10},  std::byte{200}, std::byte{0},   std::byte{7},
                              std::byte{255}, std::byte{30},  std::byte{100}, std::byte{9}};
  const ImageView view = TightView({kSRGBA, kUnormInt8}, 1, false, {2, 1, 1}, 1, bytes);
  const Color color = ReadSampled(view, kLinearClamp, {.at = {F(1.25F)}}, DataType::kFloat).color;
  const auto linear = [](double x) {
    return x / 255 <= 0.04045 ? x / 255 / 12.92 : std::pow((x / 255 + 0.055) / 1.055, 2.4);
  };
  EXPECT_EQ(color[0], F(static_cast<float>(0.25 * linear(10) + 0.75)));
  EXPECT_EQ(color[1], F(static_cast<float>(0.25 * linear(200) + 0.75 * linear(30))));
  EXPECT_EQ(color[2], F(static_cast<float>(0.75 * linear(100))));
  EXPECT_EQ(color[3], F(static_cast<float>((0.25 * 7 + 0.75 * 9) / 255)));
}

TEST(MipmapTest, LevelsAreClampedAndAveraged) {
  const MipFilter nearest, linear = {.mode = FilterMode::kLinear};
  EXPECT_EQ(SelectLevels(4, nearest, 1.5F).first, 1);
  EXPECT_EQ(SelectLevels(4, nearest, 1.75F).first, 2);
  EXPECT_EQ(SelectLevels(4, nearest, -3).first, 0);
  EXPECT_EQ(SelectLevels(4, nearest, 0.5F).first, 0);
  EXPECT_EQ(SelectLevels(4, nearest, INFINITY).first, 3);
  EXPECT_EQ(SelectLevels(4, {.lod_min = 2}, 0).first, 2);
  EXPECT_EQ(SelectLevels(4, linear, 1.25F).second, 2);
  EXPECT_TRUE(SelectLevels(4, linear, 1.25F).weight == Ratio(1, 4));
  EXPECT_EQ(SelectLevels(4, nearest, NAN).undefined, Undefined::kLevelOfDetailNotFinite);
  const Row large({1, 1}), small({2});
  const ImageView levels[] = {large.view, small.view};
  const Sampler edge = {kClampToEdge, FilterMode::kNearest, true};
  EXPECT_EQ(
      ReadMipmapped(levels, edge, linear, {.at = {F(0.3F)}}, 0.25F, DataType::kFloat).color[0],
      F(1.25F));
  EXPECT_EQ(
      ReadMipmapped(levels, edge, nearest, {.at = {F(0.3F)}}, 0.75F, DataType::kFloat).color[0],
      F(2));
}

TEST(MipmapTest, LevelOfDetailOfGradients) {
  const ImageView view = TightView({kR, kFloat}, 2, false, {16, 8, 1}, 1, nullptr);
  const auto lod = [&](bool normalized, float ax, float ay, float bx, float by) {
    const float x[] = {ax, ay}, y[] = {bx, by};
    return LevelOfDetail(view, normalized, x, y);
  };
  EXPECT_EQ(lod(false, 4, 0, 0, 1), 2);
  EXPECT_EQ(lod(true, 0.5F, 0, 0, 0.25F), 3);
  EXPECT_EQ(lod(false, 3, 4, 0, 0), static_cast<float>(std::log2(5.0)));
  EXPECT_EQ(lod(true, 0, 0.25F, 0.0625F, 0), 1);
  EXPECT_EQ(lod(true, 0, 0, 0, 0), -INFINITY);
  EXPECT_TRUE(std::isnan(lod(true, 0, 0, 0, NAN)));
}

// ---- Enclosure --------------------------------------------------------------------------------

TEST(EnclosureTest, ChoicesOfOneDimension) {
  const Sampler nearest = {kClampToEdge, FilterMode::kNearest, true};
  // 0.1f * 10 is above 1 by 1.5e-8: a float product may be 1 or the next one.
  auto choices = AxisChoices(nearest, 10, F(0.1F));
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_EQ(choices[0].i0, 1);
  // 0.7f * 10 is below 7 by a quarter of a gap: 7 when rounded upward.
  choices = AxisChoices(nearest, 10, F(0.7F));
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].i0, 6);
  EXPECT_EQ(choices[1].i0, 7);
  EXPECT_EQ(AxisChoices(nearest, 8, F(std::nextafterf(0.125F, 0))).size(), 1u);  // exact
  // A tiny negative coordinate: the border, or element 0 where it is flushed.
  EXPECT_EQ(AxisChoices({kClamp, FilterMode::kNearest, true}, 10, F(-1e-42F)).size(), 2u);
  // s - floor(s) is 1 after rounding: element 0 instead of the last.
  choices = AxisChoices({kRepeat, FilterMode::kNearest, true}, 10, F(-1e-30F));
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[0].i0, 0);
  EXPECT_EQ(choices[1].i0, 9);
  choices = AxisChoices({kClampToEdge, FilterMode::kLinear, true}, 10, F(0.35F));
  ASSERT_EQ(choices.size(), 2u);  // u - 0.5 is close to 3
}

TEST(EnclosureTest, UnnormalizedNearestIsExact) {
  const Row row({1, 2, 3});
  const AllowedRead allowed = AllowedOfSampled(row.view, {kClamp, FilterMode::kNearest, false},
                                               {.at = {F(1.99F)}}, DataType::kFloat);
  EXPECT_TRUE(allowed.precision_defined);
  ASSERT_EQ(allowed.choices.size(), 1u);
  EXPECT_TRUE(allowed.Contains({F(2), 0, 0, F(1)}));
  EXPECT_FALSE(allowed.Contains({F(3), 0, 0, F(1)}));
}

// The formulas of the text in plain float, as a device may have them: rounded to nearest, and
// fused.
struct Plain {
  int i0, i1;
  float a;
};

Plain PlainLinear(AddressMode address, float s, int size, bool fused) {
  const auto w = static_cast<float>(size);
  float lower;
  if (address == kRepeat) {
    s = s - std::floor(s);
  } else if (address == kMirroredRepeat) {
    s = std::fabs(s - 2.0F * std::rint(0.5F * s));
  }
  lower = fused ? std::fma(s, w, -0.5F) : s * w - 0.5F;
  Plain plain = {static_cast<int>(std::floor(lower)), 0, lower - std::floor(lower)};
  plain.i1 = plain.i0 + 1;
  const auto clamp = [&](int i, int low, int high) { return i < low ? low : i > high ? high : i; };
  if (address == kRepeat) {
    if (plain.i0 < 0) plain.i0 += size;
    if (plain.i1 > size - 1) plain.i1 -= size;
  } else {
    const int out = address == kClamp ? 1 : 0;
    plain.i0 = clamp(plain.i0, -out, size - 1 + out);
    plain.i1 = clamp(plain.i1, -out, size - 1 + out);
  }
  return plain;
}

TEST(EnclosureTest, PlainFloatArithmeticLiesInItAndSoDoesTheExactResult) {
  std::mt19937 random(17);
  std::uniform_real_distribution<float> value(-1, 1), coordinate(-2.5F, 2.5F);
  const int reads = 400;
  for (int n = 0; n < reads; ++n) {
    const int width = 1 + static_cast<int>(random() % 9),
              height = 1 + static_cast<int>(random() % 9);
    std::vector<float> pixels(static_cast<std::size_t>(width * height));
    for (float& pixel : pixels) pixel = value(random);
    const ImageView view = TightView({kR, kFloat}, 2, false, {width, height, 1}, 1,
                                     reinterpret_cast<const std::byte*>(pixels.data()));
    const AddressMode address = std::array{kClampToEdge, kClamp, kRepeat, kMirroredRepeat}[n % 4];
    const float s = coordinate(random),
                t = static_cast<float>(random() % 8) / static_cast<float>(height);
    const Sampler sampler = {address, FilterMode::kLinear, true};
    const Coordinates at = {.at = {F(s), F(t)}};
    const AllowedRead allowed = AllowedOfSampled(view, sampler, at, DataType::kFloat);
    EXPECT_FALSE(allowed.precision_defined);
    const Color exact = ReadSampled(view, sampler, at, DataType::kFloat).color;
    EXPECT_TRUE(allowed.Contains(exact));
    for (bool fused : {false, true}) {
      const Plain x = PlainLinear(address, s, width, fused),
                  y = PlainLinear(address, t, height, fused);
      const auto texel = [&](int i, int j) {
        const bool inside = i >= 0 && j >= 0 && i < width && j < height;
        return inside ? pixels[static_cast<std::size_t>(j * width + i)] : 0.0F;
      };
      const float plain = (1 - x.a) * (1 - y.a) * texel(x.i0, y.i0) +
                          x.a * (1 - y.a) * texel(x.i1, y.i0) +
                          (1 - x.a) * y.a * texel(x.i0, y.i1) + x.a * y.a * texel(x.i1, y.i1);
      Color color = exact;
      color[0] = F(plain);
      EXPECT_TRUE(allowed.Contains(color))
          << "address " << static_cast<int>(address) << " at " << s << " " << t << " of " << width
          << " x " << height << ": " << color[0] << ", exact " << exact[0] << ", "
          << allowed.choices.size() << " choices, the first from "
          << allowed.choices[0].component[0].low << " to " << allowed.choices[0].component[0].high;
      // It is tight: a thousand times the roundings away is outside.
      color[0] = F(plain + 4e-3F);
      EXPECT_FALSE(allowed.Contains(color));
    }
  }
}

TEST(EnclosureTest, InfinityInAnElementThatOnlyRoundingSelects) {
  // Exactly element 6; with rounding element 7 too.
  Row row({0, 0, 0, 0, 0, 0, 5, INFINITY, 0, 0});
  const AllowedRead allowed = AllowedOfSampled(row.view, {kClampToEdge, FilterMode::kNearest, true},
                                               {.at = {F(0.7F)}}, DataType::kFloat);
  EXPECT_EQ(allowed.undefined, Undefined::kNo);
  EXPECT_TRUE(allowed.Contains({F(5), 0, 0, F(1)}));
  EXPECT_TRUE(allowed.Contains({F(INFINITY), 0, 0, F(1)}));
  EXPECT_FALSE(allowed.Contains({F(4), 0, 0, F(1)}));
}

TEST(EnclosureTest, ConstantImageStaysNearlyConstant) {
  const Row row({0.3F, 0.3F, 0.3F, 0.3F});
  const AllowedRead allowed = AllowedOfSampled(row.view, {kRepeat, FilterMode::kLinear, true},
                                               {.at = {F(0.777F)}}, DataType::kFloat);
  const AllowedSet& set = allowed.choices[0].component[0];
  EXPECT_TRUE(set.Contains(F(0.3F)));
  EXPECT_LE(set.high - set.low, 16);
  const Row zeros({0, 0, 0, 0});
  const AllowedRead none = AllowedOfSampled(zeros.view, {kRepeat, FilterMode::kLinear, true},
                                            {.at = {F(0.777F)}}, DataType::kFloat);
  EXPECT_TRUE(none.choices[0].component[0].Contains(0));
  EXPECT_FALSE(none.choices[0].component[0].Contains(1));
}

}  // namespace
}  // namespace assay::numerics::image
