#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "numerics/double_path.h"
#include "numerics/double_test_operands.h"
#include "numerics/evaluate.h"
#include "numerics/exact.h"
#include "numerics/function.h"
#include "numerics/rounding.h"

namespace assay::numerics {
namespace {

// Of a value that overflows or is nearly zero: `low` has the fraction of the batches' evaluation.
void ExpectEnd(const Operation& operation, const std::vector<Bits>& bits, double high, double low,
               double error, const Exact& exact) {
  SCOPED_TRACE(testing::Message() << operation.Name() << std::hex << " of " << bits[0] << " and "
                                  << bits.back());
  EXPECT_EQ(std::bit_cast<Bits>(high), Round(exact, Format::kDouble, Rounding::kRte));
  if (std::isinf(high)) {
    EXPECT_GE(exact.fraction, 1);
    return;
  }
  EXPECT_LT(exact.fraction, 0x1p-4);
  if (std::signbit(error)) {
    EXPECT_EQ(exact.fraction, 0);
  } else if (low != 0 && std::fabs(low) != 1) {
    std::vector<ConstColumn> inputs;
    for (std::size_t a = 0; a < bits.size(); ++a) {
      inputs.push_back({operation.Inputs()[a], &bits[a]});
    }
    std::vector<Exact> results(static_cast<std::size_t>(operation.ResultCount()));
    BatchEvaluator(operation).Evaluate(inputs, 0, 1, results.data());
    EXPECT_EQ(std::fabs(low), results[0].fraction);
  }
}

// What a function's first step says of tuples of operands, beside MPFR.
class FirstStep {
 public:
  explicit FirstStep(const DoubleResult& of)
      : batch_(FindDoubleBatch(of.info.function, of.result)),
        operation_(Operation::Builtin(of.info.function, Format::kDouble)),
        result_(static_cast<std::size_t>(of.result)),
        has_integer_(of.info.operands == "FI") {}

  bool Exists() const { return batch_ != nullptr; }
  int known() const { return known_; }
  double largest() const { return largest_; }  // error beside its bound

  // The first step says how far it may be off. MPFR knows the place to 2^-40 of a gap, and the
  // sides of numbers and midpoints.
  void Check(const std::vector<double>& operands) {
    std::vector<Bits> bits;
    std::vector<const double*> columns;
    for (const double& x : operands) {
      bits.push_back(std::bit_cast<Bits>(x));
      columns.push_back(&x);
    }
    if (has_integer_) {
      bits[1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(operands[1]));
    }
    double high = 0, low = 0, error = 0, scale = 0;
    DoubleNear near{&high, &low, &error, &scale};
    batch_(columns.data(), 1, &near);
    if (!std::isfinite(error)) return;
    std::vector<Exact> results(static_cast<std::size_t>(operation_.ResultCount()));
    EvaluateExact(operation_, bits, results);
    const Exact& exact = results[result_];
    SCOPED_TRACE(testing::Message() << operation_.Name() << std::hexfloat << " of " << operands[0]
                                    << " and " << operands.back());
    if (exact.kind == ResultKind::kInteger) {
      EXPECT_EQ(high, static_cast<double>(static_cast<std::int64_t>(exact.below)));
      ++known_;
    } else if (std::isnan(high)) {
      EXPECT_EQ(exact.kind, ResultKind::kNan);
    } else if (std::isinf(low)) {
      EXPECT_EQ(exact.kind, ResultKind::kInfinite);
      EXPECT_EQ(std::bit_cast<Bits>(high), exact.below);
    } else if (std::isinf(high) || high == 0) {
      ASSERT_EQ(exact.kind, ResultKind::kFinite);
      ExpectEnd(operation_, bits, high, low, error, exact);
      known_ += error == 0 && high == 0 ? 1 : 0;
    } else if (std::fabs(high) >= 0x1p-960) {
      ++known_;
      ASSERT_EQ(exact.kind, ResultKind::kFinite);
      CheckNumber(high, low, error, scale, exact);
    }
  }

 private:
  void CheckNumber(double high, double low, double error, double scale, const Exact& exact) {
    const double number = std::bit_cast<double>(exact.below);
    const double below = number * scale;
    const double gap =
        std::fabs(number) == 0x1.fffffffffffffp1023
            ? 0x1p971
            : (std::nextafter(std::fabs(number), HUGE_VAL) - std::fabs(number)) * scale;
    const double sign = std::signbit(number) ? -1 : 1;
    if (std::signbit(error) && low == 0 &&
        std::bit_cast<Bits>(high) == std::bit_cast<Bits>(below)) {
      EXPECT_EQ(exact.fraction, 0);
    }
    const double whole = sign * (high - below) / gap, rest = sign * low / gap;
    const double off = std::fabs((whole + rest) - exact.fraction);
    EXPECT_LE(off, error / gap + 0x1p-38);
    if (error / gap > 0x1p-20) largest_ = std::fmax(largest_, off / (error / gap));
    for (const double side : {0.0, 0.5, 1.0}) {
      // Exact, or nearly so, where it is small.
      const double beyond = (whole - side) + rest;
      if (std::fabs(beyond) <= 1.01 * error / gap) continue;
      EXPECT_EQ(beyond > 0, exact.fraction > side) << beyond << " from " << side;
    }
  }

  DoubleBatch batch_;
  Operation operation_;
  std::size_t result_;
  bool has_integer_;
  int known_ = 0;
  double largest_ = 0;
};

class EachDoubleBatch : public testing::TestWithParam<DoubleResult> {};

TEST_P(EachDoubleBatch, TheFirstStepIsWithinItsBound) {
  FirstStep step(GetParam());
  if (!step.Exists()) GTEST_SKIP() << "one operation of the processor";
  const OperandShape shape(GetParam().info);
  std::mt19937_64 random(1 + static_cast<std::uint64_t>(GetParam().info.function));
  for (int i = 0; i < 3 * OperandCount() && !HasFailure(); ++i) {
    step.Check(i % 3 == 0   ? AnyBits(&random, shape)
               : i % 3 == 1 ? Moderate(&random, shape)
                            : AtEnds(&random, shape, GetParam().info.function));
  }
  EXPECT_GT(step.known(), OperandCount() / 10) << GetParam().info.name;
  RecordProperty("beside_bound", std::to_string(step.largest()));
}

TEST_P(EachDoubleBatch, TheFirstStepIsWithinItsBoundOfSpecialOperands) {
  const Function function = GetParam().info.function;
  constexpr Function kChecked[] = {Function::fma,    Function::mad,      Function::mul_add,
                                   Function::pow,    Function::powr,     Function::pown,
                                   Function::lgamma, Function::lgamma_r, Function::tgamma};
  if (std::find(std::begin(kChecked), std::end(kChecked), function) == std::end(kChecked)) {
    GTEST_SKIP() << "nothing special";
  }
  FirstStep step(GetParam());
  std::mt19937_64 random(3);
  for (int i = 0; i < 3 * OperandCount() && !HasFailure(); ++i) {
    step.Check(Special(&random, function));
  }
  EXPECT_GT(step.known(), OperandCount()) << GetParam().info.name;
}

// Operands are worked on in groups: what is known of one does not depend on the others.
TEST_P(EachDoubleBatch, TheFirstStepOfManyIsThatOfEach) {
  const DoubleBatch batch = FindDoubleBatch(GetParam().info.function, GetParam().result);
  if (batch == nullptr) GTEST_SKIP() << "one operation of the processor";
  const OperandShape shape(GetParam().info);
  std::mt19937_64 random(2 + static_cast<std::uint64_t>(GetParam().info.function));
  constexpr std::size_t kCount = 64 * 20 + 17;
  std::vector<std::vector<double>> columns(shape.arity, std::vector<double>(kCount));
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::vector<double> operands =
        i % 4 == 0                         ? AnyBits(&random, shape)
        : i % 4 == 1                       ? Moderate(&random, shape)
        : i % 4 == 2 && !shape.has_integer ? std::vector<double>(shape.arity, i % 8 == 2 ? NAN : 0)
                                           : AtEnds(&random, shape, GetParam().info.function);
    for (std::size_t a = 0; a < operands.size(); ++a) columns[a][i] = operands[a];
  }
  std::vector<const double*> all;
  for (const auto& column : columns) all.push_back(column.data());
  std::array<std::vector<double>, 4> got;
  for (auto& column : got) column.resize(kCount);
  DoubleNear near{got[0].data(), got[1].data(), got[2].data(), got[3].data()};
  batch(all.data(), kCount, &near);
  for (std::size_t i = 0; i < kCount; ++i) {
    std::array<double, 4> alone{};
    DoubleNear one{&alone[0], &alone[1], &alone[2], &alone[3]};
    std::vector<const double*> operands;
    for (const auto& column : columns) operands.push_back(&column[i]);
    batch(operands.data(), 1, &one);
    ASSERT_EQ(std::isfinite(alone[2]), std::isfinite(got[2][i])) << i;
    if (!std::isfinite(alone[2])) continue;
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(std::bit_cast<Bits>(alone[k]), std::bit_cast<Bits>(got[k][i]))
          << GetParam().info.name << " " << k << std::hexfloat << " of " << columns[0][i] << " and "
          << columns.back()[i];
    }
    if (HasFailure()) return;
  }
}

// Both results at once are what each gives by itself, whatever the operand.
TEST(DoubleBatchTest, BothResultsAtOnceAreTheSame) {
  const DoubleBatch both = FindDoublePairBatch(Function::sincos);
  ASSERT_NE(both, nullptr);
  std::mt19937_64 random(1);
  std::vector<double> x{0.0,     -0.0,   NAN,   INFINITY, 0x1p-1074,
                        0x1p-27, 0x1p19, 0.785, 0x1p-28,  -0x1.921fb54442d18p0};
  while (x.size() < 4000) {
    x.push_back(std::bit_cast<double>(random()));
    x.push_back(std::ldexp(static_cast<double>(random()), -60) - 8);
  }
  const double* const columns[] = {x.data()};
  const std::size_t count = x.size();
  std::array<std::array<std::vector<double>, 4>, 2> got, expected;
  std::array<DoubleNear, 2> near{};
  for (std::size_t r = 0; r < 2; ++r) {
    for (auto& column : got[r]) column.resize(count);
    for (auto& column : expected[r]) column.resize(count);
    near[r] = {got[r][0].data(), got[r][1].data(), got[r][2].data(), got[r][3].data()};
    DoubleNear alone{expected[r][0].data(), expected[r][1].data(), expected[r][2].data(),
                     expected[r][3].data()};
    FindDoubleBatch(Function::sincos, static_cast<int>(r))(columns, count, &alone);
  }
  both(columns, count, near.data());
  for (std::size_t r = 0; r < 2; ++r) {
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(std::memcmp(got[r][k].data(), expected[r][k].data(), count * sizeof(double)), 0);
    }
  }
}

// Infinity is no value that overflows; beyond 2^900, and below 2^-900, bounds hold, too.
TEST(DoubleBatchTest, GammaHasPolesAndLargeOperands) {
  const auto near_of = [](Function function, double x) {
    std::array<double, 4> values{};
    const double* const columns[] = {&x};
    DoubleNear near{&values[0], &values[1], &values[2], &values[3]};
    FindDoubleBatch(function)(columns, 1, &near);
    return values;
  };
  for (const double x : {-1.0, -7.0, -0x1p52, -0x1p60, -0x1p1023}) {
    for (const Function function : {Function::lgamma, Function::lgamma_r}) {
      const auto [high, low, error, scale] = near_of(function, x);
      EXPECT_EQ(scale, 1);
      EXPECT_TRUE(std::isinf(high) && high > 0 && std::isinf(low) && error == 0) << x;
    }
  }
  std::mt19937_64 random(2);
  for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
    const bool is_lgamma = i % 2 == 0;
    const Function function = is_lgamma ? Function::lgamma : Function::tgamma;
    const double significand = 1 + std::ldexp(static_cast<double>(random() >> 12), -52);
    const int exponent = static_cast<int>(random() % 100);
    const double x = is_lgamma
                         ? std::ldexp(significand, 890 + exponent)
                         : std::ldexp(i % 4 == 1 ? significand : -significand, -1000 + exponent);
    const auto [high, low, error, scale] = near_of(function, x);
    if (!std::isfinite(error)) continue;
    ASSERT_EQ(scale, 1);
    std::array<Exact, 1> exact;
    EvaluateExact(Operation::Builtin(function, Format::kDouble), std::array{std::bit_cast<Bits>(x)},
                  exact);
    const double below = std::bit_cast<double>(exact[0].below);
    // 2^-60 of the value, and more than the bound leaves out.
    const double gap = std::fabs(below) - std::fabs(std::nextafter(below, 0));
    const double sign = below < 0 ? -1 : 1;
    const double off = std::fabs(sign * ((high - below) / gap + low / gap) - exact[0].fraction);
    EXPECT_LE(off, error / gap + 0x1p-38) << std::hexfloat << x;
    EXPECT_LT(error / gap, 0x1p-4) << std::hexfloat << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Double, EachDoubleBatch, testing::ValuesIn(DoubleResults()),
                         [](const auto& info) { return info.param.Name(); });

}  // namespace
}  // namespace assay::numerics
