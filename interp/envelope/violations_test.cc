#include "interp/envelope/violations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>

namespace assay::interp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr ValueLayout kFloats{.bytes = 4, .is_float = true};

template <typename T, std::size_t count>
std::span<const std::byte> BytesOf(const std::array<T, count>& values) {
  return std::as_bytes(std::span(values));
}

// A value counts once, however many of its bytes differ.
TEST(Violations, AreCountedByValues) {
  const std::array<std::uint32_t, 3> seen = {0x01020304, 7, 9}, right = {0, 7, 8};
  const Violations found = FindViolations({BytesOf(seen), BytesOf(right), {}}, {.bytes = 4});
  EXPECT_EQ(found.outside, 2u);
  ASSERT_TRUE(found.first);
  EXPECT_EQ(found.first->offset, 0u);
  EXPECT_EQ(found.first->bytes, 4u);
  EXPECT_EQ(FindViolations({BytesOf(seen), BytesOf(right), {}}, {}).outside, 5u);
}

// One undefined bit makes the value undefined; the others are judged all the same.
TEST(Violations, UndefinedValuesAreLeftOut) {
  const std::array<float, 3> seen = {1, 2, 3}, right = {1, 0, 0};
  std::array<std::uint32_t, 3> undefined = {0, 0x800, 0};
  const Violations found =
      FindViolations({BytesOf(seen), BytesOf(right), BytesOf(undefined)}, kFloats);
  EXPECT_THAT(found.undefined, ElementsAre(4));
  EXPECT_EQ(found.outside, 1u);
  EXPECT_EQ(found.first->offset, 8u);
  undefined = {};
  EXPECT_EQ(FindViolations({BytesOf(seen), BytesOf(right), BytesOf(undefined)}, kFloats).outside,
            2u);
}

TEST(Violations, WhichNanIsOpen) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 2> seen = {std::bit_cast<float>(0xffc00001u), kNan}, right = {kNan, 1};
  const Violations found = FindViolations({BytesOf(seen), BytesOf(right), {}}, kFloats);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_EQ(found.first->offset, 4u);
  EXPECT_EQ(FindViolations({BytesOf(seen), BytesOf(right), {}}, {.bytes = 4}).outside, 2u);
}

TEST(Violations, ThePaddingOfThreeIsNoValue) {
  const std::array<float, 8> seen = {1, 2, 3, 9, 1, 2, 4, 9}, right = {1, 2, 3, 0, 1, 2, 3, 0};
  const ValueLayout three{.bytes = 4, .is_float = true, .is_of_three = true};
  const Violations found = FindViolations({BytesOf(seen), BytesOf(right), {}}, three);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_EQ(found.first->offset, 24u);
}

TEST(Violations, RangesDecide) {
  EnvelopeRecord record(16);
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  record.Store(4, 4, EnvelopeTag::kNumbers, bits(1), bits(2));
  record.Store(8, 4, EnvelopeTag::kAnything, 0, 0);
  const std::array<float, 4> right = {0, 1.5f, 0, 0};
  const auto judged = [&](std::array<float, 4> seen) {
    return FindViolations({BytesOf(seen), BytesOf(right), {}, &record}, kFloats);
  };
  const Violations allowed = judged({0, 2, 77, 0});
  EXPECT_EQ(allowed.outside, 0u);
  EXPECT_EQ(allowed.inside, 1u);
  EXPECT_EQ(allowed.unknown, 1u);
  EXPECT_THAT(allowed.undefined, IsEmpty());
  const Violations wrong = judged({0, 2.5f, 0, 1});
  EXPECT_EQ(wrong.outside, 2u);
  EXPECT_EQ(wrong.first->tag, EnvelopeTag::kNumbers);
}

// A value of the type whose bytes are parts of wider scalars, and the other way around.
TEST(Violations, ScalarsNeedNotBeOfTheType) {
  EnvelopeRecord record(16);
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  record.Store(0, 8, EnvelopeTag::kNumbers, bits(1), bits(2));
  const std::array<double, 2> seen = {3, 1}, right = {1.5, 1};
  EXPECT_EQ(FindViolations({BytesOf(seen), BytesOf(right), {}, &record}, {.bytes = 1}).outside, 1u);
  EXPECT_EQ(FindViolations({BytesOf(seen), BytesOf(right), {}, &record}, {.bytes = 4}).outside, 1u);
}

}  // namespace
}  // namespace assay::interp
