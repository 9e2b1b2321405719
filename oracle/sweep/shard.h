// Shares of a sweep that is divided over several runs: which items of an operation are whose.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "numerics/operation.h"

namespace assay::oracle {

struct Shard {
  std::uint64_t index = 1;  // 1 to count
  std::uint64_t count = 1;
  bool operator==(const Shard&) const = default;
};

inline constexpr std::uint64_t kMaxShards = 100000;

// "3/7"; kUsage where it is no such text.
Expected<Shard> ShardFromText(std::string_view text);
std::string ShardText(const Shard& shard);

// Items of a plan are dealt in blocks of so many: a multiple of the lanes of every width (48), so
// that an item stands in the same lane whatever the shards are.
inline constexpr std::uint64_t kShardBlock = std::uint64_t{48} * 341;

struct ItemRange {
  std::uint64_t first = 0, end = 0;
  bool IsEmpty() const { return first >= end; }
};

// The place of a shard in the order of an operation's items, from 0.  It differs from operation to
// operation, because one that has fewer blocks than there are shards is asked by some of them only.
std::uint64_t RankOf(const Shard& shard, const numerics::Operation& operation);

// Which of `items` items of the operation are the shard's.
ItemRange ShareOf(const Shard& shard, const numerics::Operation& operation, std::uint64_t items);

}  // namespace assay::oracle
