#include "numerics/evaluate_bits.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <random>

namespace assay::numerics {
namespace {

double Rounded(double x, IntegralRule rule) {
  switch (rule) {
    case IntegralRule::kDown:
      return std::floor(x);
    case IntegralRule::kUp:
      return std::ceil(x);
    case IntegralRule::kTowardZero:
      return std::trunc(x);
    case IntegralRule::kHalfEven:
      return std::nearbyint(x);  // the host's default mode
    case IntegralRule::kHalfAway:
      return std::round(x);
  }
  return x;
}

constexpr IntegralRule kRules[] = {IntegralRule::kDown, IntegralRule::kUp,
                                   IntegralRule::kTowardZero, IntegralRule::kHalfEven,
                                   IntegralRule::kHalfAway};

// An integral double below 2^16 is a half, but for the carry into infinity that cannot happen:
// halves are integral from 2^10 on.
TEST(ToIntegralTest, AllOfHalfAndBfloat16AgreesWithTheHost) {
  ASSERT_EQ(std::fegetround(), FE_TONEAREST);
  for (Format f : {Format::kHalf, Format::kBfloat16}) {
    for (Bits x = 0; x <= 0xffff; ++x) {
      for (IntegralRule rule : kRules) {
        const Bits result = ToIntegral(f, x, rule);
        if (!IsFinite(f, x)) {
          ASSERT_EQ(result, x);
          continue;
        }
        const double expected = Rounded(ToDouble(f, x), rule);
        ASSERT_EQ(ToDouble(f, result), expected) << Traits(f).name << " " << x;
        ASSERT_EQ(IsNegative(f, result), std::signbit(expected)) << Traits(f).name << " " << x;
      }
    }
  }
}

TEST(ToIntegralTest, FloatAndDoubleAgreeWithTheHost) {
  std::mt19937_64 random(1);
  for (Format f : {Format::kFloat, Format::kDouble}) {
    const int width = Traits(f).width;
    for (int i = 0; i < 200000; ++i) {
      // Any bits, or a number between 2^-2 and 2^60 with few fractional bits.
      Bits x = random() >> (64 - width);
      if (i % 2 == 0) {
        const double value =
            std::ldexp(static_cast<double>(random() % 4096), static_cast<int>(random() % 60) - 13);
        x = FromDouble(f, i % 4 == 0 ? value : -value);
      }
      if (!IsFinite(f, x)) continue;
      for (IntegralRule rule : kRules) {
        const Bits result = ToIntegral(f, x, rule);
        const double expected = Rounded(ToDouble(f, x), rule);
        ASSERT_EQ(ToDouble(f, result), expected) << ToDouble(f, x);
        ASSERT_EQ(IsNegative(f, result), std::signbit(expected)) << ToDouble(f, x);
      }
    }
  }
}

TEST(CompareTest, AllPairsOfSomeHalves) {
  const Format f = Format::kHalf;
  for (Bits x = 0; x <= 0xffff; x += 97) {
    for (Bits y = 0; y <= 0xffff; y += 89) {
      const double a = ToDouble(f, x), b = ToDouble(f, y);
      const int expected = std::isnan(a) || std::isnan(b) ? 2 : (a < b ? -1 : a > b);
      ASSERT_EQ(Compare(f, x, y), expected) << a << " " << b;
    }
  }
  EXPECT_EQ(Compare(f, 0, 0x8000), 0) << "zeros of either sign are equal";
}

TEST(ExponentTest, AgreesWithTheHost) {
  for (Format f : {Format::kHalf, Format::kBfloat16}) {
    for (Bits x = 1; x <= 0xffff; ++x) {
      if (!IsFinite(f, x) || IsZero(f, x)) continue;
      int exponent = 0;
      const double significand = std::frexp(ToDouble(f, x), &exponent);
      ASSERT_EQ(Exponent(f, x), exponent - 1) << x;
      ASSERT_EQ(ToDouble(f, FrexpSignificand(f, x)), significand) << x;
    }
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const Bits x = random() >> (i % 2 == 0 ? 0 : 12);  // half of them subnormal
    if (!IsFinite(Format::kDouble, x) || IsZero(Format::kDouble, x)) continue;
    int exponent = 0;
    const double significand = std::frexp(ToDouble(Format::kDouble, x), &exponent);
    ASSERT_EQ(Exponent(Format::kDouble, x), exponent - 1);
    ASSERT_EQ(ToDouble(Format::kDouble, FrexpSignificand(Format::kDouble, x)), significand);
  }
}

TEST(FromIntegerTest, ExponentsOfEveryFormat) {
  for (Format f : kAllFormats) {
    for (int value = -200; value <= 200; ++value) {
      EXPECT_EQ(ToDouble(f, FromInteger(f, value)), value) << Traits(f).name;
    }
  }
  EXPECT_EQ(ToDouble(Format::kDouble, FromInteger(Format::kDouble, -1074)), -1074);
}

TEST(NextTowardTest, AgreesWithTheHost) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const Bits x = static_cast<std::uint32_t>(random()), y = static_cast<std::uint32_t>(random());
    const Format f = Format::kFloat;
    if (IsNan(f, x) || IsNan(f, y) || Compare(f, x, y) == 0) continue;
    const float expected =
        std::nextafterf(static_cast<float>(ToDouble(f, x)), static_cast<float>(ToDouble(f, y)));
    ASSERT_EQ(NextToward(f, x, y), FromDouble(f, static_cast<double>(expected)));
  }
}

TEST(NextTowardTest, AcrossZeroAndToInfinity) {
  const Format f = Format::kHalf;
  EXPECT_EQ(NextToward(f, 0x0000, 0x3c00), 0x0001u);
  EXPECT_EQ(NextToward(f, 0x8000, 0x3c00), 0x0001u);
  EXPECT_EQ(NextToward(f, 0x0000, 0xbc00), 0x8001u);
  EXPECT_EQ(NextToward(f, 0x0001, 0xbc00), 0x0000u);
  EXPECT_EQ(NextToward(f, 0x8001, 0x3c00), 0x8000u) << "a step to zero keeps the sign";
  EXPECT_EQ(NextToward(f, MaxFinite(f), Infinity(f)), Infinity(f));
  EXPECT_EQ(NextToward(f, Infinity(f), 0), MaxFinite(f));
}

}  // namespace
}  // namespace assay::numerics
