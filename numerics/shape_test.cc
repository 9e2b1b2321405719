#include "numerics/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "numerics/evaluate.h"

namespace assay::numerics {
namespace {

// The functions of one number with one, that have rows of their own.
std::vector<Function> Functions() {
  std::vector<Function> all;
  for (const FunctionInfo& info : AllFunctions()) {
    const bool is_own = BaseOf(info.function) == info.function;
    if (is_own && info.operands == "F" && info.results.front() == 'F') all.push_back(info.function);
  }
  return all;
}

// The first result, by MPFR; NaN where it is no number.
double ValueOf(Function function, double x) {
  const Operation operation = Operation::Builtin(function, Format::kDouble);
  const Bits operand = std::bit_cast<Bits>(x);
  std::array<Exact, 2> exact;
  EvaluateExact(operation, {&operand, 1},
                std::span(exact).first(static_cast<std::size_t>(operation.ResultCount())));
  return ToDouble(Format::kDouble, Round(exact[0], Format::kDouble, Rounding::kRte));
}

TEST(Shape, DomainsEndWhereNumbersDo) {
  for (const Function function : Functions()) {
    SCOPED_TRACE(Info(function).name);
    const Interval& domain = ShapeOf(function).domain;
    if (std::isfinite(domain.low)) {
      const double outside = domain.low == 0 ? -0x1p-1074 : std::nextafter(domain.low, -kInfinity);
      EXPECT_TRUE(std::isnan(ValueOf(function, outside)));
      EXPECT_FALSE(std::isnan(ValueOf(function, domain.low)));
    } else {
      EXPECT_FALSE(std::isnan(ValueOf(function, -7.75)));
    }
    if (std::isfinite(domain.high)) {
      EXPECT_TRUE(std::isnan(ValueOf(function, std::nextafter(domain.high, kInfinity))));
      EXPECT_FALSE(std::isnan(ValueOf(function, domain.high)));
    } else {
      EXPECT_FALSE(std::isnan(ValueOf(function, 7.75)));
    }
  }
}

// Rounding does not change an order.
TEST(Shape, FunctionsAreMonotoneWhereTheyAreSaidToBe) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> place(-12, 12), width(0, 1);
  for (const Function function : Functions()) {
    SCOPED_TRACE(Info(function).name);
    const Interval& domain = ShapeOf(function).domain;
    const double least = std::max(domain.low, -12.0), most = std::min(domain.high, 12.0);
    int checked = 0;
    for (int i = 0; i < 100; ++i) {
      const double low = std::clamp(place(random), least, most);
      const double high = std::clamp(low + std::exp2(-8 + 12 * width(random)), least, most);
      if (!IsMonotone(function, low, high)) continue;
      ++checked;
      bool rises = true, falls = true;
      double before = ValueOf(function, low);
      for (int k = 1; k <= 16; ++k) {
        const double value = ValueOf(function, low + (high - low) * k / 16);
        rises = rises && value >= before;
        falls = falls && value <= before;
        before = value;
      }
      EXPECT_TRUE(rises || falls) << low << " to " << high;
    }
    const bool is_stated = ShapeOf(function).pieces != Pieces::kNone;
    EXPECT_EQ(checked > 0, is_stated);
  }
}

TEST(Shape, WavesRepeat) {
  int waves = 0;
  for (const Function function : Functions()) {
    const Shape& shape = ShapeOf(function);
    if (shape.period == 0) continue;
    ++waves;
    SCOPED_TRACE(Info(function).name);
    for (const double x : {0.1, 0.35, -0.2}) {
      EXPECT_NEAR(ValueOf(function, x), ValueOf(function, x + shape.period), 1e-14);
    }
    if (shape.pieces != Pieces::kWave) continue;
    EXPECT_EQ(ValueOf(function, shape.top), 1);
    EXPECT_EQ(ValueOf(function, shape.top + shape.period / 2), -1);
  }
  EXPECT_EQ(waves, 6);
}

TEST(Shape, FunctionsHardlyChangeNearZeroAndFarFromIt) {
  for (const Function function : Functions()) {
    SCOPED_TRACE(Info(function).name);
    const Shape& shape = ShapeOf(function);
    for (const double x : {shape.near, -shape.near}) {
      if (x == 0) continue;
      const double anchor = shape.is_like_operand ? x : ValueOf(function, 0);
      EXPECT_LE(std::fabs(ValueOf(function, x) - anchor), 0x1p-52 * std::fabs(anchor));
    }
    for (const double x : {shape.far.positive, -shape.far.negative}) {
      if (std::isinf(x)) continue;
      const double value = ValueOf(function, x), further = ValueOf(function, 2 * x);
      const double magnitude = std::fabs(value);
      const bool is_extreme = !(magnitude < 0x1p300) || magnitude <= 0x1p-300;
      EXPECT_TRUE(is_extreme || std::fabs(value - further) <= 0x1p-52 * magnitude)
          << x << ": " << value << ", " << further;
    }
  }
}

TEST(Shape, OthersHaveTheValuesOfTheirBase) {
  EXPECT_EQ(BaseOf(Function::half_recip), Function::recip_div);
  EXPECT_EQ(BaseOf(Function::fast_length), Function::length);
  EXPECT_EQ(PartOf(Function::sincos, 1), Function::cos);
  EXPECT_EQ(PartUpTo(Function::half_sin, 0x1p16), Function::sin);
  EXPECT_EQ(PartUpTo(Function::half_sin, 0x1.8p16), Function::half_sin);
  EXPECT_EQ(PartUpTo(Function::native_sin, 0x1.8p16), Function::sin);
}

}  // namespace
}  // namespace assay::numerics
