#include "numerics/small_float/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::numerics::small_float {
namespace {

const Format& Of(std::string_view name) { return *FormatOf(name); }

Bits Converted(double value, std::string_view to, const Conversion& conversion = {}) {
  return Convert(Of("f64"), std::bit_cast<Bits>(value), Of(to), conversion);
}

double ValueOf(std::string_view format, Bits bits) {
  return small_float::ValueOf(Of(format), bits);
}

// OFP8 1.0 table 2, OCP MX 1.0 tables 4 to 7.
TEST(SmallFloat, HasTheSpecificationsLimits) {
  EXPECT_EQ(ValueOf("e4m3", Of("e4m3").max_finite()), 448);
  EXPECT_EQ(ValueOf("e5m2", Of("e5m2").max_finite()), 57344);
  EXPECT_EQ(ValueOf("e4m3fnuz", Of("e4m3fnuz").max_finite()), 240);
  EXPECT_EQ(ValueOf("e5m2fnuz", Of("e5m2fnuz").max_finite()), 57344);
  EXPECT_EQ(ValueOf("e3m2", Of("e3m2").max_finite()), 28);
  EXPECT_EQ(ValueOf("e2m3", Of("e2m3").max_finite()), 7.5);
  EXPECT_EQ(ValueOf("e2m1", Of("e2m1").max_finite()), 6);
  EXPECT_EQ(ValueOf("e8m0", 0), std::ldexp(1, -127));
  EXPECT_EQ(ValueOf("e8m0", 254), std::ldexp(1, 127));
  EXPECT_EQ(ValueOf("e4m3", 1), std::ldexp(1, -9));
  EXPECT_EQ(ValueOf("e5m2", 1), std::ldexp(1, -16));
  EXPECT_TRUE(std::isnan(ValueOf("e8m0", 255)));
  EXPECT_TRUE(std::isnan(ValueOf("e4m3", 0x7f)));
  EXPECT_TRUE(std::isnan(ValueOf("e4m3fnuz", 0x80)));
  EXPECT_EQ(ValueOf("e5m2", 0x7c), INFINITY);
}

TEST(SmallFloat, EveryEncodingComesBack) {
  for (const Format& format : kFormats) {
    if (format.width() - format.padding_bits > 19) continue;
    const Bits count = Bits{1} << (format.width() - format.padding_bits);
    for (Bits code = 0; code < count; ++code) {
      const Bits bits = code << format.padding_bits;
      const Number number = Decode(format, bits);
      if (number.kind == Kind::kNan) {
        EXPECT_EQ(Decode(format, Encode(format, number)).kind, Kind::kNan);
      } else {
        EXPECT_EQ(Encode(format, number), bits) << format.name << " " << bits;
      }
    }
  }
}

// The processor converts to float in every direction.
TEST(SmallFloat, RoundsToFloatAsTheProcessorDoes) {
  const std::pair<Rounding, int> modes[] = {{Rounding::kNearestEven, FE_TONEAREST},
                                            {Rounding::kTowardZero, FE_TOWARDZERO},
                                            {Rounding::kUp, FE_UPWARD},
                                            {Rounding::kDown, FE_DOWNWARD}};
  std::uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t exponent = 1023 - 155 + (state >> 33) % 290;
    const Bits bits = (state >> 63) << 63 | exponent << 52 | (state >> 5 & 0xfffffffffffff);
    const double value = std::bit_cast<double>(i % 4 == 0 ? bits & ~Bits{0xffffff} : bits);
    for (const auto& [rounding, mode] : modes) {
      std::fesetround(mode);
      volatile double from = value;
      volatile float to = static_cast<float>(from);
      std::fesetround(FE_TONEAREST);
      const float expected = to;
      ASSERT_EQ(Converted(value, "f32", {.rounding = rounding}),
                std::bit_cast<std::uint32_t>(expected))
          << std::hexfloat << value << " " << kRoundingNames[static_cast<int>(rounding)];
    }
  }
}

TEST(SmallFloat, OverflowsByTheRule) {
  const Conversion saturate{.overflow = Overflow::kSaturate};
  EXPECT_EQ(Converted(464, "e4m3"), 0x7eu);  // the middle; 448 is even
  EXPECT_EQ(Converted(464.5, "e4m3"), 0x7fu);
  EXPECT_EQ(Converted(464.5, "e4m3", saturate), 0x7eu);
  EXPECT_EQ(Converted(-INFINITY, "e4m3", saturate), 0xfeu);
  EXPECT_EQ(Converted(1e6, "e5m2"), 0x7cu);
  EXPECT_EQ(Converted(1e6, "e5m2", {.rounding = Rounding::kTowardZero}), 0x7bu);
  EXPECT_EQ(
      Converted(1e6, "e5m2", {.rounding = Rounding::kTowardZero, .overflow = Overflow::kNonFinite}),
      0x7cu);
  EXPECT_EQ(Converted(100, "e2m1"), 7u);        // neither infinity nor NaN
  EXPECT_EQ(Converted(-1e-9, "e4m3fnuz"), 0u);  // no negative zero
}

TEST(SmallFloat, RoundsStochasticallyByTheWord) {
  // 1 + 1/32 lies a quarter of the way from 1 to 1.125 in e4m3.
  const auto with = [](std::uint32_t word) {
    return ValueOf("e4m3",
                   Converted(1.03125, "e4m3", {.rounding = Rounding::kStochastic, .word = word}));
  };
  EXPECT_EQ(with(0), 1);
  EXPECT_EQ(with(0xbfffffff), 1);
  EXPECT_EQ(with(0xc0000000), 1.125);
  EXPECT_EQ(with(0xffffffff), 1.125);
}

}  // namespace
}  // namespace assay::numerics::small_float
