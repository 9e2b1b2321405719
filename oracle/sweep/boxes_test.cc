#include "oracle/sweep/boxes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numerics/format.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::ScalarType;
using testing::ElementsAre;

TEST(BoxesTest, PlacesOfAFormatAreItsNumbersInOrder) {
  const Axis axis(ScalarType::kHalf);
  const Side whole = axis.Whole();
  EXPECT_EQ(whole.high - whole.low, 2u * 0x7bff);
  double before = -std::numeric_limits<double>::infinity();
  for (std::uint64_t place = whole.low; place <= whole.high; ++place) {
    const Bits bits = axis.At(place);
    const double value = numerics::ToDouble(Format::kHalf, bits);
    ASSERT_GT(value, before);
    ASSERT_EQ(axis.PlaceOf(bits), place);
    before = value;
  }
  EXPECT_EQ(axis.PlaceOf(0x8000), axis.PlaceOf(0)) << "both zeros are one place";
  EXPECT_EQ(axis.PlaceOf(0x7c00), std::nullopt) << "an infinity";
  EXPECT_EQ(axis.PlaceOf(0x7e00), std::nullopt) << "a NaN";
}

TEST(BoxesTest, ARangeIsAPartOfTheFloats) {
  const auto range = NumberRange::Of(Format::kHalf, {"-1", "inf"});
  const OperandSpace space({ScalarType::kHalf, ScalarType::kInt}, *range);
  const Side side = space.Whole()[0];
  EXPECT_EQ(space.At(0).At(side.low), 0xbc00u);
  EXPECT_EQ(space.At(0).At(side.high), 0x7bffu) << "the largest finite number";
  EXPECT_EQ(space.Whole()[1].high, 0xffffffffu) << "integers are not limited";
  EXPECT_FALSE(space.Contains(space.Whole(), Arguments{0xbc01, 5}));
  EXPECT_EQ(space.ShareOf(space.Whole()), 1);
}

TEST(BoxesTest, PlacesOfIntegersAreInOrder) {
  const Axis is_signed(ScalarType::kInt), is_unsigned(ScalarType::kUlong);
  EXPECT_EQ(is_signed.At(0), 0x80000000u);
  EXPECT_EQ(is_signed.At(is_signed.Whole().high), 0x7fffffffu);
  EXPECT_EQ(is_signed.At(*is_signed.PlaceOf(0xffffffff) + 1), 0u);
  EXPECT_EQ(is_unsigned.Whole().high, ~std::uint64_t{0});
  EXPECT_EQ(is_unsigned.PlaceOf(~std::uint64_t{0}), ~std::uint64_t{0});
}

// The first places of the upper parts, as the values there.
double CutAt(const Axis& axis, Format format, double low, double high) {
  const auto place = [&](double value) {
    return *axis.PlaceOf(numerics::FromDouble(format, value));
  };
  return numerics::ToDouble(format, axis.At(axis.CutOf({place(low), place(high)})));
}

TEST(BoxesTest, FloatsAreCutAtZeroThenBetweenBinadesThenInside) {
  const Axis axis(ScalarType::kFloat);
  const double most = std::numeric_limits<float>::max();
  EXPECT_EQ(CutAt(axis, Format::kFloat, -most, most), 0);
  EXPECT_EQ(CutAt(axis, Format::kFloat, 0, most), 2);
  EXPECT_EQ(CutAt(axis, Format::kFloat, 2, most), 0x1p65);
  EXPECT_EQ(CutAt(axis, Format::kFloat, 1, std::nextafterf(2, 0)), 1.5);
  // Of negative numbers the upper part is the one nearer to zero: it begins above -2 and -1.5.
  EXPECT_EQ(CutAt(axis, Format::kFloat, -most, -0x1p-149), std::nextafterf(-2, 0));
  EXPECT_EQ(CutAt(axis, Format::kFloat, std::nextafterf(-2, 0), -1), std::nextafterf(-1.5f, 0));
  EXPECT_EQ(CutAt(axis, Format::kFloat, 1, std::nextafterf(1, 2)), std::nextafterf(1, 2));
}

TEST(BoxesTest, IntegersAreCutByTheirLength) {
  const Axis axis(ScalarType::kInt);
  const auto cut = [&](std::int32_t low, std::int32_t high) {
    const auto place = [&](std::int32_t value) {
      return *axis.PlaceOf(static_cast<std::uint32_t>(value));
    };
    return static_cast<std::int32_t>(axis.At(axis.CutOf({place(low), place(high)})));
  };
  EXPECT_EQ(cut(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()), 0);
  EXPECT_EQ(cut(0, std::numeric_limits<int>::max()), 1 << 15);
  EXPECT_EQ(cut(0, (1 << 15) - 1), 1 << 7);
  EXPECT_EQ(cut(0, 1), 1);
  EXPECT_EQ(cut(64, 127), 96);
  // Lengths 1 to 32: below -2^16.
  EXPECT_EQ(cut(std::numeric_limits<int>::min(), -1), -(1 << 16) + 1);
  EXPECT_EQ(cut(-2, -1), -1);
}

// Down to single points: each cut leaves two parts that are not empty and together are the box.
TEST(BoxesTest, HalvesAreThePartsOfABox) {
  const std::vector<ScalarType> types = {ScalarType::kDouble, ScalarType::kInt, ScalarType::kFloat};
  const OperandSpace space(types);
  for (std::uint64_t walk = 0; walk < 200; ++walk) {
    ItemStream stream(1, walk);
    Box box = space.Whole();
    int cuts = 0;
    while (const auto halves = space.Halves(box)) {
      const auto& [lower, upper] = *halves;
      int changed = 0;
      for (std::size_t i = 0; i < types.size(); ++i) {
        ASSERT_LE(lower[i].low, lower[i].high);
        ASSERT_LE(upper[i].low, upper[i].high);
        ASSERT_EQ(lower[i].low, box[i].low);
        ASSERT_EQ(upper[i].high, box[i].high);
        if (lower[i].high == box[i].high) continue;
        ++changed;
        ASSERT_EQ(upper[i].low, lower[i].high + 1);
      }
      ASSERT_EQ(changed, 1);
      ASSERT_NEAR(space.ShareOf(lower) + space.ShareOf(upper), space.ShareOf(box),
                  1e-9 * space.ShareOf(box));
      Arguments args{};
      space.Draw(upper, stream, args);
      ASSERT_TRUE(space.Contains(upper, args));
      ASSERT_TRUE(space.Contains(box, args));
      ASSERT_FALSE(space.Contains(lower, args));
      box = stream.Coin() ? lower : upper;
      ++cuts;
    }
    // Integers of length 0 and 1 stand alone after a few cuts.
    ASSERT_GE(cuts, 32 + 64);
    ASSERT_LE(cuts, 1 + 64 + 6 + 32 + 32 + 8);
  }
}

Asked At(double ulp, Bits first = 0, bool is_lead = false) {
  Asked asked{.ulp = ulp, .is_lead = is_lead};
  asked.args[0] = first;
  return asked;
}

TEST(BoxesTest, ALeafKeepsWhatItPromisesByAndTheLeads) {
  Leaf leaf;
  EXPECT_EQ(leaf.Promise(), -1) << "nothing is known";
  leaf.Learn(At(std::numeric_limits<double>::quiet_NaN()));
  leaf.Learn(At(std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(leaf.known.empty()) << "no error, and one that cannot grow";
  leaf.Learn(At(0.25));
  EXPECT_EQ(leaf.Promise(), 0.25);
  leaf.Learn(At(0.5));
  EXPECT_EQ(leaf.Promise(), 0.5);
  leaf.Learn(At(0.125, 0, true));
  leaf.Learn(At(0.375));
  leaf.Learn(At(0.0625));
  std::vector<double> kept;
  for (const Asked& asked : leaf.known) kept.push_back(asked.ulp);
  EXPECT_THAT(kept, ElementsAre(0.5, 0.375, 0.125)) << "two and the lead";
  Leaf half{.box = {}, .known = leaf.known, .depth = 1};
  EXPECT_EQ(half.Promise(), 0.25) << "half of what is known from the larger box";
  half.Learn(At(0.25));
  EXPECT_EQ(half.Promise(), 0.375) << "its own inputs say less";
  half.Learn(At(0.625));
  EXPECT_EQ(half.Promise(), 0.625);
}

Leaf Of(int depth, double ulp, Bits first) {
  Leaf leaf{.box = {}, .known = {}, .depth = depth};
  leaf.Learn(At(ulp, first));
  return leaf;
}

std::vector<Bits> Taken(BoxQueue& queue, std::size_t each) {
  std::vector<Bits> firsts;
  for (const Leaf& leaf : queue.Take(each)) {
    firsts.push_back(leaf.known.empty() ? 0 : leaf.known[0].args[0]);
  }
  return firsts;
}

TEST(BoxesTest, ARoundTakesWhatPromisesMoreThanLargerBoxes) {
  BoxQueue queue;
  queue.Add(Of(2, 0.5, 1));
  queue.Add(Of(2, 0.75, 2));
  queue.Add(Of(3, 0.625, 3));  // less than 2, which is larger
  queue.Add(Of(4, 0.875, 4));
  queue.Add(Of(4, 1.5, 5));
  queue.Add(Of(7, 1.5, 6));  // no more than 5
  EXPECT_THAT(Taken(queue, 1), ElementsAre(2, 5));
  EXPECT_THAT(Taken(queue, 1), ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(Taken(queue, 1), ElementsAre());
}

TEST(BoxesTest, ARoundTakesSeveralOfADepth) {
  BoxQueue queue;
  queue.Add(Of(1, 0.5, 1));
  queue.Add(Of(1, 0.75, 2));
  queue.Add(Of(1, 0.625, 3));
  queue.Add(Of(2, 0.6875, 4));  // more than 3, but not than 2
  queue.Add(Of(2, 0.8125, 5));
  EXPECT_THAT(Taken(queue, 2), ElementsAre(2, 3, 5));
  EXPECT_THAT(Taken(queue, 2), ElementsAre(1, 4));
}

TEST(BoxesTest, EqualBoxesGoInTheirOrderAndNoneIsForgotten) {
  BoxQueue queue;
  for (Bits i = 1; i <= 6; ++i) queue.Add(Of(static_cast<int>(i) % 2, 0, i));
  queue.Add({.box = {}, .known = {}, .depth = 0});
  EXPECT_THAT(Taken(queue, 2), ElementsAre(2, 4)) << "errors of zero: the largest boxes first";
  EXPECT_THAT(Taken(queue, 2), ElementsAre(6, 0));
  EXPECT_THAT(Taken(queue, 2), ElementsAre(1, 3));
  EXPECT_THAT(Taken(queue, 2), ElementsAre(5));
}

TEST(BoxesTest, TheBestOfAllLeavesAlsoOfThoseThatCannotBeCut) {
  BoxQueue queue;
  queue.Add(Of(1, 0.5, 1));
  queue.Add(Of(5, 0.75, 2));
  queue.End(Of(9, 0.625, 3));
  queue.Add(Of(2, 0.25, 4));
  std::vector<Bits> firsts;
  for (const Asked& asked : queue.Best(3)) firsts.push_back(asked.args[0]);
  EXPECT_THAT(firsts, ElementsAre(2, 3, 1));
  EXPECT_THAT(Taken(queue, 1), ElementsAre(1, 2)) << "they are still to be cut";
}

}  // namespace
}  // namespace assay::oracle
