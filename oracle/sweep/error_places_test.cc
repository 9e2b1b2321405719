#include "oracle/sweep/error_places.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

namespace assay::oracle {
namespace {

using numerics::ScalarType;

TEST(ErrorPlaces, WhereOperandsStand) {
  const auto one = PlaceOf(ScalarType::kFloat, 0x3f800000);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->exponent, 0);
  EXPECT_FALSE(one->negative);
  const auto minus_three = PlaceOf(ScalarType::kInt, 0xfffffffd);
  ASSERT_TRUE(minus_three);
  EXPECT_EQ(minus_three->exponent, 1);
  EXPECT_TRUE(minus_three->negative);
  for (const numerics::Bits none : {0x0u, 0x80000000u, 0x7f800000u, 0x7fc00000u}) {
    EXPECT_FALSE(PlaceOf(ScalarType::kFloat, none)) << none;
  }
}

// A number stands for the place that PlaceOf gives, or for none.
TEST(ErrorPlaces, NumbersStandForPlaces) {
  std::mt19937_64 random(1);
  for (const ScalarType type : {ScalarType::kHalf, ScalarType::kFloat, ScalarType::kDouble,
                                ScalarType::kInt, ScalarType::kUlong, ScalarType::kChar}) {
    const PlaceNumbers numbers(type);
    const int width = numerics::WidthOf(type);
    const numerics::Bits all = ~numerics::Bits{0} >> (64 - width);
    const numerics::Bits sign = numerics::Bits{1} << (width - 1);
    std::vector<numerics::Bits> operands{0, 1, all, sign, sign | 1, all & ~sign, sign - 1};
    for (int i = 0; i < 1000; ++i) operands.push_back(random() >> (64 - width));
    if (numerics::IsFloating(type)) {
      const numerics::Format format = numerics::FormatOf(type);
      operands.insert(operands.end(),
                      {numerics::Infinity(format), numerics::Infinity(format) | sign,
                       numerics::Infinity(format) - 1});
    }
    for (const numerics::Bits bits : operands) {
      ASSERT_LT(numbers.Of(bits), numbers.Count());
      const auto expected = PlaceOf(type, bits);
      const auto place = numbers.PlaceAt(numbers.Of(bits));
      ASSERT_EQ(place.has_value(), expected.has_value()) << bits;
      if (!place) continue;
      EXPECT_EQ(place->exponent, expected->exponent) << bits;
      EXPECT_EQ(place->negative, expected->negative) << bits;
    }
  }
}

// Every exponent of a format has a step, and both ends of the plane are reached.
TEST(ErrorPlaces, StepsCoverTheFormat) {
  for (const ScalarType type :
       {ScalarType::kHalf, ScalarType::kFloat, ScalarType::kDouble, ScalarType::kInt}) {
    const Exponents range = ExponentsOf(type);
    EXPECT_EQ(PlaneStep(range, {range.low, false}), 1);
    EXPECT_EQ(PlaneStep(range, {range.high, false}), kPlaneSteps);
    EXPECT_EQ(PlaneStep(range, {range.high, true}), -kPlaneSteps);
    for (int e = range.low; e < range.high; ++e) {
      EXPECT_LE(PlaneStep(range, {e, false}), PlaneStep(range, {e + 1, false}));
    }
  }
}

TEST(ErrorPlaces, MergingKeepsTheLargestErrorAndTheSmallestWidthInAnyOrder) {
  const ErrorAt a{3, 2.0, 4}, b{5, 2.0, 1}, c{1, 7.0, 16};
  for (const auto& order : {std::array{a, b, c}, std::array{c, b, a}, std::array{b, c, a}}) {
    ErrorAt merged;
    for (const ErrorAt& one : order) merged.Merge(one);
    EXPECT_EQ(merged.inputs, 9u);
    EXPECT_EQ(merged.max_ulp, 7.0);
    EXPECT_EQ(merged.width, 16);
  }
  ErrorAt tie = a;
  tie.Merge(b);
  EXPECT_EQ(tie.width, 1);
  tie = b;
  tie.Merge(a);
  EXPECT_EQ(tie.width, 1);
}

TEST(ErrorPlaces, JsonAndBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Binades binades{
      {-126, {.inputs = 3, .max_ulp = 0.25}},  // of an earlier version
      {4,
       {.inputs = 7, .max_ulp = infinity, .signs = {ErrorAt{5, 0.5, 1}, ErrorAt{2, infinity, 8}}}}};
  const auto json = ToJson(binades);
  EXPECT_EQ(json.dump(), "[[-126,3,0.25],[4,7,\"inf\",[5,0.5,1],[2,\"inf\",8]]]");
  EXPECT_EQ(ToJson(BinadesFromJson(json)), json);
  const ErrorPlane plane{{{-16, 1}, {9, 1.5, 2}}, {{3, -4}, {1, infinity, 1}}};
  EXPECT_EQ(ToJson(PlaneFromJson(ToJson(plane))), ToJson(plane));
  EXPECT_ANY_THROW(PlaneFromJson(nlohmann::ordered_json::parse("[[0,1,1,1,1]]")));
  EXPECT_ANY_THROW(PlaneFromJson(nlohmann::ordered_json::parse("[[17,1,1,1,1]]")));
}

}  // namespace
}  // namespace assay::oracle
