#include "oracle/sweep/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "oracle/campaign/results_json.h"

namespace assay::oracle {
namespace {

using numerics::kInfinity;

Sighting At(std::uint64_t item, int width, int result, double ulp) {
  Sighting sighting;
  sighting.item = item;
  sighting.width = width;
  sighting.result = result;
  sighting.ulp = ulp;
  return sighting;
}

std::vector<std::uint64_t> ItemsOf(const std::vector<Sighting>& sightings) {
  std::vector<std::uint64_t> items;
  for (const Sighting& sighting : sightings) items.push_back(sighting.item);
  return items;
}

TEST(StatisticsTest, WorstIsTheLargestErrorAndTheFirstOfEquals) {
  Statistics statistics;
  EXPECT_FALSE(statistics.has_worst);
  statistics.OfferWorst(At(7, 1, 0, 1.5));
  statistics.OfferWorst(At(9, 1, 0, 2.5));
  statistics.OfferWorst(At(8, 1, 0, 2.0));
  EXPECT_EQ(statistics.worst.item, 9u);
  statistics.OfferWorst(At(12, 1, 0, 2.5));
  EXPECT_EQ(statistics.worst.item, 9u) << "a later equal does not replace it";
  statistics.OfferWorst(At(9, 1, 1, 2.5));
  EXPECT_EQ(statistics.worst.result, 0);
  statistics.OfferWorst(At(3, 16, 1, 2.5));
  EXPECT_EQ(statistics.worst.item, 3u) << "an earlier equal does";
  EXPECT_EQ(statistics.max_ulp, 2.5);
  statistics.OfferWorst(At(20, 1, 0, kInfinity));
  EXPECT_EQ(statistics.max_ulp, kInfinity);
}

TEST(StatisticsTest, AllowedErrorsStandBesideTheWorst) {
  Statistics statistics;
  EXPECT_EQ(statistics.WorstOfAll(), nullptr);
  statistics.OfferWorst(At(7, 1, 0, 4500));
  EXPECT_EQ(statistics.WorstOfAll()->ulp, 4500);
  Statistics other;
  other.OfferWorstAllowed(At(8, 1, 0, 9000));
  other.OfferWorstAllowed(At(6, 1, 0, 8000));
  other.AddFailureOf(Reading::kSuite, At(30, 1, 0, 1), true);
  statistics.AddFailureOf(Reading::kSuite, At(20, 1, 0, 1), true);
  statistics.AddFailureOf(Reading::kSuite, At(10, 1, 0, 1), false);
  statistics.Merge(other, 10);
  EXPECT_EQ(statistics.WorstOfAll()->item, 8u);
  EXPECT_EQ(statistics.max_ulp, 4500);
  const ReadingStatistics& suite = statistics.readings[static_cast<std::size_t>(Reading::kSuite)];
  EXPECT_EQ(suite.failures, 3u);
  EXPECT_EQ(suite.first.item, 20u) << "the first that the run's own reading accepts";
}

TEST(StatisticsTest, AnErrorOfZeroIsAWorstToo) {
  Statistics statistics;
  statistics.OfferWorst(At(5, 1, 0, 0));
  EXPECT_TRUE(statistics.has_worst);
  EXPECT_EQ(statistics.worst.item, 5u);
}

TEST(StatisticsTest, KeepsTheFirstFailuresInPlanOrder) {
  Statistics statistics;
  for (std::uint64_t item : {50, 10, 40, 20, 30, 60}) {
    statistics.AddFailure(At(item, 1, 0, 9), 3);
  }
  statistics.AddFailure(At(10, 4, 0, 9), 3);
  EXPECT_EQ(statistics.failures, 7u);
  EXPECT_EQ(statistics.failures_by_width, (std::map<int, std::uint64_t>{{1, 6}, {4, 1}}));
  std::vector<std::uint64_t> items = ItemsOf(statistics.recorded);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, (std::vector<std::uint64_t>{10, 10, 20}));
}

TEST(StatisticsTest, NoFailureIsKeptWhereNoneIsWanted) {
  Statistics statistics;
  statistics.AddFailure(At(1, 1, 0, 9), 0);
  EXPECT_EQ(statistics.failures, 1u);
  EXPECT_TRUE(statistics.recorded.empty());
}

// One part of a sweep with random contents.
Statistics RandomPart(std::mt19937_64& random, std::uint64_t first_item) {
  Statistics part;
  part.inputs = random() % 100;
  part.answers = part.inputs * 6;
  part.flushed = random() % 3;
  part.derived = random() % 3;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const int width = 1 << random() % 3;
    const Sighting sighting = At(first_item + random() % 50, width, static_cast<int>(random() % 2),
                                 static_cast<double>(random() % 4));
    part.OfferWorst(sighting);
    if (sighting.ulp > 1) part.AddFailure(sighting, 5);
    part.over[random() % part.over.size()] += 1;
    BinadeStatistics& binade = part.binades[static_cast<int>(random() % 7) - 3];
    ++binade.inputs;
    binade.max_ulp = std::max(binade.max_ulp, sighting.ulp);
  }
  return part;
}

// Threads finish in any order: the sum must not depend on it, nor on how the parts are grouped.
TEST(StatisticsTest, MergingIsIndependentOfOrderAndGrouping) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Statistics> parts;
    for (std::uint64_t p = 0; p < 6; ++p) parts.push_back(RandomPart(random, p * 50));
    const auto in_order = [](const std::vector<Statistics>& all) {
      Statistics total;
      for (const Statistics& part : all) total.Merge(part, 5);
      return ToCheckpoint(total).dump();
    };
    const std::string expected = in_order(parts);
    std::vector<Statistics> shuffled = parts;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    EXPECT_EQ(in_order(shuffled), expected);
    std::vector<Statistics> grouped(2);
    for (std::size_t p = 0; p < parts.size(); ++p) grouped[p % 2].Merge(parts[p], 5);
    EXPECT_EQ(in_order(grouped), expected);
  }
}

TEST(StatisticsTest, MergingKeepsTheLimitOfFailures) {
  Statistics a, b;
  for (std::uint64_t i = 0; i < 4; ++i) {
    a.AddFailure(At(2 * i, 1, 0, 9), 4);
    b.AddFailure(At(2 * i + 1, 1, 0, 9), 4);
  }
  a.Merge(b, 4);
  EXPECT_EQ(a.failures, 8u);
  EXPECT_EQ(ItemsOf(a.recorded), (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace assay::oracle
