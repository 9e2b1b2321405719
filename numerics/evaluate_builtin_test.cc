#include "numerics/evaluate_builtin.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "numerics/certify.h"
#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "numerics/functions.h"
#include "numerics/hard_cases.h"

namespace assay::numerics {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kOperands = 20;
#else
constexpr int kOperands = 300;
#endif

void Compare(Function function, std::span<const Bits> operands) {
  const Operation operation = Operation::Builtin(function, Format::kDouble);
  std::vector<Exact> fine(static_cast<std::size_t>(operation.ResultCount())), coarse = fine;
  EvaluateExact(operation, operands, fine);
  EvaluateExact(operation, operands, coarse, Fractions::kCoarse);
  for (std::size_t r = 0; r < fine.size(); ++r) {
    EXPECT_TRUE(Agrees(coarse[r], fine[r], Format::kDouble))
        << operation.Name() << std::hex << " of 0x" << operands[0];
    if (fine[r].kind == ResultKind::kFinite && fine[r].fraction < 2) {
      EXPECT_NEAR(coarse[r].fraction, fine[r].fraction, 0x1p-26) << operation.Name();
    }
  }
}

TEST(Fractions, CoarseOnesArePlacedLikeFineOnes) {
  for (const FunctionInfo& info : AllFunctions()) {
    if (!info.Supports(Format::kDouble) || info.IsGeometric()) continue;
    std::mt19937_64 random(static_cast<std::uint64_t>(info.function));
    const std::size_t arity = info.operands.size();
    std::vector<Bits> operands(arity);
    for (int i = 0; i < kOperands && !testing::Test::HasFailure(); ++i) {
      for (std::size_t a = 0; a < arity; ++a) {
        const bool moderate = random() % 2 == 0;
        const double x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -60);
        operands[a] = info.operands[a] != 'F' ? random() % 64
                      : moderate              ? std::bit_cast<Bits>(x)
                                              : random();
      }
      Compare(info.function, operands);
    }
    const std::vector<Bits> hard = HardCases(info.function, Format::kDouble);
    for (std::size_t i = 0; i + arity <= hard.size() && i < arity * kOperands; i += arity) {
      Compare(info.function, std::span(hard).subspan(i, arity));
    }
  }
}

// The continued fraction, from its first operand to its last, and beside both.
TEST(Fractions, OfErfcAtLargeOperands) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10 * kOperands && !testing::Test::HasFailure(); ++i) {
    const double x = 2.9 + 25.2 * std::ldexp(static_cast<double>(random() >> 11), -53);
    const Bits bits = std::bit_cast<Bits>(x);
    Compare(Function::erfc, {&bits, 1});
  }
  for (const double x : {3.0, 28.0}) {
    for (const double beside : {x, std::nextafter(x, 0), std::nextafter(x, 100)}) {
      const Bits bits = std::bit_cast<Bits>(beside);
      Compare(Function::erfc, {&bits, 1});
    }
  }
}

}  // namespace
}  // namespace assay::numerics
