#include "tools/judge/compare.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::tools {
namespace {

template <typename T, std::size_t count>
std::span<const std::byte> Bytes(const std::array<T, count>& values) {
  return std::as_bytes(std::span(values));
}

TEST(JudgeCompareTest, TheFirstElementAndHowMany) {
  const std::array<std::uint32_t, 4> seen = {1, 2, 7, 8}, right = {1, 2, 3, 4};
  const auto found = Compare(*interp::ParseElementType("uint"), Bytes(seen), Bytes(right), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->element, 2U);
  EXPECT_EQ(found->elements, 2U);
  EXPECT_EQ(found->observed.substr(0, 1), "7");
  EXPECT_EQ(found->expected.substr(0, 1), "3");
  EXPECT_FALSE(found->ulp);
}

TEST(JudgeCompareTest, UndefinedBitsDoNotCount) {
  const std::array<std::uint32_t, 2> seen = {1, 9}, right = {1, 2};
  std::array<std::uint32_t, 2> undefined = {0, 0x80};
  const auto type = *interp::ParseElementType("uint");
  EXPECT_FALSE(Compare(type, Bytes(seen), Bytes(right), Bytes(undefined)));
  undefined = {0x80, 0};
  EXPECT_TRUE(Compare(type, Bytes(seen), Bytes(right), Bytes(undefined)));
}

TEST(JudgeCompareTest, ThePaddingOfThreeDoesNotCount) {
  const std::array<std::uint32_t, 4> seen = {1, 2, 3, 9}, right = {1, 2, 3, 4};
  EXPECT_FALSE(Compare(*interp::ParseElementType("uint3"), Bytes(seen), Bytes(right), {}));
  EXPECT_TRUE(Compare(*interp::ParseElementType("uint4"), Bytes(seen), Bytes(right), {}));
}

TEST(JudgeCompareTest, FloatsHaveADistance) {
  const auto type = *interp::ParseElementType("float");
  const std::array<float, 2> right = {1.0F, 0.0F};
  const std::array<float, 2> seen = {std::bit_cast<float>(0x3f800003U),
                                     -std::numeric_limits<float>::denorm_min()};
  const auto found = Compare(type, Bytes(seen), Bytes(right), {});
  ASSERT_TRUE(found && found->ulp);
  EXPECT_EQ(*found->ulp, 3);
  const std::array<float, 2> nan = {std::numeric_limits<float>::quiet_NaN(), 0.0F};
  const auto infinite = Compare(type, Bytes(nan), Bytes(right), {});
  ASSERT_TRUE(infinite && infinite->ulp);
  EXPECT_EQ(*infinite->ulp, std::numeric_limits<double>::infinity());
}

// Places of doubles are not numbers of double.
TEST(JudgeCompareTest, DoublesThatAreNeighboursAreOneApart) {
  const auto type = *interp::ParseElementType("double");
  const auto apart = [&](double one, double other) {
    const std::array<double, 1> seen = {one}, right = {other};
    const auto found = Compare(type, Bytes(seen), Bytes(right), {});
    return found && found->ulp ? *found->ulp : -1;
  };
  EXPECT_EQ(apart(1.0, std::nextafter(1.0, 2.0)), 1);
  EXPECT_EQ(apart(-0x1p1023, std::nextafter(-0x1p1023, 0.0)), 1);
  EXPECT_EQ(apart(1e300, std::nextafter(std::nextafter(1e300, 0.0), 0.0)), 2);
  constexpr double kLeast = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(apart(kLeast, -kLeast), 2);
  EXPECT_EQ(apart(0.0, -0.0), 0);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(apart(kInfinity, -kInfinity), 0x1.ffcp63);
}

TEST(JudgeCompareTest, BytesBehindTheLastElement) {
  const std::array<std::uint8_t, 5> seen = {1, 0, 0, 0, 9}, right = {1, 0, 0, 0, 2};
  const auto found = Compare(*interp::ParseElementType("uint"), Bytes(seen), Bytes(right), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->type, "uchar");
  EXPECT_EQ(found->element, 4U);
}

}  // namespace
}  // namespace assay::tools
