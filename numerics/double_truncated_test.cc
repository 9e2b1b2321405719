#include "numerics/double_truncated.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "numerics/evaluate.h"
#include "numerics/float_environment.h"
#include "numerics/function.h"

namespace assay::numerics {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kOperands = 300;
#else
constexpr int kOperands = 30000;
#endif

double Truncated(TruncatedFunction function, double x) {
  const FloatEnvironmentScope toward_zero(MakeFloatEnvironment(Rounding::kRtz, false));
  return function(x);
}

class TruncatedDoubleTest : public testing::TestWithParam<Function> {};

TEST_P(TruncatedDoubleTest, IsThePlaceOfTheExactValue) {
  const TruncatedDouble truncated = FindTruncatedDouble(GetParam());
  ASSERT_NE(truncated.function, nullptr);
  const Operation operation = Operation::Builtin(GetParam(), Format::kDouble);
  const BatchEvaluator evaluator(operation);
  std::mt19937_64 random(20261127);
  int asked = 0;
  const auto ask = [&](double x) {
    if (!std::isnormal(x) || x == truncated.exact_at || (truncated.needs_positive && x < 0)) return;
    Exact exact;
    const ConstColumn column = {operation.Inputs()[0], &x};
    evaluator.Evaluate({&column, 1}, 0, 1, &exact);
    if (exact.kind != ResultKind::kFinite || !std::isnormal(std::bit_cast<double>(exact.below)) ||
        Magnitude(Format::kDouble, exact.below) == MaxFinite(Format::kDouble)) {
      return;
    }
    ++asked;
    ASSERT_NE(exact.fraction, 0) << std::hexfloat << x;
    ASSERT_EQ(Truncated(truncated.function, x), std::bit_cast<double>(exact.below))
        << std::hexfloat << x;
  };
  for (int i = 0; i < kOperands; ++i) {
    // Near to 1, of usual size, and of any.
    const double unit = std::uniform_real_distribution<double>(-1, 1)(random);
    ask(std::ldexp(unit, static_cast<int>(random() % 60) - 50));
    ask(1 + std::ldexp(unit, -static_cast<int>(random() % 40)));
    ask(std::bit_cast<double>(random()));
    ask(unit * 700);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(asked, kOperands);
}

INSTANTIATE_TEST_SUITE_P(All, TruncatedDoubleTest, testing::Values(Function::exp, Function::log));

// A tenth lies below the nearest double.
TEST(FloatEnvironmentScope, Ends) {
  volatile double one = 1, ten = 10;
  {
    const FloatEnvironmentScope toward_zero(MakeFloatEnvironment(Rounding::kRtz, false));
    EXPECT_EQ(one / ten, 0x1.9999999999999p-4);
  }
  EXPECT_EQ(one / ten, 0x1.999999999999ap-4);
}

}  // namespace
}  // namespace assay::numerics
