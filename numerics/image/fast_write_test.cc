#include "numerics/image/fast_write.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace assay::numerics::image {
namespace {

using enum ChannelOrder;
using enum ChannelType;

void ExpectSame(ImageFormat format, DataType type, const Color& color) {
  std::byte exact[16] = {}, fast[16] = {};
  EncodeTexel(format, color, type, exact);
  FastWriter(format, type).Write(color, fast);
  EXPECT_EQ(std::memcmp(exact, fast, sizeof(exact)), 0)
      << Name(format.order) << " " << Name(format.type) << " " << std::hex << color[0] << " "
      << color[1] << " " << color[2] << " " << color[3];
}

// Ties and what is next to them, for channels of 8 and 16 bits and for halves; any; the ends.
Bits AnyValue(std::mt19937& random, Format format) {
  const double n = static_cast<int>(random() % 1200) - 500;
  switch (random() % 6) {
    case 0:
      return random() & (SignMask(format) | MagnitudeMask(format));
    case 1:
      return FromDouble(format, (n + 0.5) / 255) + random() % 3 - 1;
    case 2:
      return FromDouble(format, (n + 0.5) / 127) + random() % 3 - 1;
    case 3:
      return FromDouble(format, n * 57 / 65535);
    case 4:
      return FromDouble(format, 1 + std::ldexp(n, -11));
    default:
      return (random() % 2 == 0 ? QuietNan(format) : Infinity(format)) |
             (random() % 2 == 0 ? SignMask(format) : 0);
  }
}

TEST(FastWriteTest, TheSameBytesAsTheExactPath) {
#ifdef __SANITIZE_ADDRESS__
  const int writes = 10;
#else
  const int writes = 60;
#endif
  std::mt19937 random(9);
  for (int o = 0; o < kChannelOrders; ++o) {
    for (ChannelType channel : kAllChannelTypes) {
      const ImageFormat format = {static_cast<ChannelOrder>(o), channel};
      if (!LayoutOf(format)) continue;
      for (int n = 0; n < writes; ++n) {
        const ChannelKind kind = KindOf(channel);
        DataType type = kind == ChannelKind::kSigned     ? DataType::kInt
                        : kind == ChannelKind::kUnsigned ? DataType::kUint
                                                         : static_cast<DataType>(n % 2);
        if (n % 20 == 0) type = static_cast<DataType>(random() % 4);
        Color color;
        for (Bits& bits : color) {
          bits = IsFloating(type) ? AnyValue(random, FormatOf(type))
                                  : static_cast<std::uint32_t>(random() >> random() % 32);
        }
        ExpectSame(format, type, color);
      }
    }
  }
}

TEST(FastWriteTest, SrgbChangesItsCodeAtTheSameFloats) {
  for (int n = 0; n < 255; ++n) {
    const double c = (n + 0.5) / 255;
    const double y = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    const Bits near = FromDouble(Format::kFloat, y);
    for (Bits bits = near - 2; bits <= near + 2; ++bits)
      ExpectSame({kSRGBA, kUnormInt8}, DataType::kFloat, {bits, bits, bits, bits});
    const Bits half = FromDouble(Format::kHalf, y);
    for (Bits bits = half - 1; bits <= half + 1; ++bits)
      ExpectSame({kSRGBA, kUnormInt8}, DataType::kHalf, {bits, bits, bits, bits});
  }
  for (float y : {0.0031308F, std::nextafterf(0.0031308F, 0), 1.0F, 2.0F, -0.0F, -1.0F}) {
    const Bits bits = std::bit_cast<std::uint32_t>(y);
    ExpectSame({kSRGBA, kUnormInt8}, DataType::kFloat, {bits, bits, bits, bits});
  }
}

}  // namespace
}  // namespace assay::numerics::image
