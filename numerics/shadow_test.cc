#include "numerics/shadow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "numerics/function.h"

namespace assay::numerics {
namespace {

constexpr Format kF = Format::kFloat;

ShadowNumber Number(double value, int precision = 256) {
  return ShadowNumber::OfFloat(Format::kDouble, FromDouble(Format::kDouble, value), precision);
}

// A function of shadows; the numbers beside them are floats.
ShadowNumber Evaluate(Function function, const std::vector<ShadowNumber>& operands,
                      std::vector<Bits> results = {0, 0}) {
  const Operation operation = Operation::Builtin(function, kF);
  std::vector<Bits> arguments;
  for (const ShadowNumber& operand : operands) arguments.push_back(operand.Rounded(kF));
  std::vector<ShadowNumber> shadows(results.size());
  EvaluateShadow({operation, 256, operands, arguments, results}, shadows);
  return shadows[0];
}

TEST(ShadowNumber, BeginsAsTheExactValueOfItsBits) {
  EXPECT_EQ(ShadowNumber::OfFloat(kF, 0x3dcccccd, 64).Decimal(30), "0.100000001490116119384765625");
  EXPECT_EQ(ShadowNumber::OfFloat(Format::kHalf, 0x8001, 64).Decimal(10), "-5.960464478e-08");
  EXPECT_EQ(ShadowNumber::OfFloat(kF, 0x7f800000, 64).Decimal(5), "inf");
  EXPECT_EQ(ShadowNumber::OfFloat(kF, 0x7fc00000, 64).Decimal(5), "nan");
  EXPECT_EQ(ShadowNumber::OfInteger(ScalarType::kInt, 0xffffffff, 64).Decimal(5), "-1");
  EXPECT_EQ(ShadowNumber::OfInteger(ScalarType::kUint, 0xffffffff, 64).Decimal(12), "4294967295");
  EXPECT_FALSE(ShadowNumber());
}

// Digits that tables of constants have.
TEST(ShadowNumber, HasMoreDigitsThanAnyFormat) {
  EXPECT_EQ(Evaluate(Function::exp, {Number(1)}).Decimal(40),
            "2.718281828459045235360287471352662497757");
  EXPECT_EQ(Evaluate(Function::sqrt, {Number(2)}).Decimal(40),
            "1.41421356237309504880168872420969807857");
  EXPECT_EQ(Evaluate(Function::acos, {Number(-1)}).Decimal(40),
            "3.141592653589793238462643383279502884197");
  EXPECT_EQ(Evaluate(Function::degrees, {Evaluate(Function::acos, {Number(-1)})}).Decimal(20),
            "180");
  EXPECT_EQ(Evaluate(Function::smoothstep, {Number(0), Number(4), Number(1)}).Decimal(20),
            "0.15625");
}

TEST(ShadowNumber, MeasuresErrors) {
  const ShadowNumber one = Number(1);
  EXPECT_EQ(one.ErrorInUlp(kF, 0x3f800000), 0);
  EXPECT_EQ(one.KeptBits(kF, 0x3f800000), 24);
  EXPECT_EQ(one.KeptBits(kF, 0), 0) << "zero has nothing of one";
  // 1 + 2^-10 beside 1: ten bits are right, and 2^13 gaps lie between.
  EXPECT_EQ(one.KeptBits(kF, FromDouble(kF, 1 + 0x1p-10)), 10);
  EXPECT_EQ(Number(1.5).ErrorInUlp(kF, FromDouble(kF, 1.5 + 0x1p-10)), 0x1p13);
  EXPECT_TRUE(std::isnan(one.ErrorInUlp(kF, 0x7fc00000)));
  EXPECT_EQ(Number(1e40).ErrorInUlp(Format::kDouble, FromDouble(Format::kDouble, 1e40)), 0);
  EXPECT_EQ(Number(1e40).KeptBits(kF, 0x7f800000), 0) << "an overflow keeps nothing";
}

TEST(ShadowNumber, KeepsDigitsThatFloatsLose) {
  const ShadowNumber sum = Evaluate(Function::add, {Number(1e8), Number(1)});
  EXPECT_EQ(Evaluate(Function::sub, {sum, Number(1e8)}).Decimal(20), "1");
  EXPECT_EQ(sum.Rounded(kF), FromDouble(kF, 1e8));
  // Beyond its own precision it loses, too.
  const ShadowNumber wide = Evaluate(Function::add, {Number(0x1p300), Number(1)});
  EXPECT_TRUE(Evaluate(Function::sub, {wide, Number(0x1p300)}).IsZero());
}

TEST(ShadowNumber, TakesTheStepsOfItsNumber) {
  const ShadowNumber below = Evaluate(Function::sub, {Number(3), Number(0x1p-60)});
  EXPECT_EQ(Evaluate(Function::floor, {below}, {FromDouble(kF, 3)}).Decimal(5), "3");
  // The float 3 leaves 0 of a division by 3; its shadow is 2^-60 below that, not 3 above it.
  const ShadowNumber rest = Evaluate(Function::fmod, {below, Number(3)}, {0});
  EXPECT_EQ(rest.Compare(Evaluate(Function::sub, {Number(0), Number(0x1p-60)})), 0);
  const ShadowNumber part = Evaluate(Function::modf, {below}, {0, FromDouble(kF, 3)});
  EXPECT_EQ(part.Compare(rest), 0);
}

TEST(ShadowNumber, FollowsInfinitiesAndNan) {
  EXPECT_EQ(Evaluate(Function::div, {Number(1), Number(0)}).Decimal(5), "inf");
  EXPECT_EQ(Evaluate(Function::div, {Number(-1), Number(INFINITY)}).Decimal(5), "-0");
  EXPECT_TRUE(Evaluate(Function::sqrt, {Number(-1)}).IsNan());
  EXPECT_EQ(Evaluate(Function::fmax, {Number(NAN), Number(2)}).Decimal(5), "2");
  EXPECT_EQ(Number(1).Compare(Number(NAN)), 2);
  EXPECT_EQ(Number(1).Compare(Number(2)), -1);
}

}  // namespace
}  // namespace assay::numerics
