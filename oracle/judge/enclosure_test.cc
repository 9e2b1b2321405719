#include "oracle/judge/enclosure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;

struct Case {
  Function function;
  double low, high;  // of the first operand
  double other = 0;  // the second one is this, or a range around it
};

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {Function::sin, -20, 20},         {Function::cos, -20, 20},
      {Function::tan, -1.5, 1.5},       {Function::exp, -80, 80},
      {Function::log, 1e-3, 1e5},       {Function::sqrt, 0, 1e6},
      {Function::rsqrt, 1e-4, 1e6},     {Function::tanh, -8, 8},
      {Function::erf, -3, 3},           {Function::tgamma, 0.25, 8},
      {Function::asin, -1, 1},          {Function::sinpi, -4, 4},
      {Function::cosh, -5, 5},          {Function::cbrt, -50, 50},
      {Function::pow, 0.01, 20, 2.7},   {Function::atan2, -5, 5, 0.8},
      {Function::hypot, -9, 9, -1.25},  {Function::div, -40, 40, 3.3},
      {Function::fmod, 0.5, 90, 0.7},   {Function::fract, -4, 4},
      {Function::recip_div, 0.01, 100}, {Function::log1p, -0.9, 50}};
  return cases;
}

// Nothing is known of a sum of products that overflows in some order; of others, all is.
TEST(EnclosureOfSums, AreOpenWhereAnOrderOverflows) {
  const auto range_of = [](Function function, std::vector<double> x, double width) {
    const int components = static_cast<int>(x.size()) / 2;
    const auto operation = Operation::Builtin(function, Format::kFloat, components);
    std::vector<Range> operands;
    for (const double one : x) {
      const double other = one * (1 + width);
      const auto [low, high] = std::minmax(one, other);
      operands.push_back(Range::Numbers(numerics::FromDouble(Format::kFloat, low),
                                        numerics::FromDouble(Format::kFloat, high)));
      if (width == 0) operands.back().kind = Range::Kind::kPoint;
    }
    std::vector<Range> results(operation.ResultTypes().size());
    Enclosure(operation, JudgeOptions{}).Evaluate(operands, 1, results);
    return results[0];
  };
  for (const double width : {0.0, 0x1p-20}) {
    const auto open = Range::Anything(Open::kOverflow);
    EXPECT_EQ(range_of(Function::dot, {0x1p64, 0x1p64, 0x1p64, 0x1p63, 0x1p63, -0x1p63}, width),
              open);
    EXPECT_EQ(range_of(Function::cross, {0, 0x1p64, 0x1p64, 0, -0x1p63, 0x1p63}, width), open);
    EXPECT_EQ(range_of(Function::dot, {0x1.8p64, 0x1p64, 0x1p63, -0x1p63}, width).kind,
              Range::Kind::kNumbers);
    EXPECT_EQ(range_of(Function::cross, {0, 0x1.8p64, 0x1p64, 0, 0x1p63, 0x1p63}, width).kind,
              Range::Kind::kNumbers);
  }
}

class EnclosureTest : public testing::TestWithParam<Case> {
 protected:
  Bits Float(double value) const { return numerics::FromDouble(Format::kFloat, value); }
  Bits Random(double low, double high) {
    return Float(std::uniform_real_distribution<double>(low, high)(random_));
  }
  Range RangeFor(const std::vector<Range>& args) const {
    std::vector<Range> results(operation_.ResultTypes().size());
    enclosure_.Evaluate(args, 1, results);
    return results[0];
  }
  Judge JudgeOf() const {
    return Judge(operation_, *FindLimit(operation_, Profile::kFull, MathMode::kDefault), options_);
  }
  bool Accepts(const Judge& judge, const std::vector<Bits>& args, Bits observed) const {
    std::vector<numerics::Exact> exact(operation_.ResultTypes().size());
    EvaluateExact(operation_, args, exact);
    std::vector<Bits> all;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      all.push_back(judge.Expected(exact[i], static_cast<int>(i)));
    }
    all[0] = observed;
    return oracle::Accepts(judge.Item(args, exact, all, 0).rule);
  }

  const Operation operation_ = Operation::Builtin(GetParam().function, Format::kFloat);
  const JudgeOptions options_{};
  const Enclosure enclosure_{operation_, options_};
  std::mt19937_64 random_{20261123};
};

// Of operands that are known the ends are accepted, and what is one further is not.
TEST_P(EnclosureTest, IsAsTheJudgeOfPoints) {
  const Case& c = GetParam();
  const Judge judge = JudgeOf();
  const bool is_binary = operation_.ArgumentCount() == 2;
  for (int i = 0; i < 300; ++i) {
    std::vector<Bits> args = {Random(c.low, c.high)};
    if (is_binary) args.push_back(Float(c.other));
    std::vector<Range> ranges;
    for (const Bits bits : args) ranges.push_back(Range::Point(bits));
    const Range range = RangeFor(ranges);
    ASSERT_NE(range.kind, Range::Kind::kAnything);
    ASSERT_TRUE(Accepts(judge, args, range.low)) << std::hex << args[0];
    ASSERT_TRUE(Accepts(judge, args, range.high)) << std::hex << args[0];
    const auto beside = [&](Bits bits, int step) {
      return numerics::FromOrderedIndex(Format::kFloat,
                                        numerics::OrderedIndex(Format::kFloat, bits) + step);
    };
    if (numerics::IsZero(Format::kFloat, range.low)) continue;
    ASSERT_FALSE(Accepts(judge, args, beside(range.low, -1))) << std::hex << args[0];
    ASSERT_FALSE(Accepts(judge, args, beside(range.high, 1))) << std::hex << args[0];
  }
}

// Of operands in ranges, narrow and wide ones, everything that is accepted somewhere is inside.
TEST_P(EnclosureTest, EnclosesWhatIsAcceptedInside) {
  const Case& c = GetParam();
  const Judge judge = JudgeOf();
  const bool is_binary = operation_.ArgumentCount() == 2;
  const auto index = [](Bits bits) { return numerics::OrderedIndex(Format::kFloat, bits); };
  int known = 0;
  for (int i = 0; i < 200; ++i) {
    const double width = std::exp2(-24 + i % 24) * (c.high - c.low);
    const auto box = [&](double low, double high) {
      const double begin = std::uniform_real_distribution<double>(low, high)(random_);
      return Range::Numbers(Float(begin), Float(std::min(begin + width, high)));
    };
    std::vector<Range> ranges = {box(c.low, c.high)};
    if (is_binary) ranges.push_back(box(c.other, c.other + 0.5));
    const Range range = RangeFor(ranges);
    if (range.kind == Range::Kind::kAnything) continue;
    ++known;
    for (int j = 0; j < 20; ++j) {
      std::vector<Bits> args;
      for (const Range& one : ranges) {
        args.push_back(numerics::FromOrderedIndex(
            Format::kFloat,
            std::uniform_int_distribution<std::int64_t>(index(one.low), index(one.high))(random_)));
      }
      std::vector<Range> points;
      for (const Bits bits : args) points.push_back(Range::Point(bits));
      const Range at = RangeFor(points);
      ASSERT_LE(index(range.low), index(at.low)) << i << std::hex << " " << args[0];
      ASSERT_GE(index(range.high), index(at.high)) << i << std::hex << " " << args[0];
    }
  }
  EXPECT_GT(known, 100);
}

INSTANTIATE_TEST_SUITE_P(All, EnclosureTest, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<Case>& info) {
                           return std::string(numerics::Info(info.param.function).name);
                         });

TEST(Enclosure, KnowsNothingAtPolesAndOfNative) {
  const Operation div = Operation::Builtin(Function::div, Format::kFloat);
  const std::vector<Range> args = {Range::Point(0x3f800000),
                                   Range::Numbers(0xbf800000, 0x3f800000)};
  std::vector<Range> results(1);
  Enclosure(div, {}).Evaluate(args, 1, results);
  EXPECT_EQ(results[0].open, Open::kPole);
  const Operation native = Operation::Builtin(Function::native_sin, Format::kFloat);
  const std::vector<Range> one = {Range::Point(0x3f800000)};
  Enclosure(native, {}).Evaluate(one, 1, results);
  EXPECT_EQ(results[0].open, Open::kNoLimit);
}

// sin is 1 between the ends, and 4 ulp more are allowed.
TEST(Enclosure, HasTheTopOfAWave) {
  const Operation sin = Operation::Builtin(Function::sin, Format::kFloat);
  const std::vector<Range> args = {Range::Numbers(0x3fc00000, 0x3fd00000)};  // 1.5 to 1.625
  std::vector<Range> results(1);
  Enclosure(sin, {}).Evaluate(args, 1, results);
  EXPECT_EQ(results[0].high, 0x3f800004u);
  EXPECT_LT(results[0].low, 0x3f7f8000u);
}

}  // namespace
}  // namespace assay::oracle
