#include "oracle/sweep/double_screen.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "numerics/function.h"
#include "oracle/inputs/inputs.h"
#include "oracle/sweep/judging.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kCount = 2048 + 300;
#else
constexpr std::size_t kCount = 16384 + 300;
#endif

// Random items of a plan, answered by the rounded result and now and then some numbers beside it.
Batch BatchOf(const Operation& operation, int spread) {
  Batch batch;
  batch.count = kCount;
  batch.inputs = ColumnSet(operation.Inputs(), kCount);
  batch.outputs.emplace_back(operation.Outputs(), kCount);
  batch.outputs.emplace_back(operation.Outputs(), kCount);
  batch.asked = batch.answered = {true, true};
  batch.unwritten.resize(2);
  const InputPlan plan(operation, {.level = Level::kStandard, .samples = kCount});
  plan.Fill(plan.Count() - kCount, kCount, batch.inputs.Writable());
  const auto results = static_cast<std::size_t>(operation.ResultCount());
  const std::vector<numerics::ScalarType> types = operation.ResultTypes();
  std::vector<numerics::Exact> exact(kCount * results);
  numerics::BatchEvaluator(operation).Evaluate(batch.inputs.Readable(), 0, kCount, exact.data());
  std::mt19937 random(static_cast<unsigned>(operation.function));
  for (std::size_t i = 0; i < kCount; ++i) {
    std::vector<Bits> answers(results);
    for (std::size_t r = 0; r < results; ++r) {
      const numerics::Exact& value = exact[i * results + r];
      Bits& answer = answers[r];
      answer = types[r] == numerics::ScalarType::kInt
                   ? value.below & 0xffffffff
                   : numerics::Round(value, Format::kDouble, numerics::Rounding::kRte);
      const auto chance = static_cast<int>(random() % 64);
      const int step = chance % (2 * spread + 1) - spread;
      if (spread > 0 && chance < 24) answer += static_cast<Bits>(step);
      if (spread > 4 && random() % 500 == 0) answer = random() % 2 == 0 ? 0 : ~Bits{0} >> 1;
    }
    batch.outputs[0].Scatter(i, answers);
    batch.outputs[1].Scatter(i, answers);
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
  EXPECT_EQ(a.failures_by_width, b.failures_by_width);
  EXPECT_EQ(a.recorded.size(), b.recorded.size());
  EXPECT_EQ(ToJson(a.binades).dump(), ToJson(b.binades).dump());
  EXPECT_EQ(ToJson(a.plane).dump(), ToJson(b.plane).dump());
  for (std::size_t r = 0; r < a.readings.size(); ++r) {
    EXPECT_EQ(a.readings[r].failures, b.readings[r].failures);
  }
}

TEST(DoubleScreenTest, TheStatisticsAreThoseOfEveryItem) {
  int looked_at = 0;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (numerics::FindDoubleBatch(info.function) == nullptr) continue;
    const Operation operation = Operation::Builtin(info.function, Format::kDouble);
    for (const Reading reading : {Reading::kOpenClC, Reading::kEnvironment}) {
      const JudgePanel panel(operation, {.reading = reading});
      looked_at += DoubleScreen::Find(panel) ? 1 : 0;
      for (const int spread : {0, 1, 9}) {
        SCOPED_TRACE(testing::Message() << operation.Name() << " with " << spread);
        const Batch batch = BatchOf(operation, spread);
        ExpectSame(Judging(panel, {1, 4}, 10, 1).JudgeBatch(batch),
                   Judging(panel, {1, 4}, 10, 1, false).JudgeBatch(batch));
      }
    }
  }
  EXPECT_GT(looked_at, 70);
}

// What is known from earlier batches leaves more items out, and changes nothing.
TEST(DoubleScreenTest, EarlierBatchesChangeNoStatistics) {
  for (const Function function :
       {Function::sin, Function::pow, Function::fmod, Function::sincos, Function::ldexp,
        Function::fdim, Function::hypot, Function::fma, Function::mad, Function::mul_add,
        Function::pown, Function::tgamma, Function::lgamma_r}) {
    const Operation operation = Operation::Builtin(function, Format::kDouble);
    const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
    const Judging screened(panel, {1, 4}, 10, 2), plain(panel, {1, 4}, 10, 1, false);
    Statistics first, second;
    std::uint64_t item = 0;
    for (const int spread : {1, 9, 0, 1}) {
      Batch batch = BatchOf(operation, spread);
      batch.first_item = item;
      item += batch.count;
      const Statistics judged = screened.JudgeBatch(batch, nullptr, nullptr, &first);
      first.Merge(judged, 10);
      second.Merge(plain.JudgeBatch(batch), 10);
    }
    SCOPED_TRACE(operation.Name());
    ExpectSame(first, second);
  }
}

// Most items of ordinary size need no reference once the errors of their places are known.
TEST(DoubleScreenTest, LeavesFewToTheReference) {
  const Operation operation = Operation::Builtin(Function::exp, Format::kDouble);
  const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
  const auto screen = DoubleScreen::Find(panel);
  ASSERT_TRUE(screen);
  ColumnSet operands(operation.Inputs(), kScreenItems), answers(operation.Outputs(), kScreenItems);
  for (std::size_t i = 0; i < kScreenItems; ++i) {
    const double x = -3 + static_cast<double>(i) / 150;
    operands.Scatter(i, std::array{std::bit_cast<Bits>(x)});
    answers.Scatter(i, std::array{std::bit_cast<Bits>(std::exp(x))});
  }
  std::array<double, kScreenItems> known, errors;
  known.fill(0.6);
  const auto open = [&] {
    return screen
        ->Look(operands.Readable(), answers.Readable(), 0, kScreenItems,
               {.errors = known.data(), .most = 0.6, .may_be_exact = true}, errors.data())
        .open;
  };
  EXPECT_LT(open(), 60u);
  known.fill(0);
  EXPECT_EQ(open(), static_cast<std::size_t>(kScreenItems));
}

// The share of random items of the plan that need the reference, where all are rounded and the
// errors of their places are known.
TEST(DoubleScreenTest, LeavesFewOfEachFunctionToTheReference) {
  struct Row {
    Function function;
    double most;  // per cent
  };
  for (const Row& row :
       {Row{Function::fma, 2}, Row{Function::mad, 2}, Row{Function::mul_add, 2},
        Row{Function::pow, 1}, Row{Function::powr, 1}, Row{Function::pown, 1.5},
        Row{Function::tgamma, 1}, Row{Function::lgamma, 4}, Row{Function::lgamma_r, 4}}) {
    const Operation operation = Operation::Builtin(row.function, Format::kDouble);
    const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
    const auto screen = DoubleScreen::Find(panel);
    ASSERT_TRUE(screen);
    const Batch batch = BatchOf(operation, 0);
    std::array<double, kScreenItems> known, errors;
    known.fill(0.9);
    std::size_t open = 0, count = 0;
    for (; count + kScreenItems <= kCount; count += kScreenItems) {
      open += screen
                  ->Look(batch.inputs.Readable(), batch.outputs[0].Readable(), count, kScreenItems,
                         {.errors = known.data(), .most = 0.9, .may_be_exact = true}, errors.data())
                  .open;
    }
    EXPECT_LT(100.0 * static_cast<double>(open) / static_cast<double>(count), row.most)
        << operation.Name();
  }
}

// Next to zero both zeros are as near as can be, but one has the wrong sign.
TEST(DoubleScreenTest, AZeroOfTheOtherSignNeedsTheReference) {
  const Operation operation = Operation::Builtin(Function::ldexp, Format::kDouble);
  const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
  const auto screen = DoubleScreen::Find(panel);
  ASSERT_TRUE(screen);
  Batch batch;
  batch.count = kScreenItems;
  batch.inputs = ColumnSet(operation.Inputs(), kScreenItems);
  batch.outputs.emplace_back(operation.Outputs(), kScreenItems);
  batch.asked = batch.answered = {true};
  batch.unwritten.resize(1);
  constexpr Bits kSign = Bits{1} << 63;
  for (std::size_t i = 0; i < kScreenItems; ++i) {
    const double x = (i % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(i) / 2048);
    const int n = -1079 - static_cast<int>(i % 4);  // below the 2^-1075 that rounds to a number
    batch.inputs.Scatter(i, std::array{std::bit_cast<Bits>(x), Bits{static_cast<unsigned>(n)}});
  }
  std::array<double, kScreenItems> known, errors;
  known.fill(0.9);
  for (const bool is_wrong : {false, true}) {
    for (std::size_t i = 0; i < kScreenItems; ++i) {
      const bool is_negative = (i % 2 != 0) != is_wrong;
      batch.outputs[0].Scatter(i, std::array{is_negative ? kSign : Bits{0}});
    }
    const auto looked =
        screen->Look(batch.inputs.Readable(), batch.outputs[0].Readable(), 0, kScreenItems,
                     {.errors = known.data(), .most = 0.9, .may_be_exact = true}, errors.data());
    EXPECT_EQ(looked.open, is_wrong ? static_cast<std::size_t>(kScreenItems) : 0u);
    const Statistics judged = Judging(panel, {1}, 10, 1).JudgeBatch(batch);
    EXPECT_EQ(judged.failures, is_wrong ? static_cast<std::uint64_t>(kScreenItems) : 0u);
  }
}

// Where the answer has no error at all, no error of its place need be known. A wrong one does.
TEST(DoubleScreenTest, InfinityNeedsNoReference) {
  for (const Function function : {Function::exp, Function::tgamma, Function::lgamma}) {
    const Operation operation = Operation::Builtin(function, Format::kDouble);
    const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
    const auto screen = DoubleScreen::Find(panel);
    ASSERT_TRUE(screen);
    const double x = function == Function::lgamma ? -3 : 1000;
    ColumnSet operands(operation.Inputs(), 4), answers(operation.Outputs(), 4);
    const std::array wrong{HUGE_VAL, std::numeric_limits<double>::max(), -HUGE_VAL,
                           std::numeric_limits<double>::quiet_NaN()};
    for (std::size_t i = 0; i < 4; ++i) {
      operands.Scatter(i, std::array{std::bit_cast<Bits>(x)});
      answers.Scatter(i, std::array{std::bit_cast<Bits>(wrong[i])});
    }
    const std::array<double, kScreenItems> known{};
    std::array<double, kScreenItems> errors{};
    const auto open = [&](bool may_be_exact) {
      return screen
          ->Look(operands.Readable(), answers.Readable(), 0, 4,
                 {.errors = known.data(), .may_be_exact = may_be_exact}, errors.data())
          .open;
    };
    SCOPED_TRACE(operation.Name());
    EXPECT_EQ(open(true), 3u);
    EXPECT_EQ(errors[0], 0);
    EXPECT_EQ(open(false), 4u);
  }
}

// Results that are subnormal, overflow or are zero need no reference either; wrong ones do.
TEST(DoubleScreenTest, TheEndsOfTheRangeNeedFewReferences) {
  struct Row {
    Function function;
    double (*answer)(double, double);
    double x, y, step;  // operands: x (1 + i / 2000) and y + step (i % 64)
  };
  const auto power = [](double x, double n) { return std::ldexp(x, static_cast<int>(n)); };
  for (const Row& row :
       {Row{Function::ldexp, power, 1, -1070, 1}, Row{Function::ldexp, power, 1, 990, 1},
        Row{Function::ldexp, power, -1, -2500, 9}, Row{Function::fdim, std::fdim, 1, 0.7, 0.01},
        Row{Function::fdim, std::fdim, 0x1p-1022, 0x1p-1030, 0x1p-1040},
        Row{Function::hypot, std::hypot, 0x1p1023, 0x1p1022, 0x1p1016},
        Row{Function::hypot, std::hypot, 0x1p-1021, 0x1p-1021, 0x1p-1022},
        Row{Function::atan2, std::atan2, 0x1p-1000, 0x1p50, 0x1p48},
        Row{Function::pow, std::pow, 2, -1070, 1}, Row{Function::pow, std::pow, 3, 640, 0.25}}) {
    const Operation operation = Operation::Builtin(row.function, Format::kDouble);
    SCOPED_TRACE(testing::Message() << operation.Name() << " of " << row.x << " and " << row.y);
    const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
    const auto screen = DoubleScreen::Find(panel);
    ASSERT_TRUE(screen);
    ColumnSet operands(operation.Inputs(), kScreenItems), right(operation.Outputs(), kScreenItems),
        wrong(operation.Outputs(), kScreenItems);
    for (int i = 0; i < static_cast<int>(kScreenItems); ++i) {
      const double x = row.x * (1 + i / 2000.0), y = row.y + row.step * (i % 64);
      const auto at = static_cast<std::size_t>(i);
      const Bits second = operation.Inputs()[1].type == numerics::ScalarType::kInt
                              ? static_cast<std::uint32_t>(static_cast<int>(y))
                              : std::bit_cast<Bits>(y);
      operands.Scatter(at, std::array{std::bit_cast<Bits>(x), second});
      const Bits answer = std::bit_cast<Bits>(row.answer(x, y));
      right.Scatter(at, std::array{answer});
      wrong.Scatter(at, std::array{(answer >> 52 & 0x7ff) == 0x7ff ? answer - 2 : answer + 2});
    }
    std::array<double, kScreenItems> known, errors;
    known.fill(0.9);
    const auto open = [&](const ColumnSet& answers) {
      return screen
          ->Look(operands.Readable(), answers.Readable(), 0, kScreenItems,
                 {.errors = known.data(), .most = 0.9, .may_be_exact = true}, errors.data())
          .open;
    };
    EXPECT_LT(open(right), 80u);
    EXPECT_EQ(open(wrong), static_cast<std::size_t>(kScreenItems));
  }
}

// Of a remainder all answers are the value, or go to the reference.
TEST(DoubleScreenTest, TheValueItselfNeedsNoReference) {
  const Operation operation = Operation::Builtin(Function::remquo, Format::kDouble);
  const JudgePanel panel(operation, {.reading = Reading::kOpenClC});
  const auto screen = DoubleScreen::Find(panel);
  ASSERT_TRUE(screen);
  ColumnSet operands(operation.Inputs(), kScreenItems), answers(operation.Outputs(), kScreenItems);
  for (std::size_t i = 0; i < kScreenItems; ++i) {
    const double x = 1 + static_cast<double>(i), y = 0.75;
    const double rest = std::remainder(x, y);
    operands.Scatter(i, std::array{std::bit_cast<Bits>(x), std::bit_cast<Bits>(y)});
    const auto all = static_cast<int>(std::nearbyint((x - rest) / y)) % 128 + (i % 4 == 3 ? 1 : 0);
    answers.Scatter(i, std::array{std::bit_cast<Bits>(rest), static_cast<Bits>(all)});
  }
  std::array<double, kScreenItems> known{}, errors{};
  const auto looked = screen->Look(operands.Readable(), answers.Readable(), 0, kScreenItems,
                                   {.errors = known.data(), .may_be_exact = true}, errors.data());
  EXPECT_EQ(looked.open, static_cast<std::size_t>(kScreenItems) / 4);
  EXPECT_EQ(looked.first_exact, 0u);
}

}  // namespace
}  // namespace assay::oracle
