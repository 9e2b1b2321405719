#include "oracle/sweep/screen.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "oracle/sweep/judging.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;

// 2048 neighbours from these bits on, answered by the rounded result and now and then some numbers
// beside it.
Batch BatchFrom(const Operation& operation, std::uint32_t first, int spread) {
  constexpr std::size_t kCount = 2048;
  Batch batch;
  batch.count = kCount;
  batch.inputs = ColumnSet(operation.Inputs(), kCount);
  batch.outputs.emplace_back(operation.Outputs(), kCount);
  batch.asked = batch.answered = {true};
  batch.unwritten.resize(1);
  std::mt19937 random(first);
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::array<Bits, 1> operand = {first + i};
    numerics::Exact exact;
    numerics::EvaluateExact(operation, operand, {&exact, 1});
    Bits answer = numerics::Round(exact, Format::kFloat, numerics::Rounding::kRte);
    const auto chance = static_cast<int>(random() % 64);
    if (spread > 0 && chance < 24) answer += static_cast<Bits>(chance % (2 * spread + 1) - spread);
    batch.inputs.Scatter(i, operand);
    batch.outputs[0].Scatter(i, std::array{answer & 0xffffffff});
  }
  return batch;
}

void ExpectSame(const Statistics& a, const Statistics& b) {
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.answers, b.answers);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  EXPECT_EQ(a.worst.item, b.worst.item);
  EXPECT_EQ(a.over, b.over);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.recorded.size(), b.recorded.size());
  EXPECT_EQ(ToJson(a.binades).dump(), ToJson(b.binades).dump());
  for (std::size_t r = 0; r < a.readings.size(); ++r) {
    EXPECT_EQ(a.readings[r].failures, b.readings[r].failures);
  }
}

TEST(ScreenTest, TheStatisticsAreThoseOfEveryItem) {
  using enum Function;
  const std::uint32_t starts[] = {0x00400000, 0x24000000, 0x32800000, 0x3d4ccccd, 0x3f7ff400,
                                  0x3f800000, 0x3fc90000, 0x40490000, 0x41200000, 0x42b10000,
                                  0x44800000, 0x4b000000, 0x4d000000, 0x60000000};
  int looked_at = 0;
  for (const Function function :
       {exp,    exp2,   exp10, expm1, log,  log2,  log10,  log1p,   sin,     cos,     tan,   asin,
        acos,   atan,   sinh,  cosh,  tanh, asinh, acosh,  atanh,   sinpi,   cospi,   tanpi, asinpi,
        acospi, atanpi, cbrt,  erf,   erfc, rsqrt, tgamma, degrees, radians, half_sin}) {
    const Operation operation = Operation::Builtin(function, Format::kFloat);
    const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
    looked_at += Screen::Find(panel) ? 1 : 0;
    for (const std::uint32_t start : starts) {
      for (const std::uint32_t sign : {0u, 0x80000000u}) {
        for (const int spread : {0, 1, 9}) {
          SCOPED_TRACE(testing::Message()
                       << operation.Name() << " from " << (start | sign) << " with " << spread);
          const Batch batch = BatchFrom(operation, start | sign, spread);
          ExpectSame(Judging(panel, {1}, 10, 1).JudgeBatch(batch),
                     Judging(panel, {1}, 10, 1, false).JudgeBatch(batch));
        }
      }
    }
  }
  EXPECT_GT(looked_at, 30);
}

}  // namespace
}  // namespace assay::oracle
