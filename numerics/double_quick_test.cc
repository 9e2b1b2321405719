#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "numerics/double_path.h"
#include "numerics/evaluate.h"
#include "numerics/exact.h"
#include "numerics/hard_cases.h"
#include "numerics/rounding.h"

namespace assay::numerics {
namespace {

// Random operands a function; ASSAY_DOUBLE_OPERANDS asks for more.
int OperandCount() {
  const char* const count = std::getenv("ASSAY_DOUBLE_OPERANDS");
  if (count != nullptr) return std::atoi(count);
#ifdef __SANITIZE_ADDRESS__
  return 100;
#else
  return 2000;
#endif
}

// A result of a function.
struct Case {
  FunctionInfo info;
  int result;
};

class Comparison {
 public:
  explicit Comparison(const Case& of)
      : operation_(Operation::Builtin(of.info.function, Format::kDouble)),
        function_(FindDoubleFunction(of.info.function, of.result)),
        result_(static_cast<std::size_t>(of.result)),
        has_integer_(of.info.operands == "FI") {}

  void Ask(const std::vector<double>& operands) {
    double result = 0;
    ++asked_;
    std::vector<const double*> columns;
    for (const double& x : operands) columns.push_back(&x);
    if (function_(columns.data(), 1, &result) == 0) return;
    ++decided_;
    std::vector<Bits> bits;
    for (const double x : operands) bits.push_back(std::bit_cast<Bits>(x));
    if (has_integer_) bits[1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(operands[1]));
    std::vector<Exact> exact(static_cast<std::size_t>(operation_.ResultCount()));
    EvaluateExact(operation_, bits, exact);
    const Exact& value = exact[result_];
    const Bits expected =
        value.kind == ResultKind::kInteger
            ? std::bit_cast<Bits>(static_cast<double>(static_cast<std::int64_t>(value.below)))
            : Round(value, Format::kDouble, Rounding::kRte);
    EXPECT_EQ(std::bit_cast<Bits>(result), expected)
        << operation_.Name() << " result " << result_ << std::hexfloat << " of " << operands[0]
        << " and " << operands.back();
  }
  bool has_integer() const { return has_integer_; }
  std::size_t arity() const { return operation_.ArgumentTypes().size(); }
  double share() const { return decided_ / std::max(1.0, asked_); }

 private:
  Operation operation_;
  DoubleFunction function_;
  std::size_t result_;
  bool has_integer_;
  double asked_ = 0, decided_ = 0;
};

// Of moderate size, where most functions do something.
std::vector<double> Moderate(std::mt19937_64* random, const Comparison& comparison) {
  std::vector<double> operands;
  for (std::size_t i = 0; i < comparison.arity(); ++i) {
    const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>((*random)())), -63);
    const double scale = static_cast<double>(1 << (*random)() % 6);
    operands.push_back(i == 1 && comparison.has_integer() ? std::floor(x * 20) : x * scale);
  }
  return operands;
}
// Of any magnitude.
std::vector<double> AnyBits(std::mt19937_64* random, const Comparison& comparison) {
  std::vector<double> operands;
  for (std::size_t i = 0; i < comparison.arity(); ++i) {
    const double x = std::bit_cast<double>((*random)());
    const auto integer = static_cast<std::int32_t>((*random)());
    operands.push_back(i == 1 && comparison.has_integer() ? integer
                       : std::isfinite(x) && x != 0       ? x
                                                          : 1.5);
  }
  return operands;
}

// With results where the range ends, and where the normal numbers do.
std::vector<double> AtEnds(std::mt19937_64* random, const Comparison& comparison,
                           Function function) {
  const auto below = [&](int n) {
    return static_cast<int>((*random)() % static_cast<unsigned>(n));
  };
  const auto number = [&](int exponent) {
    const double one =
        1 + static_cast<double>((*random)() >> 12 << below(50) & ~Bits{0} >> 12) * 0x1p-52;
    const double x = std::clamp(std::ldexp(one, exponent), 0x1p-1074, 0x1.fffffffffffffp1023);
    return below(2) == 0 ? x : -x;
  };
  constexpr int kEnds[] = {1023, 1000, -900, -960, -1022, -1074};
  const int end = kEnds[below(6)] + below(5) - 2, part = below(2000) - 1000, far = below(130) - 65;
  switch (function) {
    case Function::atan2:
    case Function::atan2pi:
      return {number(end + part / 2), number(part / 2)};
    case Function::fma:
    case Function::mad:
    case Function::mul_add:
      return {number(end / 2 + part / 4), number(end - end / 2 - part / 4), number(end + far)};
    case Function::ldexp: {
      const double x = number(part);
      return {x, static_cast<double>(end - std::ilogb(x))};
    }
    case Function::pow:
    case Function::powr:
    case Function::pown: {
      const double x = std::fabs(number(below(20) - 10));
      const double log = std::log2(x), y = log == 0 ? 3 : (end + below(3) * 0x1p-45) / log;
      return {x, comparison.has_integer() ? std::floor(std::clamp(y, -0x1p31, 0x1p31 - 1)) : y};
    }
    default: {
      std::vector<double> operands;
      for (std::size_t i = 0; i < comparison.arity(); ++i) operands.push_back(number(end + far));
      if (comparison.has_integer()) operands[1] = far;
      return operands;
    }
  }
}

class EachDoubleFunction : public testing::TestWithParam<Case> {};

TEST_P(EachDoubleFunction, IsCorrectlyRounded) {
  Comparison comparison(GetParam());
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().info.function));
  for (int i = 0; i < OperandCount() && !HasFailure(); ++i) {
    comparison.Ask(AnyBits(&random, comparison));
  }
  const std::vector<Bits> hard = HardCases(GetParam().info.function, Format::kDouble);
  for (std::size_t i = 0; i + comparison.arity() <= hard.size() && !HasFailure();
       i += comparison.arity()) {
    std::vector<double> operands;
    for (std::size_t a = 0; a < comparison.arity(); ++a) {
      const Bits bits = hard[i + a];
      operands.push_back(a == 1 && comparison.has_integer()
                             ? static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))
                             : std::bit_cast<double>(bits));
    }
    comparison.Ask(operands);
  }
}

// Where results lie next to numbers and midpoints, beyond what an error of a bound may hide.
TEST_P(EachDoubleFunction, IsCorrectlyRoundedBesideNumbers) {
  Comparison comparison(GetParam());
  std::vector<double> list;
  for (const double x : {1.0, 0.5, 2.0, 3.0, 0x1p-27, 0x1p-30, 0x1p-31, 0x1p-52, 0x1p-53, 0x1p-54,
                         0x1p-60, 0x1p-300, 0x1p-1022, 0x1p-1074, 0x1p100, 710.0}) {
    for (const double beside : {x, std::nextafter(x, 0), std::nextafter(x, HUGE_VAL)}) {
      if (beside == 0) continue;
      list.push_back(beside);
      list.push_back(-beside);
    }
  }
  for (const double x : list) {
    if (comparison.arity() == 1) {
      comparison.Ask({x});
    } else if (comparison.has_integer()) {
      for (int n = -3; n <= 3 && !HasFailure(); ++n) comparison.Ask({x, static_cast<double>(n)});
    } else {
      for (const double y : list) {
        comparison.Ask(comparison.arity() == 2 ? std::vector{x, y} : std::vector{x, y, -x * y});
        if (comparison.arity() == 3) comparison.Ask({x, y, x});
      }
    }
    if (HasFailure()) return;
  }
}

TEST_P(EachDoubleFunction, DecidesMost) {
  Comparison comparison(GetParam());
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().info.function));
  for (int i = 0; i < OperandCount() && !HasFailure(); ++i) {
    std::vector<double> operands = Moderate(&random, comparison);
    for (double& x : operands) x = x == 0 ? 3 : x;
    comparison.Ask(operands);
    for (double& x : operands) x = std::fabs(x);
    comparison.Ask(operands);
    operands[0] = std::fmod(operands[0], 0.5);
    if (operands[0] != 0) comparison.Ask(operands);
    operands.back() = std::fmod(operands.back(), 1);  // as mix and fract want it
    if (operands.back() != 0) comparison.Ask(operands);
  }
  EXPECT_GT(comparison.share(), 0.3) << GetParam().info.name;
  RecordProperty("decided", std::to_string(comparison.share()));
}

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

// The first step says how far it may be off. MPFR knows the place to 2^-40 of a gap.
TEST_P(EachDoubleFunction, TheFirstStepIsWithinItsBound) {
  const DoubleBatch batch = FindDoubleBatch(GetParam().info.function, GetParam().result);
  if (batch == nullptr) GTEST_SKIP() << "one operation of the processor";
  const Comparison comparison(GetParam());
  const Operation operation = Operation::Builtin(GetParam().info.function, Format::kDouble);
  std::mt19937_64 random(1 + static_cast<std::uint64_t>(GetParam().info.function));
  int known = 0;
  double largest = 0;  // error beside its bound
  for (int i = 0; i < 3 * OperandCount() && !HasFailure(); ++i) {
    const std::vector<double> operands =
        i % 3 == 0   ? AnyBits(&random, comparison)
        : i % 3 == 1 ? Moderate(&random, comparison)
                     : AtEnds(&random, comparison, GetParam().info.function);
    std::vector<Bits> bits;
    std::vector<const double*> columns;
    for (const double& x : operands) {
      bits.push_back(std::bit_cast<Bits>(x));
      columns.push_back(&x);
    }
    if (comparison.has_integer()) {
      bits[1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(operands[1]));
    }
    double high = 0, low = 0, error = 0, scale = 0;
    DoubleNear near{&high, &low, &error, &scale};
    batch(columns.data(), 1, &near);
    if (!std::isfinite(error)) continue;
    std::vector<Exact> results(static_cast<std::size_t>(operation.ResultCount()));
    EvaluateExact(operation, bits, results);
    const Exact& exact = results[static_cast<std::size_t>(GetParam().result)];
    if (exact.kind == ResultKind::kInteger) {
      EXPECT_EQ(high, static_cast<double>(static_cast<std::int64_t>(exact.below)));
      ++known;
      continue;
    }
    if (std::isnan(high)) {
      EXPECT_EQ(exact.kind, ResultKind::kNan) << operands[0] << " and " << operands.back();
      continue;
    }
    if (std::isinf(low)) {
      EXPECT_EQ(exact.kind, ResultKind::kInfinite) << operands[0];
      EXPECT_EQ(std::bit_cast<Bits>(high), exact.below);
      continue;
    }
    if (std::isinf(high) || high == 0) {
      ASSERT_EQ(exact.kind, ResultKind::kFinite);
      ExpectEnd(operation, bits, high, low, error, exact);
      known += error == 0 && high == 0 ? 1 : 0;
      continue;
    }
    if (std::fabs(high) < 0x1p-960) continue;
    ++known;
    ASSERT_EQ(exact.kind, ResultKind::kFinite);
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
    const double off = std::fabs(sign * ((high - below) / gap + low / gap) - exact.fraction);
    EXPECT_LE(off, error / gap + 0x1p-38) << GetParam().info.name << std::hexfloat << " of "
                                          << operands[0] << " and " << operands.back();
    if (error / gap > 0x1p-20) largest = std::fmax(largest, off / (error / gap));
  }
  EXPECT_GT(known, OperandCount() / 10) << GetParam().info.name;
  RecordProperty("beside_bound", std::to_string(largest));
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

std::vector<Case> DoubleFunctions() {
  std::vector<Case> all;
  for (const FunctionInfo& info : AllFunctions()) {
    for (int r = 0; FindDoubleFunction(info.function, r) != nullptr; ++r) all.push_back({info, r});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Double, EachDoubleFunction, testing::ValuesIn(DoubleFunctions()),
                         [](const auto& info) {
                           const Case& of = info.param;
                           return std::string(of.info.name) + (of.result == 0 ? "" : "Second");
                         });

}  // namespace
}  // namespace assay::numerics
