#include "numerics/image/format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::uint64_t Field(ImageFormat format, int field, std::initializer_list<int> bytes) {
  return ReadField(Bytes(bytes).data(), LayoutOf(format)->field[static_cast<std::size_t>(field)]);
}

TEST(ImageFormatTest, NumbersAreThoseOfTheHeaders) {
  EXPECT_EQ(ClNumber(kR), 0x10B0u);
  EXPECT_EQ(ClNumber(kDepth), 0x10BDu);
  EXPECT_EQ(ClNumber(kDepthStencil), 0x10BEu);
  EXPECT_EQ(ClNumber(kSRGBA), 0x10C1u);
  EXPECT_EQ(ClNumber(kABGR), 0x10C3u);
  EXPECT_EQ(ClNumber(kSnormInt8), 0x10D0u);
  EXPECT_EQ(ClNumber(kFloat), 0x10DEu);
  EXPECT_EQ(ClNumber(kUnormInt24), 0x10DFu);
  EXPECT_EQ(ClNumber(kUnormInt101010_2), 0x10E0u);
  EXPECT_EQ(ClNumber(kUnormInt2_101010), 0x10E5u);
  EXPECT_EQ(ClNumber(kUnormInt14X2), 0x10EAu);
}

TEST(ImageFormatTest, NamesAreFoundAgain) {
  for (int o = 0; o < kChannelOrders; ++o) {
    const auto order = static_cast<ChannelOrder>(o);
    EXPECT_EQ(ChannelOrderFromName(Name(order)), order);
  }
  for (ChannelType type : kAllChannelTypes) EXPECT_EQ(ChannelTypeFromName(Name(type)), type);
  EXPECT_EQ(ChannelOrderFromName("CL_RGX"), std::nullopt);
  EXPECT_EQ(ChannelTypeFromName(""), std::nullopt);
}

TEST(ImageFormatTest, CombinationsOfTheTables) {
  EXPECT_EQ(Check({kRGBA, kUnormInt8}), FormatCheck::kValid);
  EXPECT_EQ(Check({kRGB, kUnormShort565}), FormatCheck::kValid);
  EXPECT_EQ(Check({kRGBx, kUnormInt101010}), FormatCheck::kValid);
  EXPECT_EQ(Check({kRGBA, kUnormShort565}), FormatCheck::kTypeNeedsOtherOrder);
  EXPECT_EQ(Check({kABGR, kUnormInt101010_2}), FormatCheck::kTypeNeedsOtherOrder);
  EXPECT_EQ(Check({kABGR, kUnormInt2_101010}), FormatCheck::kValid);
  EXPECT_EQ(Check({kRA, kUnormInt10X6}), FormatCheck::kTypeNeedsOtherOrder);
  EXPECT_EQ(Check({kRG, kUnsignedInt14X2}), FormatCheck::kValid);
  // 24 and 48 bits are no power of two.
  EXPECT_EQ(Check({kRGB, kUnormInt8}), FormatCheck::kNotPowerOfTwo);
  EXPECT_EQ(Check({kRGx, kUnormInt16}), FormatCheck::kNotPowerOfTwo);
  EXPECT_EQ(Check({kSRGB, kUnormInt8}), FormatCheck::kNotPowerOfTwo);
  EXPECT_EQ(Check({kR, kUnormInt24}), FormatCheck::kNotPowerOfTwo);
  EXPECT_EQ(Check({kSRGBx, kUnormInt8}), FormatCheck::kValid);
  EXPECT_EQ(Check({kSRGBA, kUnormInt16}), FormatCheck::kOrderNeedsOtherType);
  EXPECT_EQ(Check({kDepthStencil, kUnormInt16}), FormatCheck::kOrderNeedsOtherType);
  EXPECT_EQ(Check({kDepthStencil, kUnormInt24}), FormatCheck::kValid);
  EXPECT_EQ(LayoutOf({kR, kUnormShort555}), std::nullopt);
}

TEST(ImageFormatTest, EveryFieldLiesInTheElementAndNoTwoOverlap) {
  int layouts = 0;
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType type : kAllChannelTypes) {
      const auto layout = LayoutOf({static_cast<ChannelOrder>(o), type});
      if (!layout) continue;
      ++layouts;
      int bits = 0;
      for (int f = 0; f < layout->fields; ++f) {
        const ChannelField field = layout->field[static_cast<std::size_t>(f)];
        EXPECT_LE(field.offset + field.width, 8 * layout->bytes);
        bits += field.width;
      }
      int used = 0;
      for (std::byte byte : UsedBits(*layout))
        used += __builtin_popcount(std::to_integer<unsigned>(byte));
      EXPECT_EQ(used, bits) << Name(static_cast<ChannelOrder>(o)) << " " << Name(type);
    }
  }
  // 15 orders but DEPTH_STENCIL and sRGB with 13 plain types; DEPTH_STENCIL 2; sRGB 4; packed
  // 2+2+2+1+1; 6 extension types with 3 orders.
  EXPECT_EQ(layouts, 15 * 13 + 2 + 4 + 8 + 18);
}

TEST(ImageFormatTest, PackedChannelsLieWhereTheTextSays) {
  // 0x1234 as a little-endian short: 00010 010001 10100.
  EXPECT_EQ(Field({kRGB, kUnormShort565}, 0, {0x34, 0x12}), 0b00010u);
  EXPECT_EQ(Field({kRGB, kUnormShort565}, 1, {0x34, 0x12}), 0b010001u);
  EXPECT_EQ(Field({kRGB, kUnormShort565}, 2, {0x34, 0x12}), 0b10100u);
  // 1 00100 10001 10100
  EXPECT_EQ(Field({kRGBx, kUnormShort555}, 0, {0x34, 0x92}), 0b00100u);
  EXPECT_EQ(Field({kRGBx, kUnormShort555}, 1, {0x34, 0x92}), 0b10001u);
  EXPECT_EQ(Field({kRGB, kUnormInt101010}, 0, {0x78, 0x56, 0x34, 0xd2}),
            0xd2345678u >> 20 & 0x3ffu);
  EXPECT_EQ(Field({kRGBA, kUnormInt101010_2}, 0, {0x78, 0x56, 0x34, 0xd2}), 0xd2345678u >> 22);
  EXPECT_EQ(Field({kRGBA, kUnormInt101010_2}, 3, {0x7b, 0x56, 0x34, 0xd2}), 3u);
  EXPECT_EQ(Field({kABGR, kUnormInt2_101010}, 0, {0x78, 0x56, 0x34, 0xd2}), 0xd2345678u & 0x3ff);
  EXPECT_EQ(Field({kABGR, kUnormInt2_101010}, 3, {0x78, 0x56, 0x34, 0xd2}), 3u);
  EXPECT_EQ(Field({kDepthStencil, kUnormInt24}, 0, {0x78, 0x56, 0x34, 0xd2}), 0xd23456u);
  EXPECT_EQ(Field({kRG, kUnormInt10X6}, 1, {0, 0, 0xff, 0x80}), 0x80ffu >> 6);
  EXPECT_EQ(Field({kR, kUnsignedInt12X4}, 0, {0xff, 0x80}), 0x80fu);
}

TEST(ImageFormatTest, OrdersPermuteTheChannels) {
  const auto component_bytes = [](ChannelOrder order) {
    const ElementLayout layout = *LayoutOf({order, kUnormInt8});
    std::string text;
    for (std::int8_t source : layout.source) {
      text +=
          source == kZero ? '0'
          : source == kOne
              ? '1'
              : static_cast<char>('p' + layout.field[static_cast<std::size_t>(source)].offset / 8);
    }
    return text;  // p, q, r, s: the first to the fourth byte
  };
  EXPECT_EQ(component_bytes(kR), "p001");
  EXPECT_EQ(component_bytes(kA), "000p");
  EXPECT_EQ(component_bytes(kRG), "pq01");
  EXPECT_EQ(component_bytes(kRA), "p00q");
  EXPECT_EQ(component_bytes(kRGBA), "pqrs");
  EXPECT_EQ(component_bytes(kBGRA), "rqps");
  EXPECT_EQ(component_bytes(kARGB), "qrsp");
  EXPECT_EQ(component_bytes(kABGR), "srqp");
  EXPECT_EQ(component_bytes(kSBGRA), "rqps");
  EXPECT_EQ(component_bytes(kIntensity), "pppp");
  EXPECT_EQ(component_bytes(kLuminance), "ppp1");
  EXPECT_EQ(component_bytes(kRx), "p001");
  EXPECT_EQ(component_bytes(kRGBx), "pqr1");
  EXPECT_EQ(component_bytes(kSRGBx), "pqr1");
}

TEST(ImageFormatTest, BorderColors) {
  for (ChannelOrder order : {kR, kRG, kRGB, kLuminance, kSRGB}) EXPECT_EQ(BorderAlpha(order), 1);
  for (ChannelOrder order : {kA, kIntensity, kRx, kRA, kRGx, kRGBx, kSRGBx, kARGB, kBGRA, kABGR,
                             kRGBA, kSRGBA, kSBGRA, kDepth}) {
    EXPECT_EQ(BorderAlpha(order), 0);
  }
}

TEST(ImageFormatTest, RequiredFormats) {
  int counts[3] = {};
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType type : kAllChannelTypes) {
      const ImageFormat format = {static_cast<ChannelOrder>(o), type};
      for (int l = 0; l < 3; ++l) {
        if (!IsRequired(format, static_cast<FormatList>(l))) continue;
        ++counts[l];
        EXPECT_EQ(Check(format), FormatCheck::kValid);
      }
    }
  }
  EXPECT_EQ(counts[0], 12 + 2 + 2 + 12 + 12 + 1 + 1);
  EXPECT_EQ(counts[1], 10 + 1);
  EXPECT_EQ(counts[2], 9 + 9);
}

TEST(ImageFormatTest, FieldsAreWrittenAndReadBack) {
  std::byte element[4] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  WriteField(element, {10, 10, 1}, 0x2a5);
  EXPECT_EQ(ReadField(element, {10, 10, 1}), 0x2a5u);
  EXPECT_EQ(ReadField(element, {0, 10, 0}), 0x3ffu);
  EXPECT_EQ(ReadField(element, {20, 12, 0}), 0xfffu);
}

}  // namespace
}  // namespace assay::numerics::image
