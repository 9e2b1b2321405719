#include "oracle/sweep/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "numerics/function.h"
#include "oracle/testing/device.h"

namespace assay::oracle {
namespace {

using numerics::Bits;
using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

const Operation kHypot = Operation::Builtin(Function::hypot, Format::kFloat);
constexpr std::uint64_t kEvaluations = 1 << 16;

SweepOptions Options(std::uint64_t samples, std::uint64_t evaluations) {
  SweepOptions options;
  options.inputs.level = Level::kSmoke;
  options.inputs.samples = samples;
  options.widths = {1};
  options.threads = 1;
  options.search_evaluations = evaluations;
  return options;
}

// Errors that grow toward one point far from where operands are drawn: `most` ulp there, half of
// it a quarter of a binade away.
Bits WrongNearAPoint(std::span<const Bits> args, double most, Bits right) {
  const double x = std::fabs(numerics::ToDouble(Format::kFloat, args[0]));
  const double y = std::fabs(numerics::ToDouble(Format::kFloat, args[1]));
  if (!(x > 0) || !(y > 0) || std::isinf(x) || std::isinf(y)) return right;
  const double far = std::fabs(std::log2(x) - std::log2(0x1.4p-83)) +
                     std::fabs(std::log2(y) - std::log2(0x1.9p-70));
  return right + static_cast<Bits>(std::floor(most * std::exp2(-4 * far)));
}

FunctionResult Answer(const SweepOptions& options, double most, const SweepHooks& hooks = {}) {
  TestingDevice device([most](std::span<const Bits> args, int, Bits right) {
    return WrongNearAPoint(args, most, right);
  });
  return SweepOperation(device, kHypot, options, hooks);
}

TEST(SearchTest, StaysInTheRange) {
  double low = 1e300, high = -1e300;
  TestingDevice device([&](std::span<const Bits> args, int, Bits right) {
    for (const Bits bits : args) {
      low = std::min(low, numerics::ToDouble(Format::kFloat, bits));
      high = std::max(high, numerics::ToDouble(Format::kFloat, bits));
    }
    return right + (args[0] & 3);
  });
  SweepOptions options = Options(1000, 4096);
  options.inputs.range = RangeEnds{"0.25", "3"};
  const FunctionResult result = SweepOperation(device, kHypot, options);
  ASSERT_TRUE(result.search);
  EXPECT_GE(result.search->evaluations, 4096u);
  EXPECT_EQ(low, 0.25);
  EXPECT_EQ(high, 3);
}

TEST(SearchTest, FindsWhatSamplingMisses) {
  const FunctionResult sampled = Answer(Options(2 * kEvaluations, 0), 32);
  EXPECT_EQ(sampled.verdict, Verdict::kPass) << "too easy: " << sampled.statistics.max_ulp;
  EXPECT_FALSE(sampled.search);
  const FunctionResult searched = Answer(Options(kEvaluations, kEvaluations), 32);
  EXPECT_EQ(searched.verdict, Verdict::kFail);
  EXPECT_GT(searched.statistics.max_ulp, 24);
  EXPECT_LE(searched.statistics.inputs, sampled.statistics.inputs);
}

TEST(SearchTest, SaysWhatItHasDone) {
  const FunctionResult before = Answer(Options(1000, 0), 32);
  const FunctionResult result = Answer(Options(1000, kEvaluations), 32);
  ASSERT_TRUE(result.search);
  const SearchResult& search = *result.search;
  EXPECT_TRUE(search.complete);
  EXPECT_EQ(search.evaluations, kEvaluations);
  EXPECT_EQ(result.statistics.inputs, before.statistics.inputs + kEvaluations);
  EXPECT_GT(search.boxes, kEvaluations / 32);
  ASSERT_TRUE(search.has_worst);
  EXPECT_GE(search.worst.item, before.statistics.inputs);
  EXPECT_EQ(search.worst.args, result.statistics.worst.args);
  EXPECT_EQ(search.worst.ulp, result.statistics.max_ulp);
}

TEST(SearchTest, ExcludesWhatIsProvenAndWhereTheDeviceIsRight) {
  const Operation pow = Operation::Builtin(Function::pow, Format::kFloat);
  TestingDevice right;
  const FunctionResult result = SweepOperation(right, pow, Options(1000, kEvaluations / 4));
  ASSERT_TRUE(result.search);
  EXPECT_GT(result.search->excluded, 0u);
  EXPECT_GT(result.search->excluded_share, 0.5) << "overflow, underflow, 1 and NaN";
  EXPECT_LT(result.search->excluded_share, 1);
  // One ulp off wherever the result is 1: 2 ulp below 1, which conforms.
  TestingDevice wrong([](std::span<const Bits>, int, Bits answer) {
    return answer == 0x3f800000 ? answer - 1 : answer;
  });
  const FunctionResult other = SweepOperation(wrong, pow, Options(1000, kEvaluations / 4));
  ASSERT_TRUE(other.search);
  EXPECT_LT(other.search->excluded_share, result.search->excluded_share - 0.125);
}

// Clock, threads and the size of the plan's batches decide nothing.
TEST(SearchTest, IsAFunctionOfAnswersSeedAndBudget) {
  SweepOptions options = Options(20000, kEvaluations / 4);
  const FunctionResult first = Answer(options, 3);
  options.threads = 2;
  options.batch_items = 960;
  const FunctionResult again = Answer(options, 3);
  ASSERT_TRUE(first.search && again.search);
  EXPECT_EQ(first.search->boxes, again.search->boxes);
  EXPECT_EQ(first.search->excluded_share, again.search->excluded_share);
  EXPECT_EQ(first.search->worst.item, again.search->worst.item);
  EXPECT_EQ(first.search->worst.args, again.search->worst.args);
  EXPECT_EQ(first.statistics.over, again.statistics.over);
  options.inputs.seed = 2;
  const FunctionResult other = Answer(options, 3);
  EXPECT_NE(first.search->worst.args, other.search->worst.args);
}

TEST(SearchTest, WhatIsEnumeratedIsNotSearched) {
  TestingDevice device;
  SweepOptions options = Options(0, 1000);
  options.inputs.level = Level::kStandard;
  const FunctionResult result =
      SweepOperation(device, Operation::Builtin(Function::sqrt, Format::kHalf), options);
  EXPECT_TRUE(result.exhaustive);
  EXPECT_FALSE(result.search);
}

TEST(SearchTest, AnInterruptedSearchIsNoVerdict) {
  std::atomic<bool> stop = false;
  const SweepHooks hooks{.stop = &stop,
                         .progress = {},
                         .searched = [&](std::uint64_t, std::uint64_t) { stop = true; }};
  const FunctionResult result = Answer(Options(1000, kEvaluations), 0, hooks);
  ASSERT_TRUE(result.search);
  EXPECT_FALSE(result.search->complete);
  EXPECT_GT(result.search->evaluations, 0u);
  EXPECT_LT(result.search->evaluations, kEvaluations);
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_THAT(result.message, HasSubstr("evaluations of the search"));
}

// A device that answers nothing any more ends the search; what it said before stands.
TEST(SearchTest, ADeviceThatFailsInTheSearch) {
  TestingDevice device(
      [](std::span<const Bits> args, int, Bits right) { return WrongNearAPoint(args, 3, right); });
  device.run_error = Error{ErrorKind::kDevice, "the driver died"};
  device.run_error_at = 10;
  const FunctionResult result = SweepOperation(device, kHypot, Options(1000, kEvaluations));
  EXPECT_EQ(result.verdict, Verdict::kNotMeasured);
  EXPECT_THAT(result.lost, testing::SizeIs(1));
  EXPECT_GT(result.statistics.inputs, 1000u);
}

// Every signature has boxes: integers, vectors, three operands, conversions, two results.
TEST(SearchTest, EverySignatureIsSearched) {
  for (const Operation& operation :
       {Operation::Builtin(Function::fma, Format::kDouble),
        Operation::Builtin(Function::ldexp, Format::kFloat),
        Operation::Builtin(Function::remquo, Format::kFloat),
        Operation::Builtin(Function::sin, Format::kDouble),
        Operation::Builtin(Function::cross, Format::kFloat, 4),
        Operation::Builtin(Function::fma, Format::kHalf),
        Operation::Convert(numerics::ScalarType::kUlong, numerics::ScalarType::kFloat),
        Operation::Convert(numerics::ScalarType::kDouble, numerics::ScalarType::kInt)}) {
    TestingDevice device;
    const FunctionResult result = SweepOperation(device, operation, Options(500, 4000));
    EXPECT_EQ(result.verdict, Verdict::kPass) << operation.Name();
    ASSERT_TRUE(result.search) << operation.Name();
    EXPECT_EQ(result.search->evaluations, 4000u) << operation.Name();
  }
}

}  // namespace
}  // namespace assay::oracle
