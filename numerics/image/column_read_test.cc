#include "numerics/image/column_read.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "numerics/image/fast_read.h"
#include "numerics/image/random_image.h"

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;

#ifdef __SANITIZE_ADDRESS__
constexpr int kRounds = 1;
#else
constexpr int kRounds = 5;
#endif

// Coordinates of kReadLanes reads, by component.
struct Request {
  bool integers = false;
  bool sampled = true;
  std::array<std::array<std::uint32_t, kReadLanes>, 3> at = {};

  CoordinateColumns Columns() const {
    return {integers, sampled, {at[0].data(), at[1].data(), at[2].data(), nullptr}};
  }
  Coordinates Of(std::size_t lane) const {
    return {integers, {at[0][lane], at[1][lane], at[2][lane]}};
  }
};

ReadResult Exact(const ImageView& view, const Sampler& sampler, DataType type,
                 const Request& request, std::size_t lane) {
  if (request.sampled) return ReadSampled(view, sampler, request.Of(lane), type);
  std::array<std::int32_t, 4> at = {};
  for (std::size_t c = 0; c < 3; ++c) at[c] = static_cast<std::int32_t>(request.at[c][lane]);
  return ReadUnsampled(view, at, type);
}

// The lanes that every set of vector instructions of this processor decides, which are the same.
std::uint32_t ExpectExact(const ImageView& view, const Sampler& sampler, DataType type,
                          const Request& request) {
  const FastReader reader(view, sampler, type);
  std::optional<std::uint32_t> first_decided;
  for (VectorSet set : {VectorSet::kSse2, VectorSet::kAvx2, VectorSet::kAvx512}) {
    if (!HasVectorSet(set)) continue;
    ColorColumns color;
    const std::uint32_t decided = reader.ReadColumns(request.Columns(), &color, set);
    if (!first_decided) first_decided = decided;
    EXPECT_EQ(decided, *first_decided);
    for (std::size_t lane = 0; lane < kReadLanes; ++lane) {
      if ((decided >> lane & 1) == 0) continue;
      const ReadResult exact = Exact(view, sampler, type, request, lane);
      EXPECT_EQ(exact.undefined, Undefined::kNo);
      for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(exact.color[c], color.component[c][lane])
            << Name(view.format.order) << " " << Name(view.format.type) << " address "
            << static_cast<int>(sampler.address) << " filter " << static_cast<int>(sampler.filter)
            << " normalized " << sampler.normalized << " at " << std::hex << request.at[0][lane]
            << " " << request.at[1][lane] << " " << request.at[2][lane] << " size " << std::dec
            << view.size[0] << " set " << static_cast<int>(set);
      }
    }
  }
  return first_decided.value();
}

TEST(ColumnReadTest, TheSameBitsAsTheExactPath) {
  std::mt19937 random(14);
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType channel : kAllChannelTypes) {
      const ImageFormat format = {static_cast<ChannelOrder>(o), channel};
      if (!LayoutOf(format)) continue;
      for (int n = 0; n < kRounds * 5; ++n) {
        const Subject subject = RandomImage(random, format);
        const Sampler sampler = {static_cast<AddressMode>(n % 5),
                                 static_cast<FilterMode>(random() % 2), random() % 2 == 1};
        Request request = {.integers = random() % 8 == 0};
        for (std::size_t c = 0; c < 3; ++c) {
          for (std::uint32_t& at : request.at[c]) {
            at = request.integers ? static_cast<std::uint32_t>(random() % 20 - 4)
                                  : static_cast<std::uint32_t>(F(AnyCoordinate(
                                        random, subject.view.size[c], sampler.normalized)));
          }
        }
        ExpectExact(subject.view, sampler, TypeOf(format), request);
      }
    }
  }
}

// Elements side by side, and where a row ends.
TEST(ColumnReadTest, RowsOfElements) {
  std::mt19937 random(15);
  std::uint32_t all = 0xffff;
  for (ChannelType channel : kAllChannelTypes) {
    for (ChannelOrder order : {kR, kRG, kRGBA, kRGB, kDepth, kSRGBA}) {
      const ImageFormat format = {order, channel};
      if (!LayoutOf(format) || Check(format) != FormatCheck::kValid) continue;
      std::vector<std::byte> memory(static_cast<std::size_t>(LayoutOf(format)->bytes) * 40 * 3);
      for (std::byte& byte : memory) byte = static_cast<std::byte>(random() & 0x3b);  // no INF
      const ImageView view = TightView(format, 2, false, {40, 3, 1}, 1, memory.data());
      for (int begin : {-3, 0, 7, 30}) {
        Request request = {.integers = true};
        for (std::size_t i = 0; i < kReadLanes; ++i) {
          request.at[0][i] = static_cast<std::uint32_t>(begin + static_cast<int>(i));
          request.at[1][i] = 1;
        }
        for (AddressMode mode : {AddressMode::kClampToEdge, AddressMode::kClamp}) {
          all &= ExpectExact(view, {.address = mode}, TypeOf(format), request);
        }
      }
    }
  }
  EXPECT_EQ(all, 0xffffU);
}

// Outside nothing is defined, and inside everything is decided.
TEST(ColumnReadTest, ReadsWithoutASampler) {
  std::mt19937 random(16);
  for (ImageFormat format :
       {ImageFormat{kRGBA, kUnormInt8}, ImageFormat{kR, kFloat}, ImageFormat{kBGRA, kSignedInt8}}) {
    for (int n = 0; n < kRounds * 20; ++n) {
      const Subject subject = RandomImage(random, format);
      Request request = {.integers = true, .sampled = false};
      for (auto& column : request.at) {
        for (std::uint32_t& at : column) at = static_cast<std::uint32_t>(random() % 8) - 1;
      }
      const std::uint32_t decided = ExpectExact(subject.view, {}, TypeOf(format), request);
      for (std::size_t lane = 0; lane < kReadLanes; ++lane) {
        const ReadResult exact = Exact(subject.view, {}, TypeOf(format), request, lane);
        EXPECT_EQ((decided >> lane & 1) != 0, exact.undefined == Undefined::kNo);
      }
    }
  }
}

TEST(ColumnReadTest, DecidesTheReadsOfTheCommonFormats) {
  std::mt19937 random(17);
  for (ImageFormat format : {ImageFormat{kRGBA, kUnormInt8}, ImageFormat{kRGBA, kUnormInt16},
                             ImageFormat{kRGBA, kSnormInt8}, ImageFormat{kSRGBA, kUnormInt8},
                             ImageFormat{kRGBA, kSignedInt16}, ImageFormat{kRGB, kUnormShort565}}) {
    for (int n = 0; n < kRounds * 10; ++n) {
      const Subject subject = RandomImage(random, format);
      const FilterMode filter = TypeOf(format) == DataType::kFloat ? static_cast<FilterMode>(n % 2)
                                                                   : FilterMode::kNearest;
      const Sampler sampler = {static_cast<AddressMode>(1 + random() % 4), filter, true};
      Request request;
      for (auto& column : request.at) {
        for (std::uint32_t& at : column) {
          at = static_cast<std::uint32_t>(F(std::uniform_real_distribution<float>(-1, 2)(random)));
        }
      }
      EXPECT_EQ(ExpectExact(subject.view, sampler, TypeOf(format), request), 0xffffU)
          << Name(format.order) << " " << Name(format.type);
    }
  }
}

TEST(ColumnReadTest, DecidesTiesOfFloatsHalfwayBetweenTwoElements) {
  std::mt19937 random(18);
  std::vector<float> values(64);
  for (float& value : values) value = 1 + static_cast<float>(random() % 16) * 0x1p-23F;
  const ImageView view = TightView({kR, kFloat}, 2, false, {8, 8, 1}, 1,
                                   reinterpret_cast<const std::byte*>(values.data()));
  const Sampler sampler = {AddressMode::kClampToEdge, FilterMode::kLinear, false};
  for (int y = 0; y <= 16; ++y) {
    Request request;
    for (std::size_t x = 0; x < kReadLanes; ++x) {
      request.at[0][x] = static_cast<std::uint32_t>(F(static_cast<float>(x) / 2));
      request.at[1][x] = static_cast<std::uint32_t>(F(static_cast<float>(y) / 2));
    }
    EXPECT_EQ(ExpectExact(view, sampler, DataType::kFloat, request), 0xffffU);
  }
}

TEST(ColumnReadTest, TheSignOfZeroIsThatOfEverySelectedElement) {
  const float values[] = {-0.0F, -5, -0.0F, -0.0F, 0};
  const ImageView view =
      TightView({kR, kFloat}, 1, false, {5, 1, 1}, 1, reinterpret_cast<const std::byte*>(values));
  const Sampler sampler = {AddressMode::kClampToEdge, FilterMode::kLinear, false};
  // The second element of the first read has the weight 0.
  const float at[] = {0.5F, 3.25F, 4};
  Request request;
  for (std::size_t i = 0; i < kReadLanes; ++i) {
    request.at[0][i] = static_cast<std::uint32_t>(F(at[i % 3]));
  }
  EXPECT_EQ(ExpectExact(view, sampler, DataType::kFloat, request), 0xffffU);
  const FastReader reader(view, sampler, DataType::kFloat);
  ColorColumns color;
  reader.ReadColumns(request.Columns(), &color, ChosenVectorSet());
  const std::uint32_t expected[] = {0, 0x80000000, 0};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(color.component[0][i], expected[i]) << at[i];
}

}  // namespace
}  // namespace assay::numerics::image
