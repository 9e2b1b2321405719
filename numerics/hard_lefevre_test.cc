#include "numerics/hard_lefevre.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "numerics/evaluate.h"
#include "numerics/function.h"
#include "numerics/hardness.h"

namespace assay::numerics {
namespace {

TEST(FirstInRange, AgreesWithTrying) {
  std::mt19937_64 random(20240611);
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t m = 2 + random() % (round % 2 == 0 ? 50 : 100000), a = random() % m;
    const std::uint64_t low = random() % m;
    const std::uint64_t high = std::min(m - 1, low + random() % (1 + m / 20)), n = random() % 300;
    std::uint64_t expected = 0;
    while (expected < n && (a * expected % m < low || a * expected % m > high)) ++expected;
    ASSERT_EQ(FirstInRange(a, m, low, high, n), low == 0 ? 0 : expected)
        << a << " " << m << " " << low << " " << high << " " << n;
  }
}

// All hits in the operands that a few lines cover, against MPFR at each of them.
void ExpectEveryHit(Function function, double from, double bound) {
  const Operation operation = Operation::Builtin(function, Format::kDouble);
  const Bits first = FromDouble(Format::kDouble, from);
  const auto run = SearchConsecutive(operation, first, 16, bound);
  ASSERT_TRUE(run) << from;
  std::map<Bits, double> found;
  for (const LefevreHit& hit : run->hits) found[hit.operand] = hit.distance;
  std::size_t expected = 0;
  const std::uint64_t count = std::min<std::uint64_t>(run->searched, 1 << 14);
  for (Bits operand = first; operand < first + count; ++operand) {
    Exact exact;
    EvaluateExact(operation, {&operand, 1}, {&exact, 1});
    const double f = exact.fraction;
    const double distance = std::min({f, std::fabs(f - 0.5), 1 - f});
    if (distance > bound * 0.99) continue;
    ++expected;
    ASSERT_TRUE(found.contains(operand)) << Info(function).name << " " << std::hex << operand;
    EXPECT_NEAR(found[operand], distance, bound / 8);
  }
  EXPECT_GT(expected, 0u) << Info(function).name << " of " << count << " is never hard";
  EXPECT_EQ(run->skipped, 0u);
}

TEST(SearchConsecutive, FindsTheSameAsMpfr) {
  ExpectEveryHit(Function::exp, 1.4, 0x1p-12);
  ExpectEveryHit(Function::exp, 100.3, 0x1p-12);
  ExpectEveryHit(Function::sin, 2.7, 0x1p-12);
  ExpectEveryHit(Function::log, 0.0123, 0x1p-12);
  ExpectEveryHit(Function::tgamma, -2.4, 0x1p-12);
}

TEST(SearchConsecutive, HitsAreAsHardAsTheySay) {
  const Operation operation = Operation::Builtin(Function::cbrt, Format::kDouble);
  const auto run = SearchConsecutive(operation, 0x3ff3c00000000000, 1 << 10, 0x1p-30);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->searched, run->segments << 17);
  // One of 2^28 for each of the two places and sides.
  const auto expected = static_cast<double>(run->searched) * 0x1p-28;
  EXPECT_NEAR(static_cast<double>(run->hits.size()), expected, 5 * std::sqrt(expected));
  for (const LefevreHit& hit : run->hits) {
    const Hardness hardness = MeasureHardness(operation, {&hit.operand, 1})[0];
    EXPECT_NEAR(hit.to_midpoint ? hardness.to_midpoint : hardness.to_number, hit.distance, 0x1p-34);
  }
}

TEST(SearchConsecutive, RefusesFunctionsThatAreNotSmooth) {
  const auto search = [](Function function, double from) {
    return SearchConsecutive(Operation::Builtin(function, Format::kDouble),
                             FromDouble(Format::kDouble, from), 16, 0x1p-30);
  };
  EXPECT_FALSE(search(Function::log, -1));
  EXPECT_FALSE(search(Function::exp, -740));  // subnormal
  EXPECT_FALSE(search(Function::sin, 0x1p30));
}

TEST(SearchConsecutive, SkipsResultsThatFollowTheNumbers) {
  const auto run = SearchConsecutive(Operation::Builtin(Function::sin, Format::kDouble),
                                     FromDouble(Format::kDouble, 0x1.8p-40), 16, 0x1p-30);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->skipped, run->searched);
  EXPECT_TRUE(run->hits.empty());
}

}  // namespace
}  // namespace assay::numerics
