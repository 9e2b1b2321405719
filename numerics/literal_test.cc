#include "numerics/literal.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace assay::numerics {
namespace {

Bits Parsed(ScalarType type, std::string_view text) {
  const Expected<Bits> bits = ParseLiteral(type, text);
  EXPECT_TRUE(bits.has_value()) << text << ": " << (bits ? "" : bits.error().message);
  return bits.value_or(0xdeadbeef);
}

TEST(Literal, DecimalsHexFloatsAndRawBits) {
  EXPECT_EQ(Parsed(ScalarType::kFloat, "1.5"), 0x3fc00000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "-0"), 0x80000000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0x1.8p+0"), 0x3fc00000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0X1P3"), 0x41000000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "-0x.8p0"), 0xbf000000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0x3f800000"), 0x3f800000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0x1"), 1u);  // raw bits: there is no 'p'
  EXPECT_EQ(Parsed(ScalarType::kDouble, "0x3ff0000000000000"), One(Format::kDouble));
  EXPECT_EQ(Parsed(ScalarType::kHalf, "65504"), 0x7bffu);
  EXPECT_EQ(Parsed(ScalarType::kBfloat16, "1"), 0x3f80u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "-inf"), 0xff800000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "Infinity"), 0x7f800000u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "nan"), QuietNan(Format::kFloat));
}

TEST(Literal, RoundsOnce) {
  // Half: 1 + 2^-11 is a midpoint; one digit far to the right of it decides.
  EXPECT_EQ(Parsed(ScalarType::kHalf, "1.00048828125"), 0x3c00u);
  EXPECT_EQ(Parsed(ScalarType::kHalf, "1.0004882812500000000000000000000000000001"), 0x3c01u);
  EXPECT_EQ(Parsed(ScalarType::kDouble, "0x1.00000000000008p0"), One(Format::kDouble));
  EXPECT_EQ(Parsed(ScalarType::kDouble, "0x1.000000000000080000000000000000001p0"),
            One(Format::kDouble) + 1);
  // Subnormals: half of the smallest ties to zero, a little more does not.
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0x1p-150"), 0u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0x1.000000000000000001p-150"), 1u);
  EXPECT_EQ(Parsed(ScalarType::kFloat, "1e-999999999999999999999"), 0u);
  // The largest float, and the last decimal that still rounds to it.
  EXPECT_EQ(Parsed(ScalarType::kFloat, "0x1.fffffefffp+127"), MaxFinite(Format::kFloat));
}

TEST(Literal, AgreesWithTheHostOnRandomDecimals) {
  std::mt19937_64 engine(3);
  for (int i = 0; i < 20000; ++i) {
    char text[64];
    std::snprintf(text, sizeof text, "%u.%ue%d", static_cast<unsigned>(engine() % 1000),
                  static_cast<unsigned>(engine()), static_cast<int>(engine() % 80) - 44);
    const float want = std::strtof(text, nullptr);
    if (want > 3.4e38f) continue;
    ASSERT_EQ(Parsed(ScalarType::kFloat, text), std::bit_cast<std::uint32_t>(want)) << text;
    ASSERT_EQ(Parsed(ScalarType::kDouble, text), std::bit_cast<Bits>(std::strtod(text, nullptr)));
  }
}

TEST(Literal, Integers) {
  EXPECT_EQ(Parsed(ScalarType::kInt, "-1"), 0xffffffffu);
  EXPECT_EQ(Parsed(ScalarType::kInt, "-2147483648"), 0x80000000u);
  EXPECT_EQ(Parsed(ScalarType::kInt, "0xffffffff"), 0xffffffffu);
  EXPECT_EQ(Parsed(ScalarType::kUlong, "18446744073709551615"), ~Bits{0});
  EXPECT_EQ(Parsed(ScalarType::kLong, "-9223372036854775808"), Bits{1} << 63);
  EXPECT_EQ(Parsed(ScalarType::kChar, "-128"), 0x80u);
}

TEST(Literal, RefusesWithARemedy) {
  const std::pair<ScalarType, const char*> kBad[] = {
      {ScalarType::kFloat, ""},
      {ScalarType::kFloat, "1.5f"},
      {ScalarType::kFloat, "0x1.8"},
      {ScalarType::kFloat, "0x123456789"},
      {ScalarType::kFloat, "-0x3f8"},
      {ScalarType::kFloat, "1e"},
      {ScalarType::kFloat, "."},
      {ScalarType::kFloat, "1e39"},
      {ScalarType::kFloat, "0x"},
      {ScalarType::kFloat, "0xp3"},
      {ScalarType::kFloat, "1 "},
      {ScalarType::kFloat, "nanx"},
      {ScalarType::kHalf, "65520"},
      {ScalarType::kDouble, "1e99999999999999999999"},
      {ScalarType::kInt, "2147483648"},
      {ScalarType::kUint, "-1"},
      {ScalarType::kInt, "1.0"},
      {ScalarType::kInt, "--1"},
      {ScalarType::kUchar, "256"},
      {ScalarType::kUchar, "0x100"},
      {ScalarType::kUlong, "18446744073709551616"}};
  for (const auto& [type, text] : kBad) {
    const Expected<Bits> bits = ParseLiteral(type, text);
    ASSERT_FALSE(bits.has_value()) << text;
    EXPECT_EQ(bits.error().kind, ErrorKind::kUsage);
    EXPECT_NE(bits.error().message.find(text), std::string::npos);
  }
}

TEST(Literal, PrintsHexFloats) {
  EXPECT_EQ(FormatHexFloat(Format::kFloat, 0x3fc00000), "0x1.8p+0");
  EXPECT_EQ(FormatHexFloat(Format::kFloat, 0x00000001), "0x1p-149");
  EXPECT_EQ(FormatHexFloat(Format::kFloat, 0x80000000), "-0x0p+0");
  EXPECT_EQ(FormatHexFloat(Format::kFloat, MaxFinite(Format::kFloat)), "0x1.fffffep+127");
  EXPECT_EQ(FormatHexFloat(Format::kDouble, 0x8000000000000003), "-0x1.8p-1073");
  EXPECT_EQ(FormatHexFloat(Format::kHalf, 0x7c00), "inf");
  EXPECT_EQ(FormatHexFloat(Format::kHalf, 0xfe00), "nan");
}

TEST(Literal, PrintsBitsAndIntegers) {
  EXPECT_EQ(FormatBits(Format::kFloat, 1), "0x00000001");
  EXPECT_EQ(FormatBits(ScalarType::kChar, 0xff), "0xff");
  EXPECT_EQ(FormatDecimal(ScalarType::kInt, 0xffffffff), "-1");
  EXPECT_EQ(FormatDecimal(ScalarType::kLong, Bits{1} << 63), "-9223372036854775808");
  EXPECT_EQ(FormatDecimal(ScalarType::kUlong, ~Bits{0}), "18446744073709551615");
}

TEST(Literal, PrintsShortDecimals) {
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0x3fc00000), "1.5");
  EXPECT_EQ(FormatDecimal(Format::kFloat, 1), "1e-45");
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0x80000000), "-0");
  EXPECT_EQ(FormatDecimal(Format::kDouble, 0x3fb999999999999a), "0.1");
  EXPECT_EQ(FormatDecimal(Format::kDouble, 0x4415af1d78b58c40), "1e+20");
}

// Whole numbers are written in full up to fifteen digits, as they are and not as they could be told
// apart.
TEST(Literal, PrintsWholeNumbersInFull) {
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0x41a00000), "20");
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0xc2c80000), "-100");
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0x49742400), "1000000");
  EXPECT_EQ(FormatDecimal(Format::kHalf, 0x7bff), "65504");
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0x4b800000), "16777216");
  EXPECT_EQ(FormatDecimal(Format::kDouble, 0x42d6bcc41e900000), "100000000000000");
  EXPECT_EQ(FormatDecimal(Format::kDouble, 0x430c6bf526340000), "1e+15");
  EXPECT_EQ(FormatDecimal(Format::kFloat, 0), "0");
}

// Both notations lose nothing: all of half and bfloat16, samples of the others.
TEST(Literal, RoundTrips) {
  std::mt19937_64 engine(5);
  for (Format format : kAllFormats) {
    const bool small = Traits(format).width == 16;
    for (int i = 0; i < (small ? 65536 : 10000); ++i) {
      const Bits bits = small ? static_cast<Bits>(i) : engine() >> (64 - Traits(format).width);
      if (IsNan(format, bits)) continue;
      const ScalarType type = ScalarTypeOf(format);
      ASSERT_EQ(Parsed(type, FormatHexFloat(format, bits)), bits);
      ASSERT_EQ(Parsed(type, FormatDecimal(format, bits)), bits);
      ASSERT_EQ(Parsed(type, FormatBits(format, bits)), bits);
    }
  }
}

}  // namespace
}  // namespace assay::numerics
