#include "numerics/exact.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace assay::numerics {
namespace {

Bits F(float v) { return std::bit_cast<std::uint32_t>(v); }

Exact Between(Bits below, double fraction) {
  return {.below = below, .fraction = fraction, .kind = ResultKind::kFinite};
}

TEST(ExactTest, Constructors) {
  EXPECT_EQ(Exact::Nan().kind, ResultKind::kNan);
  EXPECT_EQ(Exact::Unspecified().kind, ResultKind::kUnspecified);
  EXPECT_EQ(Exact::Infinite(Format::kHalf, true).below, 0xfc00u);
  EXPECT_EQ(Exact::Integer(-1).below, ~Bits{0});
  EXPECT_TRUE(Exact::Number(5).IsExact());
  EXPECT_TRUE(Exact::Nan().IsExact());
  EXPECT_FALSE(Between(5, 0.25).IsExact());
}

TEST(RoundTest, KindsThatNeedNoRounding) {
  for (Rounding rounding : kAllRoundings) {
    EXPECT_EQ(Round(Exact::Nan(), Format::kHalf, rounding), 0x7e00u);
    EXPECT_EQ(Round(Exact::Unspecified(), Format::kFloat, rounding), 0x7fc00000u);
    EXPECT_EQ(Round(Exact::Infinite(Format::kFloat, false), Format::kFloat, rounding), 0x7f800000u);
    EXPECT_EQ(Round(Exact::Integer(-3), Format::kFloat, rounding), static_cast<Bits>(-3));
    EXPECT_EQ(Round(Exact::Number(0x8000), Format::kHalf, rounding), 0x8000u);
  }
}

// Values between neighbours of half, rounded by comparing real numbers: double holds both
// neighbours, the value and their middle exactly.
TEST(RoundTest, AllOfHalfAgreesWithComparingRealNumbers) {
  const Format f = Format::kHalf;
  for (Bits below = 0; below < 0xffff; ++below) {
    if (!IsFinite(f, below)) continue;
    const double sign = IsNegative(f, below) ? -1 : 1;
    const double low = std::fabs(ToDouble(f, below));
    const Bits next = below + 1;
    const double high = IsFinite(f, next) ? std::fabs(ToDouble(f, next)) : 65536.0;
    for (double fraction : {0.0, 0x1p-20, 0.25, 0.5 - 0x1p-20, 0.5, 0.5 + 0x1p-20, 1 - 0x1p-20}) {
      const double value = low + (high - low) * fraction;
      const double to_low = value - low, to_high = high - value;
      const bool even_below = (below & 1) == 0;
      const bool nearest_is_below = to_low < to_high || (to_low == to_high && even_below);
      const Exact exact = Between(below, fraction);
      ASSERT_EQ(Round(exact, f, Rounding::kRte), nearest_is_below ? below : next) << below;
      ASSERT_EQ(Round(exact, f, Rounding::kRtz), below);
      ASSERT_EQ(Round(exact, f, Rounding::kRtp), sign > 0 && fraction > 0 ? next : below);
      ASSERT_EQ(Round(exact, f, Rounding::kRtn), sign < 0 && fraction > 0 ? next : below);
    }
  }
}

TEST(RoundTest, OverflowFollowsTheMode) {
  for (double fraction : {0.5, 1.0, 1e10}) {
    const Exact up = Between(MaxFinite(Format::kFloat), fraction);
    EXPECT_EQ(Round(up, Format::kFloat, Rounding::kRte), 0x7f800000u);
    EXPECT_EQ(Round(up, Format::kFloat, Rounding::kRtz), 0x7f7fffffu);
    EXPECT_EQ(Round(up, Format::kFloat, Rounding::kRtp), 0x7f800000u);
    EXPECT_EQ(Round(up, Format::kFloat, Rounding::kRtn), 0x7f7fffffu);
    const Exact down = Between(0xff7fffff, fraction);
    EXPECT_EQ(Round(down, Format::kFloat, Rounding::kRtp), 0xff7fffffu);
    EXPECT_EQ(Round(down, Format::kFloat, Rounding::kRtn), 0xff800000u);
  }
  EXPECT_EQ(Round(Between(MaxFinite(Format::kFloat), 0.49), Format::kFloat, Rounding::kRte),
            0x7f7fffffu);
}

TEST(UlpErrorTest, InTheMiddleOfABinade) {
  const Bits x = F(1.5f);
  EXPECT_EQ(UlpError(Exact::Number(x), Format::kFloat, x), 0);
  EXPECT_EQ(UlpError(Exact::Number(x), Format::kFloat, x + 3), 3);
  EXPECT_EQ(UlpError(Exact::Number(x), Format::kFloat, x - 2), 2);
  EXPECT_EQ(UlpError(Between(x, 0.25), Format::kFloat, x), 0.25);
  EXPECT_EQ(UlpError(Between(x, 0.25), Format::kFloat, x + 1), 0.75);
  EXPECT_EQ(UlpError(Between(x, 0.25), Format::kFloat, x - 1), 1.25);
  EXPECT_EQ(UlpError(Between(F(-1.5f), 0.25), Format::kFloat, F(-1.5f) - 1), 1.25);
}

// "If x is exactly representable, ulp(x) is the distance to the nearer neighbour."
TEST(UlpErrorTest, AtAPowerOfTwo) {
  const Bits x = F(1);
  EXPECT_EQ(UlpError(Exact::Number(x), Format::kFloat, x - 1), 1);
  EXPECT_EQ(UlpError(Exact::Number(x), Format::kFloat, x + 1), 2);
  // Just above it the gap above counts.
  EXPECT_EQ(UlpError(Between(x, 0.5), Format::kFloat, x), 0.5);
  EXPECT_EQ(UlpError(Between(x, 0.5), Format::kFloat, x - 1), 1);
  // Just below it the gap below counts.
  EXPECT_EQ(UlpError(Between(x - 1, 0.5), Format::kFloat, x), 0.5);
  EXPECT_EQ(UlpError(Between(x - 1, 0.5), Format::kFloat, x + 1), 2.5);
  // The smallest normal has the same gap on either side, and so has every subnormal.
  EXPECT_EQ(UlpError(Exact::Number(0x00800000), Format::kFloat, 0x00800001), 1);
  EXPECT_EQ(UlpError(Exact::Number(0x00400000), Format::kFloat, 0x00400001), 1);
  EXPECT_EQ(UlpError(Exact::Number(0x01000000), Format::kFloat, 0x01000001), 2);
}

TEST(UlpErrorTest, AroundZero) {
  EXPECT_EQ(UlpError(Exact::Number(0), Format::kFloat, 0), 0);
  EXPECT_EQ(UlpError(Exact::Number(0), Format::kFloat, 0x80000000), 0);
  EXPECT_EQ(UlpError(Exact::Number(0), Format::kFloat, 3), 3);
  EXPECT_EQ(UlpError(Between(0, 0.25), Format::kFloat, 0x80000001), 1.25);
  EXPECT_EQ(UlpError(Between(0x80000000, 0.25), Format::kFloat, 0x80000001), 0.75);
  EXPECT_EQ(UlpError(Between(1, 0), Format::kDouble, 0), 1);
}

TEST(UlpErrorTest, OverflowCountsAsTheNextNumber) {
  const Bits largest = MaxFinite(Format::kFloat), infinity = Infinity(Format::kFloat);
  EXPECT_EQ(UlpError(Exact::Number(largest), Format::kFloat, infinity), 1);
  EXPECT_EQ(UlpError(Exact::Number(largest - 2), Format::kFloat, infinity), 3);
  EXPECT_EQ(UlpError(Between(largest, 0.75), Format::kFloat, infinity), 0.25);
  EXPECT_EQ(UlpError(Between(largest, 0.75), Format::kFloat, largest), 0.75);
  EXPECT_EQ(UlpError(Between(largest, 5), Format::kFloat, infinity), 0);
  EXPECT_EQ(UlpError(Between(largest, 5), Format::kFloat, largest), 5);
  EXPECT_EQ(UlpError(Between(largest, 5), Format::kFloat, infinity | 0x80000000), kInfinity);
  EXPECT_EQ(UlpError(Exact::Number(F(0x1p127f)), Format::kFloat, infinity), 0x1p24)
      << "2^23 gaps above a power of two, whose ulp is half of the gap";
  EXPECT_EQ(UlpError(Exact::Number(MaxFinite(Format::kDouble)), Format::kDouble,
                     Infinity(Format::kDouble)),
            1);
}

TEST(UlpErrorTest, NanHasNone) {
  EXPECT_TRUE(std::isnan(UlpError(Exact::Number(0), Format::kHalf, 0x7e01)));
}

// Against the definition in real numbers (half and bfloat16 in double arithmetic).
TEST(UlpErrorTest, AgreesWithTheDefinition) {
  std::mt19937_64 random(3);
  for (Format f : {Format::kHalf, Format::kBfloat16}) {
    for (int i = 0; i < 200000; ++i) {
      const Bits below = random() % Infinity(f);
      const Bits observed = random() % 2 == 0 ? random() % Infinity(f)
                                              : std::min(below + random() % 64, MaxFinite(f));
      const double fraction = random() % 4 == 0 ? 0 : static_cast<double>(random() % 1024) / 1024;
      const double low = ToDouble(f, below);
      const double gap = std::ldexp(1.0, GridExponent(f, below) - Traits(f).mantissa_bits());
      const double value = low + gap * fraction;
      double ulp = gap;
      if (fraction == 0 && below > 0) {
        const double down = low - ToDouble(f, below - 1);
        ulp = std::min(gap, down);
      }
      const double expected = std::fabs(ToDouble(f, observed) - value) / ulp;
      ASSERT_NEAR(UlpError(Between(below, fraction), f, observed), expected, expected * 1e-12)
          << below << " " << fraction << " " << observed;
    }
  }
}

// Differences of large doubles must not overflow on the way.
TEST(UlpErrorTest, ExtremeDoubles) {
  const Bits largest = MaxFinite(Format::kDouble);
  const Bits opposite = Negate(Format::kDouble, largest);
  EXPECT_EQ(UlpError(Exact::Number(largest), Format::kDouble, opposite), 0x1p54 - 2);
  EXPECT_EQ(UlpError(Exact::Number(1), Format::kDouble, 2), 1);
  EXPECT_GT(UlpError(Exact::Number(1), Format::kDouble, largest), 1e300);
  EXPECT_LT(UlpError(Exact::Number(largest), Format::kDouble, 1), 0x1p54);
}

TEST(SubnormalBeforeRoundingTest, AroundTheSmallestNormal) {
  const Format f = Format::kFloat;
  EXPECT_FALSE(IsSubnormalBeforeRounding(Exact::Number(0), f));
  EXPECT_FALSE(IsSubnormalBeforeRounding(Exact::Number(0x80000000), f));
  EXPECT_TRUE(IsSubnormalBeforeRounding(Between(0, 1e-30), f));
  EXPECT_TRUE(IsSubnormalBeforeRounding(Exact::Number(1), f));
  // Rounds up to the smallest normal, but lies below.
  EXPECT_TRUE(IsSubnormalBeforeRounding(Between(0x007fffff, 0.9), f));
  EXPECT_FALSE(IsSubnormalBeforeRounding(Exact::Number(0x00800000), f));
  EXPECT_FALSE(IsSubnormalBeforeRounding(Exact::Number(0x80800000), f));
  EXPECT_FALSE(IsSubnormalBeforeRounding(Exact::Nan(), f));
  EXPECT_FALSE(IsSubnormalBeforeRounding(Exact::Infinite(f, false), f));
}

}  // namespace
}  // namespace assay::numerics
