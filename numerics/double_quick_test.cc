#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numerics/double_path.h"
#include "numerics/double_test_operands.h"
#include "numerics/evaluate.h"
#include "numerics/exact.h"
#include "numerics/hard_cases.h"
#include "numerics/rounding.h"

namespace assay::numerics {
namespace {

class Comparison {
 public:
  explicit Comparison(const DoubleResult& of)
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

class EachDoubleFunction : public testing::TestWithParam<DoubleResult> {};

TEST_P(EachDoubleFunction, IsCorrectlyRounded) {
  Comparison comparison(GetParam());
  const OperandShape shape(GetParam().info);
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().info.function));
  for (int i = 0; i < OperandCount() && !HasFailure(); ++i) {
    comparison.Ask(AnyBits(&random, shape));
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
  const OperandShape shape(GetParam().info);
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
  const OperandShape shape(GetParam().info);
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().info.function));
  for (int i = 0; i < OperandCount() && !HasFailure(); ++i) {
    std::vector<double> operands = Moderate(&random, shape);
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

INSTANTIATE_TEST_SUITE_P(Double, EachDoubleFunction, testing::ValuesIn(DoubleResults()),
                         [](const auto& info) { return info.param.Name(); });

}  // namespace
}  // namespace assay::numerics
