// Vector clocks beside maps.
#include "interp/detect/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace assay::interp {
namespace {

using Plain = std::map<std::uint64_t, std::uint32_t>;

void Raise(Plain* plain, std::uint64_t first, std::uint64_t count, std::uint32_t event) {
  for (std::uint64_t i = first; i < first + count; ++i) (*plain)[i] = std::max((*plain)[i], event);
}

TEST(Clock, KnowsNothingAtFirst) {
  const Clock clock;
  EXPECT_EQ(clock.At(0), 0u);
  EXPECT_EQ(clock.At(~std::uint64_t{0}), 0u);
}

TEST(Clock, ACopyKeepsWhatItWas) {
  Clock a;
  a.Raise(5, 1, 7);
  Clock b = a;
  a.Raise(5, 1, 9);
  a.Raise(1000, 1, 1);
  EXPECT_EQ(b.At(5), 7u);
  EXPECT_EQ(b.At(1000), 0u);
  EXPECT_EQ(a.At(5), 9u);
  EXPECT_EQ(a.At(1000), 1u);
}

TEST(Clock, JoiningWhatIsKnownChangesNothing) {
  Clock a;
  a.Raise(0, 256, 3);
  Clock b;
  b.Raise(17, 5, 2);
  const Clock before = a;
  a.Join(b);
  EXPECT_TRUE(a.Shares(before));
  b.Join(a);
  EXPECT_TRUE(b.Shares(a)) << "it knew nothing that the other one did not";
}

// Whatever is done to some clocks, each gives what a map gives.
TEST(Clock, IsAMapOfMaxima) {
  std::mt19937 random(1);
  for (const std::uint64_t items : {1, 16, 17, 300, 70000}) {
    std::vector<Clock> clocks(6);
    std::vector<Plain> plains(6);
    const auto number = [&](std::uint64_t end) { return random() % end; };
    for (std::uint32_t event = 1; event < 400; ++event) {
      const std::size_t to = number(6), from = number(6);
      switch (number(4)) {
        case 0: {
          const std::uint64_t first = number(items);
          const std::uint64_t most = std::min<std::uint64_t>(items - first, 300);
          const std::uint64_t count = number(2) == 0 ? 1 : number(most) + 1;
          clocks[to].Raise(first, count, event);
          Raise(&plains[to], first, count, event);
          break;
        }
        case 1:
          clocks[to] = clocks[from];
          plains[to] = plains[from];
          break;
        default:
          clocks[to].Join(clocks[from]);
          for (const auto& [item, other] : plains[from]) Raise(&plains[to], item, 1, other);
      }
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t item = number(items + 3);
        const auto found = plains[to].find(item);
        ASSERT_EQ(clocks[to].At(item), found == plains[to].end() ? 0 : found->second);
      }
    }
  }
}

}  // namespace
}  // namespace assay::interp
