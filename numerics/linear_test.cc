#include "numerics/linear.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "numerics/evaluate.h"

namespace assay::numerics {
namespace {

// Rational arithmetic gave the expected bits (Python's fractions.Fraction, rounded once).
TEST(LinearTest, PointsOnALine) {
  struct Row {
    double start, step;
    std::uint64_t index;
    Bits expected;
  };
  for (const Row& row : {
           Row{0.1, 0.3, 12345u, 0x40acef3333333333},
           Row{1e-310, 3e-312, 99999u, 0x004af95fa7c44d6f},
           Row{1.0, 1e-17, 1152921504606846977u, 0x40290ef54646d497},
           Row{-1e308, 1e300, 99999999u, 0xfe37e43c8656599c},
           Row{0.1, -0.1, 9223372036854775809u, 0xc3a999999999999a},
           Row{0, 1, 5, std::bit_cast<Bits>(5.0)},
           Row{1e308, 1e308, 1, Infinity(Format::kDouble)},
       }) {
    EXPECT_EQ(PointOnLine(Format::kDouble, std::bit_cast<Bits>(row.start),
                          std::bit_cast<Bits>(row.step), row.index),
              row.expected)
        << row.start << " " << row.step << " " << row.index;
  }
}

TEST(LinearTest, PointsOnALineAreFusedMultiplyAdds) {
  for (const Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
    const auto operation = OperationFromName("fma", Traits(format).name);
    ASSERT_TRUE(operation) << operation.error().message;
    std::uint64_t state = 1;
    for (int i = 0; i < 20000; ++i) {
      const auto next = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return state >> (64 - Traits(format).width);
      };
      const Bits start = next(), step = next(), index = next() % 2048;
      if (!IsFinite(format, start) || !IsFinite(format, step) || index == 0) continue;
      const Bits factor = FromDouble(format, static_cast<double>(index));
      Exact exact;
      EvaluateExact(*operation, std::vector<Bits>{factor, step, start}, std::span(&exact, 1));
      ASSERT_EQ(PointOnLine(format, start, step, index), Round(exact, format, Rounding::kRte))
          << Traits(format).name << std::hex << " " << start << " " << step << " " << index;
    }
  }
}

TEST(LinearTest, PointsBetween) {
  struct Row {
    double low, high;
    std::uint64_t numerator;
    Bits expected;
  };
  for (const Row& row : {
           Row{0.1, 0.3, 123456789u, 0x3fb99999a55fae88},
           Row{0.1, 0.3, 4503599627370497u, 0x3fc999999999999a},
           Row{-1e300, 1e300, 9007199254740991u, 0x7e37e43c8800759b},
           Row{1e-310, 3e-310, 2251799813685255u, 0x00001b9cd1295941},
           Row{-0.1, 1e20, 987654321987u, 0x43437a614ad21c11},
           Row{-1.7976931348623157e308, 1.7976931348623157e308, std::uint64_t{1} << 52, 0},
           Row{-1, 1, std::uint64_t{1} << 51, std::bit_cast<Bits>(-0.5)},
       }) {
    EXPECT_EQ(PointBetween(Format::kDouble, std::bit_cast<Bits>(row.low),
                           std::bit_cast<Bits>(row.high), row.numerator),
              row.expected)
        << row.low << " " << row.high << " " << row.numerator;
  }
}

// (low * (2^53 - n) + high * n) / 2^53 of small integers over 2^40, where 128 bits hold the sum.
Bits ByIntegers(Format format, std::int64_t low, std::int64_t high, std::uint64_t numerator) {
  __extension__ using Wide = __int128;
  const Wide sum = Wide{low} * static_cast<Wide>((std::uint64_t{1} << 53) - numerator) +
                   Wide{high} * static_cast<Wide>(numerator);
  Wide magnitude = sum < 0 ? -sum : sum;
  int exponent = -93;
  bool sticky = false;
  // Rounded to odd with more bits than the format has, so that one rounding to it is left.
  const int bits = format == Format::kDouble ? 62 : 52;
  for (; magnitude >> bits != 0; ++exponent) {
    sticky = sticky || (magnitude & 1) != 0;
    magnitude >>= 1;
  }
  const double value = std::ldexp(
      static_cast<double>(static_cast<std::int64_t>(magnitude) | (sticky ? 1 : 0)), exponent);
  return FromDouble(format, sum < 0 ? -value : value);
}

TEST(LinearTest, PointsBetweenAreTheExactOnesRoundedOnce) {
  std::mt19937_64 random(1);
  for (const Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
    for (int i = 0; i < 200000; ++i) {
      // Of 10 bits: numbers of every format.
      const auto low = static_cast<std::int64_t>(random() % 2047) - 1023;
      const auto high = static_cast<std::int64_t>(random() % 2047) - 1023;
      const std::uint64_t numerator = random() >> (11 + random() % 52);
      const auto bits = [&](std::int64_t n) {
        return FromDouble(format, std::ldexp(static_cast<double>(n), -8));
      };
      const Bits expected = numerator == 0 ? bits(low)
                                           : ByIntegers(format, low * (std::int64_t{1} << 32),
                                                        high * (std::int64_t{1} << 32), numerator);
      ASSERT_EQ(PointBetween(format, bits(low), bits(high), numerator), expected)
          << low << " " << high << " " << numerator;
    }
  }
}

TEST(LinearTest, RoundsOnceToNarrowFormats) {
  // 1 + 2^-11 + 2^-52 lies above the midpoint of two halves; by way of float it would be on it.
  EXPECT_EQ(PointBetween(Format::kHalf, 0x3c00, 0x4000, (std::uint64_t{1} << 42) + 2), 0x3c01u);
  EXPECT_EQ(PointBetween(Format::kHalf, 0x3c00, 0x4000, std::uint64_t{1} << 42), 0x3c00u);
}

}  // namespace
}  // namespace assay::numerics
