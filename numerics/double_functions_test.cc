#include "numerics/double_functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "numerics/double_table.h"
#include "numerics/evaluate.h"
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

class Comparison {
 public:
  explicit Comparison(const FunctionInfo& info)
      : operation_(Operation::Builtin(info.function, Format::kDouble)),
        function_(FindDoubleFunction(info.function)),
        has_integer_(info.operands == "FI") {}

  void Ask(const std::vector<double>& operands) {
    double result = 0;
    ++asked_;
    if (!function_(operands.data(), &result)) return;
    ++decided_;
    std::vector<Bits> bits;
    for (const double x : operands) bits.push_back(std::bit_cast<Bits>(x));
    if (has_integer_) bits[1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(operands[1]));
    std::vector<Exact> exact(static_cast<std::size_t>(operation_.ResultCount()));
    EvaluateExact(operation_, bits, exact);
    EXPECT_EQ(std::bit_cast<Bits>(result), Round(exact[0], Format::kDouble, Rounding::kRte))
        << operation_.Name() << std::hexfloat << " of " << operands[0] << " and "
        << operands.back();
  }
  bool has_integer() const { return has_integer_; }
  std::size_t arity() const { return operation_.ArgumentTypes().size(); }
  double share() const { return decided_ / std::max(1.0, asked_); }

 private:
  Operation operation_;
  DoubleFunction function_;
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

class EachDoubleFunction : public testing::TestWithParam<FunctionInfo> {};

TEST_P(EachDoubleFunction, IsCorrectlyRounded) {
  Comparison comparison(GetParam());
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().function));
  for (int i = 0; i < OperandCount() && !HasFailure(); ++i) {
    comparison.Ask(AnyBits(&random, comparison));
  }
  const std::vector<Bits> hard = HardCases(GetParam().function, Format::kDouble);
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

TEST_P(EachDoubleFunction, DecidesMost) {
  Comparison comparison(GetParam());
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().function));
  for (int i = 0; i < OperandCount() && !HasFailure(); ++i) {
    std::vector<double> operands = Moderate(&random, comparison);
    for (double& x : operands) x = x == 0 ? 3 : x;
    comparison.Ask(operands);
    for (double& x : operands) x = std::fabs(x);
    comparison.Ask(operands);
    operands[0] = std::fmod(operands[0], 0.5);
    if (operands[0] != 0) comparison.Ask(operands);
  }
  EXPECT_GT(comparison.share(), 0.3) << GetParam().name;
  RecordProperty("decided", std::to_string(comparison.share()));
}

std::vector<FunctionInfo> DoubleFunctions() {
  std::vector<FunctionInfo> all;
  for (const FunctionInfo& info : AllFunctions()) {
    if (FindDoubleFunction(info.function) != nullptr) all.push_back(info);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Double, EachDoubleFunction, testing::ValuesIn(DoubleFunctions()),
                         [](const auto& info) { return std::string(info.param.name); });

// Sums and products of two doubles keep what a double loses.
TEST(DoubleDouble, KeepsWhatRoundingLoses) {
  const DoubleDouble product = TwoProduct(1 + 0x1p-40, 1 - 0x1p-40);
  EXPECT_EQ(product.high, 1);
  EXPECT_EQ(product.low, -0x1p-80);
  const DoubleDouble third = Divide({1, 0}, {3, 0});
  const DoubleDouble one = Multiply(third, 3);
  EXPECT_EQ(one.high, 1);
  EXPECT_LT(std::fabs(one.low), 0x1p-100);
}

TEST(DoubleTable, NothingIsKnownOutsideOfIt) {
  Approximation value;
  EXPECT_FALSE(LookUp(kTable_atan, 0x1p-40, 0, &value));
  EXPECT_FALSE(LookUp(kTable_atan, 2, 0, &value));
  EXPECT_TRUE(LookUp(kTable_atan, 1, 0, &value));
}

}  // namespace
}  // namespace assay::numerics
