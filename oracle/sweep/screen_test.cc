#include "oracle/sweep/screen.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "numerics/function.h"
#include "oracle/sweep/judging.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;

// What a device does wrong.
enum class Fault {
  kNone,
  kOne,
  kNine,
  kMillion,
  kAnything,
  kCoarse,   // multiples of 2^-20
  kFlushed,  // no subnormal numbers
  kSame,     // one answer to all
  kTwo,      // the next number but one
  kSign,
  kFar,     // the 77th number from it
  kMostly,  // most are up to 500 numbers away
};
constexpr Fault kFaults[] = {Fault::kNone,   Fault::kOne,     Fault::kNine,     Fault::kMillion,
                             Fault::kCoarse, Fault::kFlushed, Fault::kAnything, Fault::kSame,
                             Fault::kTwo,    Fault::kSign,    Fault::kFar,      Fault::kMostly};

Bits Coarse(Bits answer) {
  const float number = std::bit_cast<float>(static_cast<std::uint32_t>(answer));
  if (!(std::fabs(number) < 1)) return answer;
  return std::bit_cast<std::uint32_t>(std::nearbyint(number * 0x1p20f) * 0x1p-20f);
}

Bits Spoil(Fault fault, Bits answer, bool is_integer, std::mt19937& random) {
  const auto chance = static_cast<int>(random() % 64);
  const auto beside = [&](int spread) {
    return answer + static_cast<Bits>(static_cast<int>(random() % (2u * spread + 1)) - spread);
  };
  constexpr Bits kOdd[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff, 1};
  switch (fault) {
    case Fault::kNone:
      return answer;
    case Fault::kOne:
      return chance < 24 ? beside(1) : answer;
    case Fault::kNine:
      return chance < 24 ? beside(9) : answer;
    case Fault::kMillion:
      return chance < 3 ? beside(1000000) : answer;
    case Fault::kAnything:
      return chance < 1 ? kOdd[random() % std::size(kOdd)] : chance < 2 ? random() : answer;
    case Fault::kCoarse:
      return is_integer ? answer : Coarse(answer);
    case Fault::kFlushed:
      return is_integer || (answer & 0x7f800000) != 0 ? answer : answer & 0x80000000;
    case Fault::kSame:
      return is_integer ? 1 : 0x3f800000;
    case Fault::kTwo:
      return answer + 2;
    case Fault::kFar:
      return answer + 77;
    case Fault::kMostly:
      return chance < 48 ? beside(500) : answer;
    case Fault::kSign:
      if (chance >= 1) return answer;
      return is_integer ? ~answer + 1 : answer ^ 0x80000000;
  }
  return answer;
}

// 2048 neighbours from these bits on, and 1024 random operands, answered by the rounded results,
// those of `faulty` with a fault (1: the first, 2: the second, 3: both). Of the random operands,
// some of the second results may not be `written`.
Batch BatchFrom(const Judge& judge, std::uint32_t first, Fault fault, unsigned faulty = 3,
                bool written = true) {
  const Operation& operation = judge.operation();
  const std::vector<numerics::ScalarType> types = operation.ResultTypes();
  const std::size_t results = types.size();
  constexpr std::size_t kNeighbours = 2048, kCount = 3072;
  Batch batch;
  batch.first_item = 17;
  batch.count = kCount;
  batch.inputs = ColumnSet(operation.Inputs(), kCount);
  batch.outputs.emplace_back(operation.Outputs(), kCount);
  batch.asked = batch.answered = {true};
  batch.unwritten.resize(1);
  std::mt19937 random(first);
  for (std::size_t i = 0; i < kCount; ++i) {
    const Bits operand = i < kNeighbours ? (first + i) & 0xffffffff : random();
    batch.inputs.Scatter(i, std::array{operand});
  }
  std::vector<numerics::Exact> exact(kCount * results);
  numerics::BatchEvaluator(operation).Evaluate(batch.inputs.Readable(), 0, kCount, exact.data());
  for (std::size_t i = 0; i < kCount; ++i) {
    std::array<Bits, numerics::kMaxResults> answers{};
    for (std::size_t r = 0; r < results; ++r) {
      const Bits answer = judge.Expected(exact[i * results + r], static_cast<int>(r));
      const Fault does = (faulty >> r & 1) != 0 ? fault : Fault::kNone;
      answers[r] = Spoil(does, answer, !numerics::IsFloating(types[r]), random) & 0xffffffff;
      if (!written && r + 1 == results && i % 1024 == 77) {
        batch.unwritten[0].push_back({.item = i, .result = r});
      }
    }
    batch.outputs[0].Scatter(i, std::span<const Bits>(answers).first(results));
  }
  return batch;
}

void ExpectSame(const Sighting& a, const Sighting& b) {
  EXPECT_EQ(a.item, b.item);
  EXPECT_EQ(a.width, b.width);
  EXPECT_EQ(a.result, b.result);
  EXPECT_EQ(a.args, b.args);
  EXPECT_EQ(a.observed, b.observed);
  EXPECT_EQ(a.expected, b.expected);
  EXPECT_EQ(std::bit_cast<Bits>(a.ulp), std::bit_cast<Bits>(b.ulp)) << a.ulp << " " << b.ulp;
  EXPECT_EQ(a.rule, b.rule);
  EXPECT_EQ(a.refused_by, b.refused_by);
}

void ExpectSame(const Statistics& a, const Statistics& b) {
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.answers, b.answers);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  EXPECT_EQ(a.has_worst, b.has_worst);
  ExpectSame(a.worst, b.worst);
  EXPECT_EQ(a.has_worst_allowed, b.has_worst_allowed);
  ExpectSame(a.worst_allowed, b.worst_allowed);
  EXPECT_EQ(a.over, b.over);
  EXPECT_EQ(a.flushed, b.flushed);
  EXPECT_EQ(a.derived, b.derived);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.failures_by_width, b.failures_by_width);
  ASSERT_EQ(a.recorded.size(), b.recorded.size());
  for (std::size_t i = 0; i < a.recorded.size(); ++i) ExpectSame(a.recorded[i], b.recorded[i]);
  // The report has fewer digits.
  ASSERT_EQ(a.binades.size(), b.binades.size());
  for (const auto& [exponent, binade] : a.binades) {
    ASSERT_TRUE(b.binades.contains(exponent));
    const BinadeStatistics& other = b.binades.at(exponent);
    EXPECT_EQ(binade.inputs, other.inputs) << exponent;
    EXPECT_EQ(binade.max_ulp, other.max_ulp) << exponent;
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_EQ(binade.signs[s].inputs, other.signs[s].inputs) << exponent;
      EXPECT_EQ(binade.signs[s].max_ulp, other.signs[s].max_ulp) << exponent;
      EXPECT_EQ(binade.signs[s].width, other.signs[s].width) << exponent;
    }
  }
  for (std::size_t r = 0; r < a.readings.size(); ++r) {
    EXPECT_EQ(a.readings[r].failures, b.readings[r].failures);
    EXPECT_EQ(a.readings[r].has_first, b.readings[r].has_first);
    ExpectSame(a.readings[r].first, b.readings[r].first);
  }
}

// A device, and a text to judge it by.
const JudgeOptions kOptions[] = {
    {.reading = Reading::kOpenClC},
    {.profile = Profile::kEmbedded, .denormals = false, .reading = Reading::kEnvironment},
    {.reading = Reading::kSuite},
    {.denormals = false, .reading = Reading::kOpenClC},
    {.math = MathMode::kRelaxed, .denormals = false, .reading = Reading::kEnvironment},
};

bool HasLimits(const Operation& operation, const JudgeOptions& options) {
  MathOptions build = options.build;
  if (options.math == MathMode::kRelaxed) build.SetFastRelaxedMath();
  return FindLimit(operation, options.profile, build, options.reading) != nullptr;
}

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kTurns = 2, kEvery = 7;
#else
constexpr std::size_t kTurns = 6, kEvery = 1;
#endif

constexpr std::uint32_t kStarts[] = {0x00000000, 0x00400000, 0x0c000000, 0x24000000, 0x32800000,
                                     0x35000123, 0x3d4ccccd, 0x3f7ff400, 0x3f800000, 0x3fc90000,
                                     0x401d3c00, 0x40490000, 0x41200000, 0x42b10000, 0x44800000,
                                     0x4b000000, 0x4d000000, 0x60000000, 0x7f7ffe00};

bool HasScreens(const JudgePanel& panel) {
  for (int result = 0; result < panel.judge().operation().ResultCount(); ++result) {
    if (!Screen::Find(panel, result)) return false;
  }
  return true;
}

bool IsUnary(const numerics::FunctionInfo& info) {
  return info.operands.size() == 1 && info.operands != "V" && info.Supports(Format::kFloat);
}

// Every function, fault and kind of options meets every other, but not at every place.
TEST(ScreenTest, TheStatisticsAreThoseOfEveryItem) {
  int looked_at = 0;
  std::size_t turn = 0;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (!IsUnary(info)) continue;
    const Operation operation = Operation::Builtin(info.function, Format::kFloat);
    for (const JudgeOptions& options : kOptions) {
      if (!HasLimits(operation, options)) continue;
      const JudgePanel panel(operation, options);
      if (!HasScreens(panel)) continue;
      ++looked_at;
      for (std::size_t n = 0; n < kTurns; ++n, ++turn) {
        const Fault fault = kFaults[turn % std::size(kFaults)];
        const std::uint32_t sign = turn / 5 % 2 == 0 ? 0 : 0x80000000;
        const std::uint32_t start = kStarts[turn * 7 % std::size(kStarts)] | sign;
        SCOPED_TRACE(testing::Message()
                     << operation.Name() << " from " << start << " with fault "
                     << static_cast<int>(fault) << " and options " << &options - kOptions);
        const Batch batch = BatchFrom(panel.judge(), start, fault);
        ExpectSame(Judging(panel, {1}, 10, 1).JudgeBatch(batch),
                   Judging(panel, {1}, 10, 1, false).JudgeBatch(batch));
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(looked_at, 170);
}

// Every fault, in one result or in both, with a result that was not written or with all; in two
// widths that have the same answers.
TEST(ScreenTest, TwoResultsAreJudgedAsOneByOne) {
  int looked_at = 0;
  std::size_t turn = 0;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (!IsUnary(info) || info.results.size() != 2) continue;
    const Operation operation = Operation::Builtin(info.function, Format::kFloat);
    ++looked_at;
    for (const JudgeOptions& options : kOptions) {
      if (!HasLimits(operation, options)) continue;
      const JudgePanel panel(operation, options);
      for (const Fault fault : kFaults) {
        for (unsigned faulty = 1; faulty <= 3; ++faulty, ++turn) {
          if (turn % kEvery != 0) continue;
          const std::uint32_t sign = turn % 2 == 0 ? 0 : 0x80000000;
          const std::uint32_t start = kStarts[turn * 5 % std::size(kStarts)] | sign;
          SCOPED_TRACE(testing::Message() << operation.Name() << " from " << start << " with fault "
                                          << static_cast<int>(fault) << " in results " << faulty
                                          << " and options " << &options - kOptions);
          Batch batch = BatchFrom(panel.judge(), start, fault, faulty, turn % 4 != 0);
          batch.outputs.push_back(batch.outputs[0]);
          batch.unwritten.push_back(batch.unwritten[0]);
          batch.asked = batch.answered = {true, true};
          ExpectSame(Judging(panel, {1, 4}, 3, 1).JudgeBatch(batch),
                     Judging(panel, {1, 4}, 3, 1, false).JudgeBatch(batch));
          if (HasFailure()) return;
        }
      }
    }
  }
  EXPECT_EQ(looked_at, 5);
}

// Most answers are refused: as many as are to be recorded are, in two widths.
TEST(ScreenTest, WhatIsRefusedAtSightIsCountedAsOneByOne) {
  std::size_t turn = 0;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (!IsUnary(info)) continue;
    const Operation operation = Operation::Builtin(info.function, Format::kFloat);
    for (const JudgeOptions& options : kOptions) {
      if (!HasLimits(operation, options)) continue;
      const JudgePanel panel(operation, options);
      for (const Fault fault : {Fault::kTwo, Fault::kFar, Fault::kMostly}) {
        for (const std::size_t max_failures : {0, 1, 10, 1500}) {
          if (++turn % kEvery != 0) continue;
          const std::uint32_t start = kStarts[turn * 5 % std::size(kStarts)];
          SCOPED_TRACE(testing::Message() << operation.Name() << " from " << start << " with fault "
                                          << static_cast<int>(fault) << ", options "
                                          << &options - kOptions << ", failures " << max_failures);
          Batch batch = BatchFrom(panel.judge(), start, fault);
          batch.outputs.push_back(batch.outputs[0]);
          batch.unwritten.emplace_back();
          batch.asked = batch.answered = {true, true};
          ExpectSame(Judging(panel, {1, 4}, max_failures, 1).JudgeBatch(batch),
                     Judging(panel, {1, 4}, max_failures, 1, false).JudgeBatch(batch));
          if (HasFailure()) return;
        }
      }
    }
  }
}

// Wherever the largest error stands, and of whichever result it is.
TEST(ScreenTest, TheWorstMayBeTheSecondResult) {
  const JudgePanel panel(Operation::Builtin(Function::sincos, Format::kFloat), {});
  std::array<int, 2> seen{};
  for (const std::uint32_t start : kStarts) {
    for (unsigned faulty = 1; faulty <= 2; ++faulty) {
      SCOPED_TRACE(testing::Message() << "from " << start << ", " << faulty);
      Batch batch = BatchFrom(panel.judge(), start, Fault::kOne, faulty);
      batch.count = 2048;  // no random operands
      const Statistics statistics = Judging(panel, {1}, 10, 1).JudgeBatch(batch);
      ExpectSame(statistics, Judging(panel, {1}, 10, 1, false).JudgeBatch(batch));
      ++seen[static_cast<std::size_t>(statistics.worst.result)];
    }
  }
  EXPECT_GT(seen[0], 9);
  EXPECT_GT(seen[1], 9);
}

// Where the function nearly stands still or goes with the operand, too.
TEST(ScreenTest, ErrorsOfAnySizeAreMeasured) {
  std::uint32_t sign = 0;
  for (const Function function :
       {Function::native_sin, Function::native_cos, Function::native_exp, Function::half_tan}) {
    const JudgePanel panel(Operation::Builtin(function, Format::kFloat), {});
    for (const std::uint32_t start : kStarts) {
      for (const Fault fault : {Fault::kCoarse, Fault::kSame, Fault::kTwo}) {
        SCOPED_TRACE(testing::Message() << panel.judge().operation().Name() << " from "
                                        << (start | sign) << ", " << static_cast<int>(fault));
        Batch batch = BatchFrom(panel.judge(), start | sign, fault);
        batch.count = 2048;  // of a place, random operands may hide what the neighbours do
        ExpectSame(Judging(panel, {1}, 10, 1).JudgeBatch(batch),
                   Judging(panel, {1}, 10, 1, false).JudgeBatch(batch));
        if (HasFailure()) return;
        sign ^= 0x80000000;
      }
    }
  }
}

// Values around numbers and midpoints, by some units in the last place of a double.
TEST(ScreenTest, MeasuresAsTheReferenceDoes) {
  const Operation operation = Operation::Builtin(Function::cos, Format::kFloat);
  const JudgePanel panel(operation, {});
  std::mt19937_64 random(1);
  auto screened = std::make_unique<Screened>();
  const double refused_froms[] = {std::numeric_limits<double>::infinity(), *panel.RefusedFrom()};
  for (const double relative_error : {0x1p-52, 0x1.8p-50, 0x1p-46}) {
    for (int repeat = 0; repeat < 64; ++repeat) {
      const double refused_from = refused_froms[repeat % 2];
      std::vector<double> values(kScreenItems);
      std::vector<std::uint32_t> observed(kScreenItems);
      for (std::size_t i = 0; i < kScreenItems; ++i) {
        const Bits sign = random() << 63;
        const Bits exponent = 1023 - 130 + random() % 262;
        Bits mantissa = random() >> 12;
        if (i % 2 == 0) mantissa = (mantissa >> 28 << 28) + random() % 512 - 256;
        values[i] = std::bit_cast<double>(sign | ((exponent << 52) + mantissa));
        const auto near = std::bit_cast<std::uint32_t>(static_cast<float>(values[i]));
        observed[i] = near + static_cast<std::uint32_t>(random() % (i % 3 == 0 ? 12 : 3)) - 1;
        if (i % 64 == 5) observed[i] = static_cast<std::uint32_t>(random());
        if (i % 64 == 6) values[i] = std::numeric_limits<double>::quiet_NaN();
        if (i % 128 == 6) observed[i] = 0x7fc00001;
      }
      const MeasureTask task{
          .observed = reinterpret_cast<const float*>(observed.data()),
          .values = values.data(),
          .error_units = static_cast<std::int64_t>(numerics::internal::ErrorUnits(relative_error)),
          .limit = *panel.LimitOfAll(),
          .refused_from = refused_from};
      for (const auto set :
           {numerics::VectorSet::kSse2, numerics::VectorSet::kAvx2, numerics::VectorSet::kAvx512}) {
        if (!numerics::HasVectorSet(set)) continue;
        ScreenColumnsOf(set).measure(task, screened.get());
        double most = -1;
        std::size_t open = 0, refused = 0;
        for (std::size_t i = 0; i < kScreenItems; ++i) {
          SCOPED_TRACE(testing::Message() << values[i] << " and " << observed[i]);
          numerics::Exact exact;
          double ulp = 0;
          const bool is_nan = std::isnan(values[i]);
          if (is_nan) exact = numerics::Exact::Nan();
          const bool is_known =
              is_nan || numerics::Locate(Format::kFloat, values[i], relative_error, &exact);
          const bool is_right = is_known && panel.judge().QuickAccept(exact, observed[i], 0, &ulp);
          const bool is_open = open < screened->open_count && screened->open[open] == i;
          open += is_open ? 1 : 0;
          // Beside subnormal numbers, and above the largest, more is open.
          const bool is_ordinary =
              is_nan || (std::fabs(values[i]) >= 0x1p-126 && std::fabs(values[i]) < 0x1.fffffep127);
          bool is_refused = false;
          if (is_known && !is_nan && !is_right && is_ordinary &&
              numerics::IsFinite(Format::kFloat, observed[i])) {
            ulp = numerics::UlpError(exact, Format::kFloat, observed[i]);
            is_refused = ulp > refused_from;
          }
          if (is_refused) {
            const std::array args{Bits{0x3f800000}}, answers{Bits{observed[i]}};
            const Outcome outcome = panel.judge().Item(args, {&exact, 1}, answers, 0);
            ASSERT_EQ(outcome.rule, Rule::kOverLimit);
            ASSERT_EQ(outcome.ulp, ulp);
          }
          refused += is_refused ? 1 : 0;
          ASSERT_EQ(is_open, !(is_right || is_refused) || !is_ordinary);
          const double error = is_open || is_nan ? -1 : ulp;
          ASSERT_EQ(screened->errors[i], error);
          most = std::max(most, error);
        }
        ASSERT_EQ(screened->refused_count, refused);
        ASSERT_EQ(screened->most, most);
        ASSERT_EQ(screened->errors[screened->first], most);
      }
    }
  }
}

// Operands around those where rounding to integers changes, and random ones of every binade.
std::vector<std::uint32_t> OperandsOfRounding() {
  std::vector<std::uint32_t> operands;
  std::mt19937 random(1);
  for (std::uint32_t field = 0; field < 512; ++field) {
    for (int i = 0; i < 256; ++i) operands.push_back(field << 23 | random() >> 9);
  }
  for (int quarters = 0; quarters < 16384; ++quarters) {
    for (const int step : {-1, 0, 1}) {
      const float number = static_cast<float>(quarters) / 4;
      const auto bits = std::bit_cast<std::uint32_t>(number) + static_cast<std::uint32_t>(step);
      operands.push_back(bits);
      operands.push_back(bits ^ 0x80000000);
    }
  }
  for (std::uint32_t power = 0; power < 23; ++power) operands.push_back(1u << power);
  operands.resize((operands.size() + kScreenItems - 1) / kScreenItems * kScreenItems, 0x3f800001);
  return operands;
}

// Which items are open, and the errors of the others.
TEST(ScreenTest, RoundedFunctionsAreThoseOfTheReference) {
  const std::vector<std::uint32_t> operands = OperandsOfRounding();
  const std::size_t count = operands.size();
  int looked_at = 0;
  for (const numerics::FunctionInfo& info : numerics::AllFunctions()) {
    if (!IsUnary(info) || info.function == Function::nan) continue;
    const Operation operation = Operation::Builtin(info.function, Format::kFloat);
    const JudgePanel panel(operation, {});
    const numerics::ConstColumn inputs{operation.Inputs()[0], operands.data()};
    const std::size_t results = info.results.size();
    std::vector<numerics::Exact> exact(count * results);
    for (std::size_t r = 0; r < results; ++r) {
      const auto screen = Screen::Find(panel, static_cast<int>(r));
      if (!screen || !screen->IsOfRounded()) continue;
      SCOPED_TRACE(testing::Message() << info.name << ", result " << r);
      ++looked_at;
      numerics::BatchEvaluator(operation).Evaluate({&inputs, 1}, 0, count, exact.data());
      std::vector<std::uint32_t> answers(count), wrong(count);
      for (std::size_t i = 0; i < count; ++i) {
        const Bits answer = panel.judge().Expected(exact[i * results + r], static_cast<int>(r));
        answers[i] = static_cast<std::uint32_t>(answer);
        wrong[i] = answers[i] ^ 1u << i % 32;
      }
      const numerics::Slot slot = operation.Outputs()[r];
      auto screened = std::make_unique<Screened>();
      for (std::size_t begin = 0; begin < count; begin += kScreenItems) {
        ASSERT_TRUE(screen->Measure(inputs, {slot, wrong.data()}, begin, screened.get()));
        ASSERT_EQ(screened->open_count, kScreenItems) << " from " << begin;
        ASSERT_TRUE(screen->Measure(inputs, {slot, answers.data()}, begin, screened.get()));
        std::size_t due = 0;
        for (std::size_t i = begin; i < begin + kScreenItems; ++i) {
          const std::uint32_t magnitude = operands[i] & 0x7fffffff;
          double ulp = -1;
          if (magnitude == 0 || magnitude >= 0x7f800000) {
            ++due;
          } else {
            ASSERT_TRUE(panel.judge().QuickAccept(exact[i * results + r], answers[i],
                                                  static_cast<int>(r), &ulp));
            if (std::isnan(ulp)) ulp = -1;
          }
          ASSERT_EQ(screened->errors[i - begin], ulp) << operands[i];
        }
        ASSERT_EQ(screened->open_count, due) << " from " << begin;
      }
    }
  }
  EXPECT_EQ(looked_at, 16);
}

}  // namespace
}  // namespace assay::oracle
