#include "oracle/sweep/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "numerics/function.h"

namespace assay::oracle {
namespace {

using numerics::Format;
using numerics::Function;
using numerics::Operation;
using testing::HasSubstr;

const Operation kExp = Operation::Builtin(Function::exp, Format::kFloat);

// Every item is in exactly one shard, and shards begin where vectors of every width do.
TEST(ShardTest, SharesCoverTheItemsOnce) {
  for (const std::uint64_t items :
       {std::uint64_t{1}, kShardBlock - 1, kShardBlock, 7 * kShardBlock + 5, std::uint64_t{1} << 32,
        (std::uint64_t{1} << 32) + 12345}) {
    for (const std::uint64_t count : {1u, 2u, 7u, 100u, 4096u}) {
      std::vector<ItemRange> by_rank(count);
      for (std::uint64_t index = 1; index <= count; ++index) {
        const Shard shard{.index = index, .count = count};
        const std::uint64_t rank = RankOf(shard, kExp);
        ASSERT_LT(rank, count);
        by_rank[rank] = ShareOf(shard, kExp, items);
      }
      std::uint64_t next = 0;
      for (const ItemRange& range : by_rank) {
        ASSERT_EQ(range.first, next) << items << " in " << count;
        ASSERT_LE(range.first, range.end);
        ASSERT_TRUE(range.IsEmpty() || range.first % 48 == 0);
        next = range.end;
      }
      ASSERT_EQ(next, items);
    }
  }
}

// A function of one block is the work of one shard, and of different shards for different
// functions.
TEST(ShardTest, SmallOperationsAreSpread) {
  const std::uint64_t count = 16;
  std::vector<int> shards_with_work(count);
  for (const Function function : {Function::sin, Function::cos, Function::exp, Function::log,
                                  Function::tan, Function::sqrt, Function::fabs, Function::rint}) {
    int with_work = 0;
    for (std::uint64_t index = 1; index <= count; ++index) {
      const Operation operation = Operation::Builtin(function, Format::kFloat);
      if (ShareOf({.index = index, .count = count}, operation, 100).IsEmpty()) continue;
      ++with_work;
      ++shards_with_work[index - 1];
    }
    EXPECT_EQ(with_work, 1);
  }
  EXPECT_LT(*std::max_element(shards_with_work.begin(), shards_with_work.end()), 8);
}

TEST(ShardTest, ReadsTexts) {
  const auto shard = ShardFromText("3/7");
  ASSERT_TRUE(shard);
  EXPECT_EQ(*shard, (Shard{.index = 3, .count = 7}));
  EXPECT_EQ(ShardText(*shard), "3/7");
  for (const char* wrong : {"", "3", "/", "3/", "/7", "-1/7", "3/7/2", "3 /7", "a/b", "0x1/2",
                            "99999999999999999999/1"}) {
    const auto read = ShardFromText(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_THAT(read.error().message, HasSubstr("I/N")) << wrong;
  }
  EXPECT_THAT(ShardFromText("0/7").error().message, HasSubstr("1 to 7"));
  EXPECT_THAT(ShardFromText("8/7").error().message, HasSubstr("1 to 7"));
  EXPECT_THAT(ShardFromText("1/0").error().message, HasSubstr("1 to 100000"));
  EXPECT_THAT(ShardFromText("1/100001").error().message, HasSubstr("1 to 100000"));
}

}  // namespace
}  // namespace assay::oracle
