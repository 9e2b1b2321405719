// The columns of functions beside what the judge allows.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "interp/envelope/columns.h"
#include "interp/envelope/options.h"
#include "interp/envelope/testing_columns.h"
#include "numerics/fast_path.h"
#include "numerics/function.h"
#include "oracle/judge/enclosure.h"

namespace assay::interp {
namespace {

// Against the judge, lane by lane; the share of the lanes that were computed.
double CompareWithJudge(const oracle::Enclosure& enclosure, const numerics::Operation& operation,
                        EnvelopeFunction function, std::uint64_t error, bool special, int rounds,
                        ValuesForTest* values) {
  const Kind kind = operation.format == Format::kFloat ? Kind::kF32 : Kind::kF64;
  const auto operand_count = static_cast<int>(operation.ArgumentTypes().size());
  const std::size_t results = operation.ResultTypes().size();
  const double absolute = enclosure.FactsOf().absolute.value_or(0);
  const numerics::FastPath* path = numerics::FindFastPath(operation.function, operation.format);
  int computed = 0, all = 0;
  for (int round = 0; round < rounds * Times(); ++round) {
    const auto set = static_cast<unsigned>(values->Next()) & ((1u << operand_count) - 1);
    ColumnsForTest batch(kind, kind, operand_count, special, round % 3 == 0 ? 0 : set, values);
    batch.Run(function, error, absolute, path);
    for (int lane = 0; lane < kLanes; ++lane) {
      EXPECT_TRUE(batch.KeepsOthers(lane));
      if (!batch.IsComputed(lane)) continue;
      ++all;
      if (batch.IsSpecial(lane)) continue;
      ++computed;
      const std::vector<Range> operands = batch.OperandsOf(lane);
      std::vector<Range> expected(results);
      enclosure.Evaluate(operands, 1, expected);
      if (batch.IsOpen(lane)) {
        EXPECT_EQ(expected[0], Range::Anything(oracle::Open::kNoLimit)) << Text(operands);
        continue;
      }
      for (std::size_t r = 0; r < results; ++r) ExpectSame(batch, lane, kind, expected[r], r);
      if (testing::Test::HasFatalFailure()) return 0;
    }
  }
  return static_cast<double>(computed) / all;
}

// `find` says which columns compute it: of an absolute error, and with flushing?
template <typename Find>
void FunctionIsAsTheJudgeSays(const std::string& set, const numerics::Operation& operation,
                              const Find& find) {
  for (int variant = 0; variant < 4; ++variant) {
    const bool flushes = (variant & 1) != 0, special = (variant & 2) != 0;
    SCOPED_TRACE(set + ", " + operation.Name() + " of " + std::to_string(operation.components) +
                 ", variant " + std::to_string(variant));
    EnvelopeOptions options;
    options.keeps_subnormal_floats = !flushes;
    const oracle::Enclosure enclosure(operation, options.For(operation));
    const oracle::Enclosure::Facts facts = enclosure.FactsOf();
    ASSERT_TRUE(facts.ulp || facts.absolute);
    const EnvelopeFunction function = find(facts.absolute.has_value(), flushes);
    ASSERT_NE(function, nullptr);
    ValuesForTest values(Kind::kF32, 11 + static_cast<std::uint64_t>(variant));
    const auto error = static_cast<std::uint64_t>(facts.ulp.value_or(0) * 0x1p29);
    const double share =
        CompareWithJudge(enclosure, operation, function, error, special, 12, &values);
    EXPECT_GT(share, special ? 0 : 0.04);
  }
}

TEST(EnvelopeColumns, FunctionsAreAsTheJudgeSays) {
  using enum numerics::Function;
  for (const NamedSet& set : Sets()) {
    for (const numerics::Function function : {div, sqrt, rsqrt, mix, dot, length, normalize}) {
      auto operation = numerics::Operation::Builtin(function, Format::kFloat);
      const auto find = [&](bool is_absolute, bool flushes) {
        return set.columns->find_math(function, operation.components, is_absolute, flushes);
      };
      if (!numerics::Info(function).IsGeometric()) {
        FunctionIsAsTheJudgeSays(set.name, operation, find);
        continue;
      }
      for (operation.components = 2; operation.components <= 4; ++operation.components) {
        FunctionIsAsTheJudgeSays(set.name, operation, find);
      }
    }
  }
}

TEST(EnvelopeColumns, FunctionsWithAPathAreAsTheJudgeSays) {
  using enum numerics::Function;
  for (const numerics::Function function :
       {acos,  acosh, acospi, asin,   asinh, asinpi, atan,    atan2,  atanh, atanpi,
        cbrt,  cos,   cosh,   cospi,  erf,   erfc,   exp,     exp10,  exp2,  expm1,
        hypot, log,   log10,  log1p,  log2,  pow,    powr,    sin,    sinh,  sinpi,
        tan,   tanh,  tanpi,  tgamma, rsqrt, sqrt,   degrees, radians}) {
    const auto operation = numerics::Operation::Builtin(function, Format::kFloat);
    const auto count = static_cast<std::uint32_t>(operation.ArgumentTypes().size());
    FunctionIsAsTheJudgeSays("path", operation,
                             [&](bool, bool) { return FindPathEnds(function, count); });
  }
}

TEST(EnvelopeColumns, FunctionsOfDoubleAreAsTheJudgeSays) {
  for (const auto name : {numerics::Function::exp, numerics::Function::log}) {
    for (const bool special : {false, true}) {
      const auto operation = numerics::Operation::Builtin(name, Format::kDouble);
      const oracle::Enclosure enclosure(operation, EnvelopeOptions{}.For(operation));
      ValuesForTest values(Kind::kF64, 17);
      const auto error = static_cast<std::uint64_t>(*enclosure.FactsOf().ulp);
      const double share =
          CompareWithJudge(enclosure, operation, FindDoubleEnds(name), error, special, 60, &values);
      EXPECT_GT(share, special ? 0 : 0.1);
    }
  }
}

}  // namespace
}  // namespace assay::interp
