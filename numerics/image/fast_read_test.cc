#include "numerics/image/fast_read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "numerics/image/random_image.h"

namespace assay::numerics::image {
namespace {

using ::testing::ElementsAreArray;
using enum ChannelOrder;
using enum ChannelType;

void ExpectSame(const Subject& subject, const Sampler& sampler, DataType type,
                const Coordinates& at) {
  const ReadResult exact = ReadSampled(subject.view, sampler, at, type);
  const FastReader reader(subject.view, sampler, type);
  const ReadResult fast = reader.Read(at);
  EXPECT_EQ(exact.undefined, fast.undefined);
  EXPECT_EQ(exact.color, fast.color)
      << Name(subject.view.format.order) << " " << Name(subject.view.format.type) << " address "
      << static_cast<int>(sampler.address) << " filter " << static_cast<int>(sampler.filter)
      << " normalized " << sampler.normalized << " type " << static_cast<int>(type) << " at "
      << std::hex << at.at[0] << " " << at.at[1] << " " << at.at[2] << " size " << std::dec
      << subject.view.size[0];
  Elements selected;
  if (!reader.SelectElements(at, &selected)) return;
  std::vector<const std::byte*> expected;
  for (const Tap& tap : SelectTaps(subject.view, sampler, at).taps) {
    if (tap.inside) expected.push_back(ElementAt(subject.view, tap.location));
  }
  EXPECT_THAT(selected.All(), ElementsAreArray(expected));
}

TEST(FastReadTest, TheSameBitsAsTheExactPath) {
#ifdef __SANITIZE_ADDRESS__
  const int rounds = 1;
#else
  const int rounds = 6;
#endif
  std::mt19937 random(4);
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType channel : kAllChannelTypes) {
      const ImageFormat format = {static_cast<ChannelOrder>(o), channel};
      if (!LayoutOf(format)) continue;
      for (int n = 0; n < rounds * 20; ++n) {
        const Subject subject = RandomImage(random, format);
        const Sampler sampler = {static_cast<AddressMode>(n % 5),
                                 static_cast<FilterMode>(n / 5 % 2), n / 10 % 2 == 1};
        DataType type = TypeOf(format);
        if (type == DataType::kFloat && random() % 4 == 0) type = DataType::kHalf;
        Coordinates at = {.integers = random() % 8 == 0};
        for (std::size_t c = 0; c < 3; ++c) {
          at.at[c] = at.integers
                         ? static_cast<std::uint32_t>(random() % 20 - 4)
                         : F(AnyCoordinate(random, subject.view.size[c], sampler.normalized));
        }
        ExpectSame(subject, sampler, type, at);
      }
    }
  }
}

TEST(FastReadTest, LinearReadsOfTheCommonFormats) {
#ifdef __SANITIZE_ADDRESS__
  const int reads = 200;
#else
  const int reads = 4000;
#endif
  std::mt19937 random(5);
  const ImageFormat formats[] = {{kRGBA, kUnormInt8},    {kRGBA, kUnormInt16}, {kRGBA, kHalfFloat},
                                 {kR, kFloat},           {kSRGBA, kUnormInt8}, {kRG, kSnormInt8},
                                 {kRGB, kUnormInt101010}};
  for (int n = 0; n < reads; ++n) {
    const Subject subject = RandomImage(random, formats[n % 7]);
    const Sampler sampler = {static_cast<AddressMode>(1 + random() % 4), FilterMode::kLinear, true};
    Coordinates at;
    for (std::size_t c = 0; c < 3; ++c)
      at.at[c] = F(AnyCoordinate(random, subject.view.size[c], true));
    ExpectSame(subject, sampler, n % 3 == 0 ? DataType::kHalf : DataType::kFloat, at);
  }
}

TEST(FastReadTest, AlmostAllReadsAreDecidedByDoubles) {
  std::mt19937 random(8);
  int asked = 0, decided = 0, located = 0;
  for (ImageFormat format : {ImageFormat{kRGBA, kUnormInt8}, ImageFormat{kRGBA, kUnormInt16},
                             ImageFormat{kRGBA, kSnormInt8}, ImageFormat{kSRGBA, kUnormInt8},
                             ImageFormat{kRGBA, kSignedInt16}, ImageFormat{kRGB, kUnormShort565}}) {
    for (int n = 0; n < 500; ++n) {
      const Subject subject = RandomImage(random, format);
      const FilterMode filter = TypeOf(format) == DataType::kFloat ? static_cast<FilterMode>(n % 2)
                                                                   : FilterMode::kNearest;
      const Sampler sampler = {static_cast<AddressMode>(1 + random() % 4), filter, true};
      Coordinates at;
      for (Bits& coordinate : at.at)
        coordinate = F(std::uniform_real_distribution<float>(-1, 2)(random));
      Color color;
      ++asked;
      const FastReader reader(subject.view, sampler, TypeOf(format));
      Elements elements;
      decided += reader.TryRead(at, &color) ? 1 : 0;
      located += reader.SelectElements(at, &elements) ? 1 : 0;
    }
  }
  EXPECT_EQ(decided, asked);
  EXPECT_EQ(located, asked);
}

TEST(FastReadTest, TiesOfFloatsHalfwayBetweenTwoElements) {
  std::mt19937 random(6);
  std::vector<float> values(64);
  for (float& value : values) value = 1 + static_cast<float>(random() % 16) * 0x1p-23F;
  const ImageView view = TightView({kR, kFloat}, 2, false, {8, 8, 1}, 1,
                                   reinterpret_cast<const std::byte*>(values.data()));
  const Sampler sampler = {AddressMode::kClampToEdge, FilterMode::kLinear, false};
  const FastReader reader(view, sampler, DataType::kFloat);
  for (int y = 0; y <= 16; ++y) {
    for (int x = 0; x <= 16; ++x) {
      const Coordinates at = {.at = {F(static_cast<float>(x) / 2), F(static_cast<float>(y) / 2)}};
      EXPECT_EQ(reader.Read(at).color, ReadSampled(view, sampler, at, DataType::kFloat).color);
    }
  }
}

TEST(FastReadTest, TheSignOfZeroIsThatOfEverySelectedElement) {
  const float values[] = {-0.0F, -5, -0.0F, -0.0F, 0};
  const ImageView view =
      TightView({kR, kFloat}, 1, false, {5, 1, 1}, 1, reinterpret_cast<const std::byte*>(values));
  const Sampler sampler = {AddressMode::kClampToEdge, FilterMode::kLinear, false};
  const FastReader reader(view, sampler, DataType::kFloat);
  // The second element of the first read has the weight 0.
  const Bits expected[] = {0, SignMask(Format::kFloat), 0};
  const float at[] = {0.5F, 3.25F, 4};
  for (int n = 0; n < 3; ++n) {
    const Coordinates coordinates = {.at = {F(at[n])}};
    EXPECT_EQ(reader.Read(coordinates).color[0], expected[n]) << at[n];
    EXPECT_EQ(ReadSampled(view, sampler, coordinates, DataType::kFloat).color[0], expected[n])
        << at[n];
  }
}

TEST(FastReadTest, ReadsWithoutASampler) {
  std::mt19937 random(7);
  for (ImageFormat format :
       {ImageFormat{kRGBA, kUnormInt8}, ImageFormat{kR, kFloat}, ImageFormat{kBGRA, kSignedInt8}}) {
    for (int n = 0; n < 100; ++n) {
      const Subject subject = RandomImage(random, format);
      std::array<std::int32_t, 4> at;
      for (std::int32_t& c : at) c = static_cast<std::int32_t>(random() % 8) - 1;
      const DataType type = TypeOf(format);
      const ReadResult fast = FastReader(subject.view, {}, type).ReadUnsampled(at);
      const ReadResult exact = ReadUnsampled(subject.view, at, type);
      EXPECT_EQ(fast.undefined, exact.undefined);
      EXPECT_EQ(fast.color, exact.color);
    }
  }
}

}  // namespace
}  // namespace assay::numerics::image
