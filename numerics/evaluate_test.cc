#include "numerics/evaluate.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "numerics/function.h"
#include "numerics/literal.h"

namespace assay::numerics {
namespace {

Bits F(float v) { return std::bit_cast<std::uint32_t>(v); }
Bits D(double v) { return std::bit_cast<std::uint64_t>(v); }

std::vector<Exact> Evaluate(const Operation& operation, const std::vector<Bits>& args) {
  std::vector<Exact> results(static_cast<std::size_t>(operation.ResultCount()));
  EvaluateExact(operation, args, results);
  return results;
}

Exact First(Function function, Format format, const std::vector<Bits>& args) {
  return Evaluate(Operation::Builtin(function, format), args)[0];
}

// Random operands of every kind: half of them special values or near to one another.
std::vector<Bits> RandomOperands(const Operation& operation, std::mt19937_64& random) {
  std::vector<Bits> args;
  for (const Slot& slot : operation.Inputs()) {
    for (int c = 0; c < slot.components; ++c) {
      const Bits mask = WidthMask(slot.type);
      Bits bits = random() & mask;
      if (!IsFloating(slot.type)) {
        if (random() % 2 == 0) bits = (random() % 64 - 32) & mask;
      } else if (random() % 2 == 0) {
        const Format f = FormatOf(slot.type);
        const double value = std::ldexp(static_cast<double>(random() % 256) - 128,
                                        static_cast<int>(random() % 16) - 10);
        const Bits specials[] = {0,
                                 SignMask(f),
                                 Infinity(f),
                                 QuietNan(f),
                                 1,
                                 MinNormal(f),
                                 MaxFinite(f),
                                 One(f),
                                 FromDouble(f, value),
                                 FromDouble(f, value)};
        bits = specials[random() % std::size(specials)];
      }
      args.push_back(bits);
    }
  }
  return args;
}

bool Same(const Exact& a, const Exact& b, bool is_double) {
  const double tolerance = is_double ? 0x1p-12 : 0x1p-22;
  const auto side = [](double v) { return (v > 0) + (v >= 0.5) + (v > 0.5) + (v >= 1); };
  // A fast path answers NaN without asking which clause wants it.
  if (a.kind == ResultKind::kNan) return b.kind == ResultKind::kNan;
  // Far beyond the largest number it only says "at least" so much.
  const bool near = a.fraction == b.fraction || (a.fraction > 0x1p40 && b.fraction > 0x1p40) ||
                    std::fabs(a.fraction - b.fraction) <= tolerance * std::fmax(1, a.fraction);
  return a.kind == b.kind && a.below == b.below && side(a.fraction) == side(b.fraction) && near &&
         a.prescribed == b.prescribed && a.any_zero_sign == b.any_zero_sign &&
         a.has_alternative == b.has_alternative && a.alternative == b.alternative &&
         a.low_seven_bits == b.low_seven_bits;
}

// The batch, with or without a fast path, says what the truth says: of every built-in at every
// format, for all results, in the place where they belong.
class BatchTest : public testing::TestWithParam<Format> {};

TEST_P(BatchTest, AgreesWithTheTruth) {
  constexpr std::size_t kItems = 150, kSkipped = 3;
  std::mt19937_64 random(11);
  for (const FunctionInfo& info : AllFunctions()) {
    if (!info.Supports(GetParam())) continue;
    const int most = info.IsGeometric() ? 4 : 1;
    for (int n = info.function == Function::cross ? 3 : 1; n <= most; ++n) {
      const Operation operation = Operation::Builtin(info.function, GetParam(), n);
      const auto count = static_cast<std::size_t>(operation.ResultCount());
      std::vector<std::vector<Bits>> items;
      for (std::size_t i = 0; i < kItems; ++i) items.push_back(RandomOperands(operation, random));
      std::vector<std::vector<Bits>> storage;  // a word for each element is more than enough
      std::vector<ConstColumn> columns;
      std::size_t first = 0;
      for (const Slot& slot : operation.Inputs()) {
        const auto components = static_cast<std::size_t>(slot.components);
        storage.emplace_back(kItems * components);
        for (std::size_t i = 0; i < kItems; ++i) {
          for (std::size_t c = 0; c < components; ++c) {
            StoreElement(slot.type, storage.back().data(), i * components + c, items[i][first + c]);
          }
        }
        columns.push_back({slot, nullptr});
        first += components;
      }
      for (std::size_t i = 0; i < columns.size(); ++i) columns[i].data = storage[i].data();
      for (Path path : {Path::kCertified, Path::kMpfrOnly}) {
        std::vector<Exact> results((kItems - kSkipped) * count);
        BatchEvaluator(operation, path).Evaluate(columns, kSkipped, kItems, results.data());
        for (std::size_t i = kSkipped; i < kItems; ++i) {
          const std::vector<Exact> truth = Evaluate(operation, items[i]);
          for (std::size_t r = 0; r < count; ++r) {
            ASSERT_TRUE(
                Same(results[(i - kSkipped) * count + r], truth[r], GetParam() == Format::kDouble))
                << operation.Name() << " " << operation.FormatName() << " result " << r << " of "
                << FormatBits(operation.Inputs()[0].type, items[i][0]);
          }
        }
      }
    }
  }
}

std::string NameOf(const testing::TestParamInfo<Format>& info) {
  return std::string(Traits(info.param).name);
}
INSTANTIATE_TEST_SUITE_P(Formats, BatchTest, testing::ValuesIn(kAllFormats), NameOf);

TEST(EvaluateTest, PlacesBetweenNeighbours) {
  // 1/3 = 0x0.555555|55...: the float below is 0x3eaaaaaa, a third of... 2/3 of the gap beyond it.
  const Exact third = First(Function::div, Format::kFloat, {F(1), F(3)});
  EXPECT_EQ(third.below, 0x3eaaaaaau);
  EXPECT_NEAR(third.fraction, 2.0 / 3, 1e-6);
  EXPECT_FALSE(third.prescribed);
  // sin(tiny) lies just below it.
  const Exact sine = First(Function::sin, Format::kFloat, {F(0x1p-100f)});
  EXPECT_EQ(sine.below, F(0x1p-100f) - 1);
  EXPECT_LT(sine.fraction, 1.0);
  EXPECT_GT(sine.fraction, 0.999);
  // Beyond the largest number the fraction goes on counting.
  const Exact large = First(Function::mul, Format::kHalf, {0x7bff, 0x7bff});
  EXPECT_EQ(large.below, MaxFinite(Format::kHalf));
  EXPECT_GT(large.fraction, 1e6);
}

TEST(EvaluateTest, ExactResultsHaveNoFraction) {
  EXPECT_EQ(First(Function::sqrt, Format::kDouble, {D(2.25)}).fraction, 0);
  EXPECT_EQ(First(Function::exp2, Format::kFloat, {F(-149)}).below, 1u);
  EXPECT_EQ(First(Function::exp2, Format::kFloat, {F(-149)}).fraction, 0);
  EXPECT_EQ(First(Function::pow, Format::kFloat, {F(3), F(4)}).below, F(81));
  const Exact midpoint = First(Function::exp2, Format::kFloat, {F(-150)});
  EXPECT_EQ(midpoint.below, 0u);
  EXPECT_EQ(midpoint.fraction, 0.5);
}

TEST(EvaluateTest, SecondResults) {
  const auto frexp = Evaluate(Operation::Builtin(Function::frexp, Format::kHalf), {0x0001});
  EXPECT_EQ(ToDouble(Format::kHalf, frexp[0].below), 0.5);
  EXPECT_EQ(static_cast<std::int32_t>(frexp[1].below), -23);
  const auto modf = Evaluate(Operation::Builtin(Function::modf, Format::kFloat), {F(-2.75f)});
  EXPECT_EQ(modf[0].below, F(-0.75f));
  EXPECT_EQ(modf[1].below, F(-2));
  const auto fract = Evaluate(Operation::Builtin(Function::fract, Format::kFloat), {F(-0x1p-40f)});
  EXPECT_EQ(fract[0].below, 0x3f7fffffu) << "capped below one";
  EXPECT_EQ(fract[1].below, F(-1));
  const auto sincos = Evaluate(Operation::Builtin(Function::sincos, Format::kDouble), {D(1)});
  EXPECT_EQ(Round(sincos[0], Format::kDouble, Rounding::kRte), 0x3feaed548f090ceeu);
  EXPECT_EQ(Round(sincos[1], Format::kDouble, Rounding::kRte), 0x3fe14a280fb5068cu);
  // 700 / 3 = 233 + 1/3.
  const auto remquo =
      Evaluate(Operation::Builtin(Function::remquo, Format::kFloat), {F(-700), F(3)});
  EXPECT_EQ(remquo[0].below, F(-1));
  EXPECT_EQ(static_cast<std::int32_t>(remquo[1].below), -(233 & 127));
  EXPECT_TRUE(remquo[1].low_seven_bits);
  const auto lgamma = Evaluate(Operation::Builtin(Function::lgamma_r, Format::kFloat), {F(-0.5f)});
  EXPECT_EQ(static_cast<std::int32_t>(lgamma[1].below), -1);
}

TEST(EvaluateTest, ValuesOfVectors) {
  const Operation length = Operation::Builtin(Function::length, Format::kFloat, 2);
  const Bits large = F(0x1p60f);
  // 3-4-5 triangles at any scale.
  EXPECT_EQ(Evaluate(length, {F(3 * 0x1p100f), F(4 * 0x1p100f)})[0].below, F(5 * 0x1p100f));
  EXPECT_EQ(Evaluate(length, {F(3 * 0x1p-140f), F(4 * 0x1p-140f)})[0].below, F(5 * 0x1p-140f));
  const Operation dot = Operation::Builtin(Function::dot, Format::kFloat, 3);
  EXPECT_EQ(Evaluate(dot, {large, F(1), large, large, F(1), F(-0x1p60f)})[0].below, F(1));
  const Operation cross = Operation::Builtin(Function::cross, Format::kFloat, 4);
  const auto product = Evaluate(cross, {F(1), 0, 0, F(7), 0, F(1), 0, F(9)});
  EXPECT_EQ(product[2].below, F(1));
  EXPECT_EQ(product[3].below, 0u);
  EXPECT_TRUE(product[3].prescribed);
  const Operation normalize = Operation::Builtin(Function::normalize, Format::kHalf, 2);
  EXPECT_EQ(ToDouble(Format::kHalf, Round(Evaluate(normalize, {0x0001, 0x8000})[0], Format::kHalf,
                                          Rounding::kRte)),
            1);
}

// Left open is what overflows in some order of the sum, whatever its value is.
TEST(EvaluateTest, SumsOfProductsOverflowInSomeOrder) {
  const auto half = [](double x) { return FromDouble(Format::kHalf, x); };
  const auto dot = [&](std::vector<double> x) {
    std::vector<Bits> bits;
    for (const double one : x) bits.push_back(half(one));
    const int components = static_cast<int>(x.size()) / 2;
    return Evaluate(Operation::Builtin(Function::dot, Format::kHalf, components), bits)[0];
  };
  const auto value = [&](const Exact& exact) {
    return ToDouble(Format::kHalf, Round(exact, Format::kHalf, Rounding::kRte));
  };
  const auto known = [&](std::vector<double> x, double sum) {
    const Exact exact = dot(std::move(x));
    EXPECT_EQ(exact.kind, ResultKind::kFinite) << sum;
    EXPECT_EQ(value(exact), sum);
  };
  const auto open = [&](std::vector<double> x, double sum) {
    const Exact exact = dot(std::move(x));
    EXPECT_EQ(exact.kind, ResultKind::kUnspecified) << sum;
    EXPECT_EQ(value(exact), sum);
  };
  known({200, 200, 1, 1, 200, -200, 1, 1}, 2);
  known({65504, 65504, 1, -1}, 0);
  known({65504, 0, 1, 0}, 65504);
  known({32752, 32752, 1, 1}, 65504);
  open({256, 256, 128, 128}, std::numeric_limits<double>::infinity());
  open({256, 256, 256, 128, 128, -128}, 32768);
  open({300, 300, 1, 300, -300, 0}, 0);
  // 32761 + 32745 is nearest to 65504; each product is rounded up by 7, and their sum is 65520.
  open({181, 555, 181, 59}, 65504);

  const Operation cross = Operation::Builtin(Function::cross, Format::kFloat, 3);
  const Bits large = F(0x1.8p64f), small = F(0x1p63f);
  EXPECT_EQ(Evaluate(cross, {0, large, F(0x1p64f), 0, small, small})[0].below, F(0x1p126f));
  EXPECT_EQ(Evaluate(cross, {0, large, F(0x1p64f), 0, F(-0x1p63f), small})[0].kind,
            ResultKind::kUnspecified);
  const Operation wide = Operation::Builtin(Function::dot, Format::kDouble, 2);
  EXPECT_EQ(Evaluate(wide, {D(0x1.8p512), D(0x1p512), D(0x1p511), D(-0x1p511)})[0].below,
            D(0x1p1022));
}

TEST(EvaluateTest, Conversions) {
  EXPECT_EQ(
      static_cast<std::int64_t>(
          Evaluate(Operation::Convert(ScalarType::kFloat, ScalarType::kInt), {F(-2.9f)})[0].below),
      -2);
  const auto half = Evaluate(Operation::VstoreHalf(ScalarType::kDouble), {D(1 + 0x1p-11)});
  EXPECT_EQ(half[0].below, 0x3c00u);
  EXPECT_EQ(half[0].fraction, 0.5);
  EXPECT_EQ(Evaluate(Operation::VloadHalf(), {0x8001})[0].below, F(-0x1p-24f));
}

TEST(ElementsTest, LoadAndStoreKeepToTheirElement) {
  for (ScalarType type : kAllScalarTypes) {
    std::array<std::uint64_t, 4> memory;
    memory.fill(0xa5a5a5a5a5a5a5a5);
    const Bits mask = WidthMask(type);
    StoreElement(type, memory.data(), 1, 0x1122334455667788);
    EXPECT_EQ(LoadElement(type, memory.data(), 1), 0x1122334455667788 & mask);
    EXPECT_EQ(LoadElement(type, memory.data(), 0), 0xa5a5a5a5a5a5a5a5 & mask);
    EXPECT_EQ(LoadElement(type, memory.data(), 2), 0xa5a5a5a5a5a5a5a5 & mask);
  }
}

TEST(ExactDecimalTest, DigitsOfIrrationalAndOfExactNumbers) {
  const auto decimal = [](Function function, Format format, const std::vector<Bits>& args) {
    return ExactDecimal(Operation::Builtin(function, format), args, 25)[0];
  };
  EXPECT_EQ(decimal(Function::exp, Format::kDouble, {D(1)}).substr(0, 20), "2.718281828459045235");
  EXPECT_EQ(decimal(Function::atan, Format::kFloat, {F(1)}).substr(0, 20), "7.853981633974483096");
  EXPECT_EQ(decimal(Function::sqrt, Format::kFloat, {F(2.25f)}), "1.5");
  // Exact though long: the smallest subnormal has 105 significant digits.
  const std::string tiny = decimal(Function::fabs, Format::kFloat, {1});
  EXPECT_EQ(tiny.substr(0, 12), "1.4012984643");
  EXPECT_GT(tiny.size(), 100u);
  EXPECT_EQ(decimal(Function::log, Format::kFloat, {F(-1)}), "") << "NaN has no digits";
  EXPECT_EQ(
      ExactDecimal(Operation::VstoreHalf(ScalarType::kDouble), std::array{D(0.1)}, 10)[0].substr(
          0, 25),
      "0.10000000000000000555111");
}

}  // namespace
}  // namespace assay::numerics
