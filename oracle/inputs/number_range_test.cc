#include "oracle/inputs/number_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "oracle/inputs/random.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using testing::HasSubstr;

// What --range TEXT is for a format, or its error.
Expected<NumberRange> Range(Format format, const std::string& text) {
  const auto ends = RangeEndsOf(text);
  if (!ends) return tl::unexpected<Error>(ends.error());
  return NumberRange::Of(format, *ends);
}

std::string ErrorOf(Format format, const std::string& text) {
  const auto range = Range(format, text);
  return range ? "" : range.error().message;
}

TEST(NumberRangeTest, EndsAreThoseOfTheFormat) {
  const auto ends = [](Format format, const std::string& text) {
    const NumberRange range = Range(format, text).value();
    return std::pair{numerics::FromOrderedIndex(format, range.low()),
                     numerics::FromOrderedIndex(format, range.high())};
  };
  EXPECT_EQ(ends(Format::kFloat, "0.5,2"), (std::pair<Bits, Bits>{0x3f000000, 0x40000000}));
  EXPECT_EQ(ends(Format::kFloat, "0.1,0x1.8p1"), (std::pair<Bits, Bits>{0x3dcccccd, 0x40400000}));
  EXPECT_EQ(ends(Format::kFloat, "0xbf800000,0x3f800000"),
            (std::pair<Bits, Bits>{0xbf800000, 0x3f800000}));
  EXPECT_EQ(ends(Format::kFloat, "-inf,inf"), (std::pair<Bits, Bits>{0xff800000, 0x7f800000}));
  EXPECT_EQ(ends(Format::kHalf, "-1e300,1e5"), (std::pair<Bits, Bits>{0xfbff, 0x7bff}))
      << "what is beyond the format's numbers ends at its largest";
  EXPECT_EQ(ends(Format::kHalf, "1e-300,1"), (std::pair<Bits, Bits>{0x0001, 0x3c00}))
      << "zero is not in the range";
  EXPECT_EQ(ends(Format::kHalf, "-1,-1e-300"), (std::pair<Bits, Bits>{0xbc00, 0x8001}));
  EXPECT_EQ(ends(Format::kHalf, "-1e-300,1"), (std::pair<Bits, Bits>{0, 0x3c00}));
}

TEST(NumberRangeTest, WhatIsNoRangeIsAnErrorThatSaysWhy) {
  EXPECT_THAT(ErrorOf(Format::kFloat, "1"), HasSubstr("'1' is no range: write its smallest"));
  EXPECT_THAT(ErrorOf(Format::kFloat, "1,"), HasSubstr("'1,' is no range"));
  EXPECT_THAT(ErrorOf(Format::kFloat, "1,2,3"), HasSubstr("is no range"));
  EXPECT_EQ(ErrorOf(Format::kFloat, "2,1"), "2 is larger than 1: write the smaller one first");
  EXPECT_EQ(ErrorOf(Format::kFloat, "0x40000000,0x3f800000"),
            "0x40000000 is larger than 0x3f800000: write the smaller one first");
  EXPECT_THAT(ErrorOf(Format::kFloat, "nan,1"), HasSubstr("nan is no end of a range"));
  EXPECT_THAT(ErrorOf(Format::kFloat, "1,0x7fc00000"), HasSubstr("nan is no end of a range"));
  EXPECT_THAT(ErrorOf(Format::kFloat, "1,x"), HasSubstr("'x' is no "));
  EXPECT_THAT(ErrorOf(Format::kHalf, "1,0x3f800000"), HasSubstr("has 8 hexadecimal digits"));
  EXPECT_EQ(ErrorOf(Format::kHalf, "1e300,1e301"), "half has no finite number from 1e300 to 1e301");
  EXPECT_EQ(ErrorOf(Format::kHalf, "1e-301,1e-300"),
            "half has no finite number from 1e-301 to 1e-300");
  EXPECT_EQ(ErrorOf(Format::kFloat, "inf,inf"), "float has no finite number from inf to inf");
  EXPECT_EQ(ErrorOf(Format::kDouble, "1e300,1e301"), "");
}

TEST(NumberRangeTest, HasEachOfItsNumbersOnce) {
  for (const char* const text :
       {"0.5,2", "-2,-0.5", "-0x1p-20,0x1p-20", "0,1", "-1,-0.0", "-inf,inf", "1,1", "0,0"}) {
    const NumberRange range = Range(Format::kHalf, text).value();
    std::set<Bits> listed, contained;
    for (std::uint64_t i = 0; i < range.Count(); ++i) listed.insert(range.At(i));
    for (Bits bits = 0; bits < 0x10000; ++bits) {
      if (range.Contains(bits)) contained.insert(bits);
    }
    EXPECT_EQ(listed.size(), range.Count()) << text;
    EXPECT_EQ(listed, contained) << text;
    ItemStream stream(1, 2);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(range.Contains(range.Draw(stream))) << text;
  }
  EXPECT_EQ(Range(Format::kHalf, "0,0")->Count(), 2u) << "both zeros";
  EXPECT_EQ(Range(Format::kHalf, "-inf,inf")->Count(), 2u * 0x7c01) << "no NaN";
}

// Half of the numbers uniform among the numbers, half among the values: both halves of 0 to 2 are
// met often, and so are small numbers.
TEST(NumberRangeTest, DrawsAmongNumbersAndAmongValues) {
  const NumberRange range = Range(Format::kFloat, "0,2").value();
  int above_one = 0, small = 0;
  for (std::uint64_t item = 0; item < 1000; ++item) {
    ItemStream stream(7, item);
    const double value = numerics::ToDouble(Format::kFloat, range.Draw(stream));
    if (value > 1) ++above_one;
    if (value < 0x1p-20) ++small;
  }
  EXPECT_GT(above_one, 200);
  EXPECT_GT(small, 300);
}

TEST(NumberRangeTest, RawBitsAreTold) {
  const auto raw = [](const std::string& text) { return HasRawBits(*RangeEndsOf(text)); };
  EXPECT_TRUE(raw("0,0x3f800000"));
  EXPECT_TRUE(raw("0X1,1"));
  EXPECT_FALSE(raw("0x1p3,1e4"));
  EXPECT_FALSE(raw("-0X1P3,inf"));
}

}  // namespace
}  // namespace assay::oracle
