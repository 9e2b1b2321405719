// A device that answers right passes every row; mutants are found, or judged as the text says.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/images/report.h"
#include "oracle/images/run.h"
#include "oracle/images/suite.h"
#include "oracle/testing/image_device.h"

namespace assay::oracle {
namespace {

using numerics::image::AddressMode;
using numerics::image::ChannelOrder;
using numerics::image::ChannelType;
using numerics::image::FilterMode;
using numerics::image::ImageFormat;
using Words = TestingImages::Words;

constexpr ImageFormat kRgba8 = {ChannelOrder::kRGBA, ChannelType::kUnormInt8};
constexpr ImageFormat kRgbaHalf = {ChannelOrder::kRGBA, ChannelType::kHalfFloat};
constexpr ImageFormat kRgbaFloat = {ChannelOrder::kRGBA, ChannelType::kFloat};
constexpr ImageFormat kSrgba8 = {ChannelOrder::kSRGBA, ChannelType::kUnormInt8};
constexpr ImageFormat kR16 = {ChannelOrder::kR, ChannelType::kUnormInt16};
constexpr ImageFormat kSigned8 = {ChannelOrder::kRGBA, ChannelType::kSignedInt8};

// Formats of every kind of channel, packed ones, and orders with a constant component.
const std::vector<ImageFormat> kFormats = {
    kRgba8,
    kRgbaHalf,
    kRgbaFloat,
    kSrgba8,
    kR16,
    kSigned8,
    {ChannelOrder::kBGRA, ChannelType::kUnormInt8},
    {ChannelOrder::kRG, ChannelType::kSnormInt16},
    {ChannelOrder::kA, ChannelType::kSnormInt8},
    {ChannelOrder::kRGBA, ChannelType::kUnsignedInt32},
    {ChannelOrder::kR, ChannelType::kSignedInt32},
    {ChannelOrder::kRGB, ChannelType::kUnormShort565},
    {ChannelOrder::kDepth, ChannelType::kFloat},
    {ChannelOrder::kLuminance, ChannelType::kHalfFloat},
};

std::vector<ImageRowResult> RunAll(TestingImages& device, const std::string& names) {
  const auto abilities = AskImageAbilities(device);
  EXPECT_TRUE(abilities);
  const auto rows = SelectImageRows(ImageRows(*abilities), {names});
  EXPECT_TRUE(rows) << rows.error().message;
  std::vector<ImageRowResult> results;
  for (const ImageRow& row : *rows) {
    results.push_back(RunImageRow(device, *abilities, row, {}));
  }
  return results;
}

ImageRowResult RunOne(TestingImages& device, const std::string& name) {
  const auto results = RunAll(device, name);
  EXPECT_EQ(results.size(), 1U);
  return results.at(0);
}

float FloatOf(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t BitsOf(float value) { return std::bit_cast<std::uint32_t>(value); }

void ExpectRight(TestingImages& device, const std::string& names) {
  std::set<ImageVerdict> specification;
  for (const ImageRowResult& row : RunAll(device, names)) {
    if (row.row.op == ImageRowOp::kFormats) continue;  // it lacks required formats
    EXPECT_EQ(row.tally.failures, 0U) << row.row.Name() << ": " << row.tally.recorded[0].observed;
    EXPECT_EQ(row.tally.outside_float, 0U) << row.row.Name();
    EXPECT_EQ(row.tally.suite_failures, 0U)
        << row.row.Name() << ": " << row.tally.suite_first->how << row.tally.suite_first->input;
    EXPECT_EQ(row.suite, ImageVerdict::kPass) << row.row.Name();
    EXPECT_EQ(row.tally.worst ? row.tally.worst->error : 0, 0) << row.row.Name();
    specification.insert(row.specification);
  }
  EXPECT_EQ(specification, (std::set{ImageVerdict::kPass, ImageVerdict::kNotDefined}));
}

TEST(ImagesTest, ARightDevicePassesEveryRowOf1D) {
  TestingImages device(kFormats);
  ExpectRight(device, "image_*_1d_[!b]*");
}

TEST(ImagesTest, ARightDevicePassesEveryShape) {
  TestingImages device({kRgba8});
  ExpectRight(device, "@images");
}

TEST(ImagesTest, ARightDevicePassesRowsOfDepth) {
  TestingImages device({{ChannelOrder::kDepth, ChannelType::kFloat}});
  ExpectRight(device, "image_*_2d_*");
}

TEST(ImagesTest, RowsThatTheTextDoesNotDefineSaySo) {
  TestingImages device({kRgba8});
  for (const char* name : {"image_linear_2d_rgba_unorm_int8", "image_nearest_normalized_3d_*",
                           "image_linear_normalized_1d_array_*"}) {
    EXPECT_EQ(RunOne(device, name).specification, ImageVerdict::kNotDefined) << name;
  }
  for (const char* name : {"image_nearest_2d_rgba_unorm_int8", "image_read_2d_rgba_unorm_int8",
                           "image_write_2d_rgba_unorm_int8", "image_query_2d_rgba_unorm_int8"}) {
    EXPECT_EQ(RunOne(device, name).specification, ImageVerdict::kPass) << name;
  }
}

TEST(ImagesTest, MissingRequiredFormatsAreNamed) {
  TestingImages device({kRgba8, {ChannelOrder::kBGRA, ChannelType::kUnormInt8}});
  const ImageRowResult row = RunOne(device, "image_formats_2d");
  EXPECT_EQ(row.specification, ImageVerdict::kFail);
  // Ten of RGBA are required by OpenCL 3.0, and BGRA; for reading and for writing.
  EXPECT_EQ(row.tally.answers, 22U);
  EXPECT_EQ(row.tally.failures, 18U);
  EXPECT_EQ(row.tally.recorded[0].input, "CL_RGBA CL_UNORM_INT16");
}

// Changes the first component of reads through samplers of one kind.
TEST(ImagesTest, RoundingTowardZeroIsOneUlpAndAllowed) {
  TestingImages device({kRgba8});
  device.change_read = [](const ImageRequest&, const std::byte*, const Words&, Words right) {
    for (std::uint32_t& c : right) {
      // One ulp, but for the ends: 1.5 are allowed (8.3.1).
      if (FloatOf(c) > 0 && FloatOf(c) < 1) --c;
    }
    return right;
  };
  EXPECT_EQ(RunOne(device, "image_read_2d_rgba_unorm_int8").specification, ImageVerdict::kPass);
  EXPECT_EQ(RunOne(device, "image_read_2d_rgba_unorm_int8").tally.worst->error, 1);
  device.change_read = [](const ImageRequest&, const std::byte*, const Words&, Words right) {
    for (std::uint32_t& c : right) {
      if (FloatOf(c) > 0 && FloatOf(c) < 1) c -= 2;
    }
    return right;
  };
  EXPECT_EQ(RunOne(device, "image_read_2d_rgba_unorm_int8").specification, ImageVerdict::kFail);
  // The ends are exact.
  device.change_read = [](const ImageRequest&, const std::byte*, const Words&, Words right) {
    for (std::uint32_t& c : right) {
      if (c == BitsOf(1)) --c;
    }
    return right;
  };
  EXPECT_EQ(RunOne(device, "image_read_2d_rgba_unorm_int8").specification, ImageVerdict::kFail);
}

TEST(ImagesTest, WritesThatRoundTowardZeroFail) {
  TestingImages device({kRgba8, kRgbaHalf});
  device.change_write = [](const ImageRequest& request, const Words& color, std::byte* element) {
    for (std::size_t c = 0; c < 4; ++c) {
      const float scaled = std::fmin(std::fmax(FloatOf(color[c]), 0), 1) * 255;
      if (request.format == kRgba8) element[c] = static_cast<std::byte>(std::floor(scaled));
    }
  };
  const ImageRowResult row = RunOne(device, "image_write_2d_rgba_unorm_int8");
  EXPECT_EQ(row.specification, ImageVerdict::kFail);
  EXPECT_EQ(row.suite, ImageVerdict::kFail);
  EXPECT_EQ(row.tally.worst->error, 1);
  // To half it is one of the two modes of 8.3.2.
  device.change_write = [](const ImageRequest& request, const Words& color, std::byte* element) {
    const auto layout = *LayoutOf(request.format);
    for (std::size_t c = 0; c < 4; ++c) {
      if (!IsFinite(numerics::Format::kFloat, color[c])) continue;
      WriteField(
          element, layout.field[c],
          (color[c] >> 16 & 0x8000U) |
              numerics::image::RoundTo(numerics::image::ValueOf(numerics::Format::kFloat, color[c]),
                                       numerics::Format::kHalf, numerics::Rounding::kRtz));
    }
  };
  const ImageRowResult half = RunOne(device, "image_write_2d_rgba_half_float");
  EXPECT_EQ(half.specification, ImageVerdict::kPass);
  EXPECT_EQ(half.suite, ImageVerdict::kPass);
  EXPECT_GE(half.tally.worst->error, 1);
}

// The right edge is one texel too early.
TEST(ImagesTest, OffByOneAtTheEdgeIsFound) {
  TestingImages device({kRgba8});
  device.change_read = [](const ImageRequest& request, const std::byte* texels, const Words& at,
                          Words right) {
    if (!request.sampled || request.sampler.address != AddressMode::kClampToEdge) return right;
    const double u = request.integers ? static_cast<std::int32_t>(at[0])
                                      : static_cast<double>(FloatOf(at[0])) *
                                            (request.sampler.normalized ? request.size[0] : 1);
    if (u < request.size[0]) return right;
    const auto view = numerics::image::TightView(
        request.format, 1, false, {static_cast<std::int64_t>(request.size[0]), 1, 1}, 1, texels);
    const auto color =
        ReadUnsampled(view, {static_cast<std::int32_t>(request.size[0]) - 2, 0, 0, 0}, request.type)
            .color;
    for (std::size_t c = 0; c < 4; ++c) right[c] = static_cast<std::uint32_t>(color[c]);
    return right;
  };
  const ImageRowResult exact = RunOne(device, "image_nearest_1d_rgba_unorm_int8");
  EXPECT_EQ(exact.specification, ImageVerdict::kFail);
  EXPECT_EQ(exact.suite, ImageVerdict::kFail);
  const ImageRowResult normalized = RunOne(device, "image_nearest_normalized_1d_rgba_unorm_int8");
  EXPECT_EQ(normalized.specification, ImageVerdict::kNotDefined);
  EXPECT_GT(normalized.tally.outside_float, 0U);
  EXPECT_EQ(normalized.suite, ImageVerdict::kFail);
}

TEST(ImagesTest, SwappedChannelsAreFound) {
  TestingImages device({kRgba8, kSigned8});
  device.change_read = [](const ImageRequest&, const std::byte*, const Words&, Words right) {
    std::swap(right[0], right[2]);
    return right;
  };
  device.change_write = [](const ImageRequest&, const Words&, std::byte* element) {
    std::swap(element[0], element[2]);
  };
  for (const ImageRowResult& row : RunAll(device, "image_*_1d_[!b]*")) {
    if (row.row.op == ImageRowOp::kFormats || row.row.op == ImageRowOp::kQuery) continue;
    EXPECT_EQ(row.suite, ImageVerdict::kFail) << row.row.Name();
    const bool defined = row.row.op == ImageRowOp::kRead || row.row.op == ImageRowOp::kNearest ||
                         row.row.op == ImageRowOp::kWrite;
    EXPECT_EQ(row.specification, defined ? ImageVerdict::kFail : ImageVerdict::kNotDefined)
        << row.row.Name();
    if (!defined) {
      EXPECT_GT(row.tally.outside_float, 0U) << row.row.Name();
    }
  }
}

TEST(ImagesTest, WrongBorderAlphaIsFound) {
  const ImageFormat srgb = {ChannelOrder::kSRGBA, ChannelType::kUnormInt8};
  TestingImages device({kRgba8, srgb, kR16});
  device.change_read = [](const ImageRequest& request, const std::byte* texels, const Words& at,
                          Words right) {
    if (!request.sampled || request.sampler.address != AddressMode::kClamp) return right;
    const auto view = numerics::image::TightView(
        request.format, 1, false, {static_cast<std::int64_t>(request.size[0]), 1, 1}, 1, texels);
    const auto taps = SelectTaps(view, request.sampler, {request.integers, {at[0], 0, 0, 0}});
    if (taps.taps.size() == 1 && !taps.taps[0].inside) right[3] ^= BitsOf(1);
    return right;
  };
  for (const char* name : {"image_nearest_1d_rgba_unorm_int8", "image_nearest_1d_srgba_unorm_int8",
                           "image_nearest_1d_r_unorm_int16"}) {
    const ImageRowResult row = RunOne(device, name);
    EXPECT_EQ(row.specification, ImageVerdict::kFail) << name;
  }
}

TEST(ImagesTest, SrgbByAPowerIsFound) {
  TestingImages device({kSrgba8});
  const auto decode = [](const std::byte* element, Words right) {
    for (std::size_t c = 0; c < 3; ++c) {
      right[c] = BitsOf(std::pow(static_cast<float>(element[c]) / 255, 2.2F));
    }
    return right;
  };
  device.change_read = [&](const ImageRequest& request, const std::byte* texels, const Words& at,
                           Words right) {
    if (request.sampled) return right;
    return decode(texels + 4 * (at[0] + std::size_t{at[1]} * request.size[0]), right);
  };
  const ImageRowResult row = RunOne(device, "image_read_2d_srgba_unorm_int8");
  EXPECT_EQ(row.specification, ImageVerdict::kFail);
  EXPECT_EQ(row.suite, ImageVerdict::kFail);
}

// A linear filter whose weights have eight bits, as graphics processors have them.
TEST(ImagesTest, WeightsOfEightBitsAreWithinTheSuiteAndNotDefinedByTheText) {
  TestingImages device({kRgba8});
  device.change_read = [](const ImageRequest& request, const std::byte* texels, const Words& at,
                          Words right) {
    if (!request.sampled || request.sampler.filter != FilterMode::kLinear) return right;
    const auto view = numerics::image::TightView(
        request.format, 1, false, {static_cast<std::int64_t>(request.size[0]), 1, 1}, 1, texels);
    auto taps = SelectTaps(view, request.sampler, {false, {at[0], 0, 0, 0}}).taps;
    const double a = std::nearbyint(taps[1].weight.get_d() * 256) / 256;
    for (std::size_t c = 0; c < 4; ++c) {
      double value[2];
      for (std::size_t t = 0; t < 2; ++t) {
        value[t] = static_cast<double>(FloatOf(static_cast<std::uint32_t>(RoundComponent(
            TexelOfTap(view, taps[t]).component[c], request.type, numerics::Rounding::kRte))));
      }
      right[c] = BitsOf(static_cast<float>(value[0] * (1 - a) + value[1] * a));
    }
    return right;
  };
  for (const char* name :
       {"image_linear_1d_rgba_unorm_int8", "image_linear_normalized_1d_rgba_unorm_int8"}) {
    const ImageRowResult row = RunOne(device, name);
    EXPECT_EQ(row.specification, ImageVerdict::kNotDefined) << name;
    EXPECT_EQ(row.suite, ImageVerdict::kPass) << name;
    EXPECT_GT(row.tally.outside_float, 0U) << name;
  }
}

TEST(ImagesTest, ADeviceThatStoresNothingPassesNothing) {
  TestingImages device({kRgba8, kSigned8, kRgbaFloat, {ChannelOrder::kR, ChannelType::kUnormInt8}});
  device.stores_nothing = true;
  for (const ImageRowResult& row : RunAll(device, "@images")) {
    if (row.row.op == ImageRowOp::kFormats) continue;
    EXPECT_EQ(row.specification, ImageVerdict::kFail) << row.row.Name();
    EXPECT_EQ(row.suite, ImageVerdict::kFail) << row.row.Name();
  }
}

TEST(ImagesTest, AConstantPassesNothingThatIsDefined) {
  TestingImages device({kRgba8, kRgbaFloat});
  device.change_read = [](const ImageRequest&, const std::byte*, const Words&, Words) {
    return Words{0, 0, 0, BitsOf(1)};
  };
  device.change_write = [](const ImageRequest& request, const Words&, std::byte* element) {
    std::memset(element, 0, request.format == kRgba8 ? 4 : 16);
  };
  for (const ImageRowResult& row : RunAll(device, "image_*_2d_*")) {
    if (row.row.op == ImageRowOp::kFormats || row.row.op == ImageRowOp::kQuery) continue;
    EXPECT_NE(row.specification, ImageVerdict::kPass) << row.row.Name();
    EXPECT_EQ(row.suite, ImageVerdict::kFail) << row.row.Name();
  }
}

TEST(ImagesTest, AnotherAnswerToTheSameQuestionDoesNotPass) {
  TestingImages device({kRgba8});
  device.change_read = [&device](const ImageRequest&, const std::byte*, const Words&, Words right) {
    // Both answers are allowed: one ulp.
    if (device.asked % 2 == 0 && FloatOf(right[0]) > 0 && FloatOf(right[0]) < 1) --right[0];
    return right;
  };
  const ImageRowResult row = RunOne(device, "image_read_2d_rgba_unorm_int8");
  EXPECT_EQ(row.tally.failures, 0U);
  EXPECT_GT(row.tally.not_deterministic, 0U);
  EXPECT_EQ(row.specification, ImageVerdict::kNotDeterministic);
}

TEST(ImagesTest, WritesBesideAreFound) {
  TestingImages device({kRgba8});
  device.spills = true;
  const ImageRowResult row = RunOne(device, "image_write_1d_rgba_unorm_int8");
  EXPECT_EQ(row.specification, ImageVerdict::kFail);
}

// Subnormal coordinates may be flushed: -2^-149 is in the texel 0 then, and outside without.
TEST(ImagesTest, SubnormalCoordinatesMayBeZero) {
  TestingImages device({kRgba8});
  device.change_read = [](const ImageRequest& request, const std::byte* texels, const Words& at,
                          Words right) {
    if (!request.sampled || request.integers) return right;
    Words flushed = at;
    for (std::uint32_t& c : flushed) {
      if (IsSubnormal(numerics::Format::kFloat, c)) c &= 0x80000000U;
    }
    const auto view = numerics::image::TightView(
        request.format, 1, false, {static_cast<std::int64_t>(request.size[0]), 1, 1}, 1, texels);
    const auto color =
        ReadSampled(view, request.sampler, {false, {flushed[0], 0, 0, 0}}, request.type).color;
    for (std::size_t c = 0; c < 4; ++c) right[c] = static_cast<std::uint32_t>(color[c]);
    return right;
  };
  EXPECT_EQ(RunOne(device, "image_nearest_1d_rgba_unorm_int8").specification, ImageVerdict::kPass);
}

TEST(ImagesTest, NamesSelectRows) {
  TestingImages device({kRgba8});
  const auto abilities = AskImageAbilities(device);
  ASSERT_TRUE(abilities);
  const auto rows = ImageRows(*abilities);
  EXPECT_EQ(SelectImageRows(rows, {"@images"})->size(), rows.size());
  EXPECT_EQ(SelectImageRows(rows, {"image_read_*"})->size(), 6U);  // one a shape
  EXPECT_EQ(SelectImageRows(rows, {"image_*_1d_buffer*"})->size(), 4U);
  const auto none = SelectImageRows(rows, {"image_read_2d_rgba_unorm_int9"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("--list"), std::string::npos);
}

TEST(ImagesTest, ARowGivesItsFiguresAgain) {
  TestingImages one({kRgba8, kRgbaFloat}), other({kRgbaFloat});
  const auto all = RunAll(one, "@images");
  for (const ImageRowResult& row : RunAll(other, "image_*_2d_rgba_float")) {
    for (const ImageRowResult& same : all) {
      if (same.row.Name() != row.row.Name()) continue;
      EXPECT_EQ(same.tally.answers, row.tally.answers);
      EXPECT_EQ(same.tally.suite_asked, row.tally.suite_asked);
    }
  }
}

TEST(ImageRequestTest, WhatNoImageCanHaveIsRefused) {
  const ImageRequest good = {.op = ImageOp::kRead, .size = {7, 5, 1}, .count = 3};
  auto json = ToJson(good);
  const auto read = ImageRequestFromJson(json);
  ASSERT_TRUE(read);
  EXPECT_EQ(ToJson(*read), json);
  for (const auto& [field, value] : std::initializer_list<std::pair<const char*, nlohmann::json>>{
           {"op", 99},
           {"shape", -1},
           {"layers", 0},
           {"size", {0, 1, 1}},
           {"size", {1 << 20, 1 << 20, 1}},
           {"channel_type", 19},
           {"count", 1 << 30},
           {"type", "float"},
           {"order", 200}}) {
    auto bad = json;
    bad[field] = value;
    EXPECT_FALSE(ImageRequestFromJson(bad)) << field << " " << value;
  }
}

}  // namespace
}  // namespace assay::oracle
