#include "numerics/hardness.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/function.h"
#include "numerics/literal.h"

namespace assay::numerics {
namespace {

// The first result at operands written as people write them.
Hardness Of(Function function, Format format, const std::vector<std::string>& operands) {
  const Operation operation = Operation::Builtin(function, format);
  return MeasureHardness(operation, *ParseOperands(operation, operands))[0];
}

void ExpectDistances(const Hardness& hardness, double to_number, double to_midpoint) {
  EXPECT_TRUE(hardness.applies);
  EXPECT_NEAR(hardness.to_number, to_number, to_number * 0x1p-20);
  EXPECT_NEAR(hardness.to_midpoint, to_midpoint, to_midpoint * 0x1p-20);
}

TEST(Hardness, MeasuresPublishedHardCases) {
  // exp(x) = 0x1.ac50b409c8aeep+8 + 0x1.16719fcede453p-103 (CORE-MATH, src/binary64/exp/exp.c); the
  // gap there is 2^-44.
  ExpectDistances(Of(Function::exp, Format::kDouble, {"0x1.83d4bcdebb3f4p+2"}),
                  0x1.16719fcede453p-59, 0.5);
}

TEST(Hardness, MeasuresSeriesNearOne) {
  // sqrt(1 - e) = 1 - e/2 - e^2/8 - e^3/16, next to the midpoint 1 - e/2 of a gap e = 2^-24.
  const double below = 0x1p-27 + 0x1p-52;
  ExpectDistances(Of(Function::sqrt, Format::kFloat, {"0x3f7fffff"}), 0.5 - below, below);
  // exp(t) = 1 + t + t^2/2, gaps of 2^-52.
  ExpectDistances(Of(Function::exp, Format::kDouble, {"0x1p-900"}), 0x1p-848, 0.5);
  ExpectDistances(Of(Function::exp, Format::kDouble, {"0x1p-54"}), 0.25, 0.25);
}

TEST(Hardness, MeasuresSaturatedFunctions) {
  // 1 - erf(6) = erfc(6) = 2.1519736712498913e-17 (DLMF 7.23's tables); gaps of 2^-53 below 1.
  const double erfc = 2.1519736712498913e-17 * 0x1p53;
  ExpectDistances(Of(Function::erf, Format::kDouble, {"6"}), erfc, 0.5 - erfc);
  // 1 - tanh(20) = 2 / (e^40 + 1); half has gaps of 2^-11 below 1.
  const double distance = 2 / (std::exp(40.0) + 1) * 0x1p11;
  ExpectDistances(Of(Function::tanh, Format::kHalf, {"20"}), distance, 0.5);
}

TEST(Hardness, IsNeverZeroOffThePlace) {
  for (const auto& [function, operand] : {std::pair{Function::exp, "0x1p-1074"},
                                          {Function::tanh, "0x1p+1000"},
                                          {Function::erfc, "-40"},
                                          {Function::tgamma, "-1000.5"},
                                          {Function::exp, "-1e300"}}) {
    const Hardness hardness = Of(function, Format::kDouble, {operand});
    EXPECT_EQ(hardness.to_number, kLeastDistance) << operand;
    EXPECT_DOUBLE_EQ(hardness.to_midpoint, 0.5) << operand;
  }
}

TEST(Hardness, IsZeroAtThePlace) {
  ExpectDistances(Of(Function::sqrt, Format::kDouble, {"4"}), 0, 0.5);
  ExpectDistances(Of(Function::add, Format::kFloat, {"1", "0x1p-24"}), 0.5, 0);
  ExpectDistances(Of(Function::sin, Format::kFloat, {"0"}), 0, 0.5);
  ExpectDistances(Of(Function::floor, Format::kHalf, {"2.5"}), 0, 0.5);
}

TEST(Hardness, ContinuesTheGridAtBothEnds) {
  // 2 * (2^24 - 1) gaps where the largest number is 2^24 - 1 of them.
  ExpectDistances(Of(Function::mul, Format::kFloat, {"0x7f7fffff", "2"}), 0x1p24 - 1, 0x1p24 - 1.5);
  // The one that would follow is no number: 0.75 gaps beyond the last is 0.75 from it.
  ExpectDistances(Of(Function::add, Format::kFloat, {"0x7f7fffff", "0x1.8p+103"}), 0.75, 0.25);
  ExpectDistances(Of(Function::mul, Format::kFloat, {"0x1p-149", "0.375"}), 0.375, 0.125);
  ExpectDistances(Of(Function::exp, Format::kDouble, {"1e300"}), 0x1p1000, 0x1p1000);
}

TEST(Hardness, MeasuresEveryResult) {
  const Operation sincos = Operation::Builtin(Function::sincos, Format::kFloat);
  const Bits x = 0x3f800000;
  const std::vector<Hardness> both = MeasureHardness(sincos, {&x, 1});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].to_number, Of(Function::sin, Format::kFloat, {"1"}).to_number);
  EXPECT_EQ(both[1].to_number, Of(Function::cos, Format::kFloat, {"1"}).to_number);
  // pi is 0x1.921fb54442d18p+1 to a double, below 0x40490fdb.
  const double to_number = (0x1.921fb6p+1 - 0x1.921fb54442d18p+1) * 0x1p22;
  ExpectDistances(Of(Function::radians, Format::kFloat, {"180"}), to_number, 0.5 - to_number);
}

TEST(Hardness, AppliesToRealNumbersOnly) {
  EXPECT_FALSE(Of(Function::log, Format::kFloat, {"-1"}).applies);
  EXPECT_FALSE(Of(Function::log, Format::kFloat, {"0"}).applies);
  EXPECT_FALSE(Of(Function::ilogb, Format::kFloat, {"3"}).applies);
  EXPECT_FALSE(Of(Function::min, Format::kFloat, {"nan", "1"}).applies);
}

TEST(Hardness, MeasuresConversions) {
  const auto of = [](ScalarType from, ScalarType to, Bits operand) {
    return MeasureHardness(Operation::Convert(from, to), {&operand, 1})[0];
  };
  // 2^62 + 1: gaps of 2^39 in float, of 2^55 in bfloat16.
  const Bits integer = (Bits{1} << 62) + 1;
  ExpectDistances(of(ScalarType::kLong, ScalarType::kFloat, integer), 0x1p-39, 0.5);
  ExpectDistances(of(ScalarType::kUlong, ScalarType::kBfloat16, integer), 0x1p-55, 0.5);
  ExpectDistances(of(ScalarType::kLong, ScalarType::kFloat, -integer), 0x1p-39, 0.5);
  ExpectDistances(of(ScalarType::kShort, ScalarType::kFloat, 0xfffd), 0, 0.5);
  // The smallest double in gaps of 2^-24.
  ExpectDistances(of(ScalarType::kDouble, ScalarType::kHalf, 1), kLeastDistance, 0.5);
  ExpectDistances(of(ScalarType::kDouble, ScalarType::kHalf, 0x3ff0020000000001), 0.5, 0x1p-42);
  EXPECT_FALSE(of(ScalarType::kFloat, ScalarType::kInt, 0x3fc00000).applies);
}

}  // namespace
}  // namespace assay::numerics
