#include "numerics/small_float/named_conversion.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "numerics/small_float/mx_block.h"
#include "numerics/small_float/read_number.h"

namespace assay::numerics::small_float {
namespace {

TEST(NamedConversion, NameSaysEverything) {
  const auto conversion = NamedConversionOf("convert_e4m3_sat_rtz", "float");
  ASSERT_TRUE(conversion);
  EXPECT_EQ(conversion->to->name, "e4m3");
  EXPECT_EQ(conversion->from->name, "f32");
  EXPECT_EQ(conversion->rules.overflow, Overflow::kSaturate);
  EXPECT_EQ(conversion->rules.rounding, Rounding::kTowardZero);
  EXPECT_EQ(conversion->Name(), "convert_e4m3_sat_rtz");
  EXPECT_EQ(NamedConversionOf("convert_bfloat16_inf", "half")->Name(), "convert_bf16_inf_rte");
  EXPECT_EQ(NamedConversionOf("convert_e5m2_sr", "f64")->rules.rounding, Rounding::kStochastic);
  for (const char* name : {"convert_e4m4", "convert_", "e4m3", "convert_e4m3_sat_rtx", "sin"}) {
    EXPECT_FALSE(NamedConversionOf(name, "float")) << name;
  }
  EXPECT_FALSE(NamedConversionOf("convert_e4m3", "int"));
}

TEST(NamedConversion, KnowsWhatOpenClCHas) {
  EXPECT_TRUE(NamedConversionOf("convert_half_rtz", "float")->IsOpenClC());
  EXPECT_FALSE(NamedConversionOf("convert_half_inf", "float")->IsOpenClC());
  EXPECT_FALSE(NamedConversionOf("convert_half", "e4m3")->IsOpenClC());
  EXPECT_FALSE(NamedConversionOf("convert_half_sr", "float")->IsOpenClC());
}

TEST(NamedConversion, PlacesANumberBetweenItsNeighbours) {
  const Format& e2m1 = *FormatOf("e2m1");
  const auto place = [&](double value) {
    return PlaceBetweenNeighbours(e2m1, Decode(*FormatOf("f64"), std::bit_cast<Bits>(value)));
  };
  EXPECT_EQ(place(3), 0);
  EXPECT_EQ(place(-5), 0.5);
  EXPECT_EQ(place(0.125), 0.25);
  EXPECT_EQ(place(6), 0);
  EXPECT_EQ(place(6.5), std::nullopt);
}

TEST(ReadNumber, TakesOnlyNumbersOfTheFormat) {
  const Format& e4m3 = *FormatOf("e4m3");
  EXPECT_EQ(*ReadNumber(e4m3, "1.75"), Bits{0x3e});
  EXPECT_EQ(*ReadNumber(e4m3, "0x1.cp+0"), Bits{0x3e});
  EXPECT_EQ(*ReadNumber(e4m3, "0xbe"), Bits{0xbe});
  EXPECT_EQ(*ReadNumber(e4m3, "-0"), Bits{0x80});
  EXPECT_EQ(*ReadNumber(e4m3, "nan"), Bits{0x7f});
  EXPECT_EQ(ReadNumber(e4m3, "1.7").error().message,
            "'1.7' is no number of e4m3; next to it are 1.625 and 1.75");
  EXPECT_FALSE(ReadNumber(e4m3, "0x100"));
  EXPECT_FALSE(ReadNumber(e4m3, "inf"));
  EXPECT_FALSE(ReadNumber(e4m3, "one"));
  EXPECT_FALSE(ReadNumber(*FormatOf("e2m1"), "nan"));
  EXPECT_FALSE(ReadNumber(*FormatOf("e8m0"), "0"));
  EXPECT_FALSE(ReadNumber(*FormatOf("tf32"), "0x3f800001"));
  EXPECT_EQ(*ReadWord("0xffffffff"), 0xffffffff);
  EXPECT_FALSE(ReadWord("-1"));
  EXPECT_FALSE(ReadWord("0x100000000"));
}

std::vector<Number> NumbersOf(std::initializer_list<double> values) {
  std::vector<Number> numbers;
  for (const double value : values) {
    numbers.push_back(Decode(*FormatOf("f64"), std::bit_cast<Bits>(value)));
  }
  return numbers;
}

// OCP MX 1.0, 6.3: floor(log2(7.9)) is 2, as that of 6 and 4 of E2M1; so the scale is 1, and 7.9
// saturates.
TEST(MxBlock, ScaleIsThatOfTheLargestNumber) {
  const Format& e2m1 = *FormatOf("e2m1");
  const MxBlock block = ToMxBlock(e2m1, NumbersOf({7.9, -1.2, 0, 0.24}));
  EXPECT_EQ(block.scale, Bits{127});
  EXPECT_EQ(block.elements, (std::vector<Bits>{0x7, 0xa, 0x0, 0x0}));
  EXPECT_EQ(ToMxBlock(e2m1, NumbersOf({8})).scale, Bits{128});
  EXPECT_EQ(ToMxBlock(*FormatOf("e4m3"), NumbersOf({1})).scale, Bits{127 - 8});
  EXPECT_EQ(ToMxBlock(e2m1, NumbersOf({0, 0})).scale, Bits{0});
  EXPECT_EQ(ToMxBlock(e2m1, NumbersOf({1, INFINITY})).scale, Bits{255});
  const auto values = FromMxBlock(e2m1, 128, std::vector<Bits>{0x7, 0xa});
  EXPECT_EQ(std::bit_cast<double>(Encode(*FormatOf("f64"), values[0])), 12);
  EXPECT_EQ(std::bit_cast<double>(Encode(*FormatOf("f64"), values[1])), -2);
  EXPECT_EQ(FromMxBlock(e2m1, 255, std::vector<Bits>{0})[0].kind, Kind::kNan);
}

}  // namespace
}  // namespace assay::numerics::small_float
