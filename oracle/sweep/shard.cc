#include "oracle/sweep/shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "oracle/inputs/random.h"

namespace assay::oracle {

Expected<Shard> ShardFromText(std::string_view text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  const auto read = [](std::string_view digits, std::uint64_t* number) {
    const char* const end = digits.data() + digits.size();
    const auto [stopped, error] = std::from_chars(digits.data(), end, *number);
    return !digits.empty() && error == std::errc() && stopped == end;
  };
  const bool good = slash != std::string_view::npos && read(text.substr(0, slash), &shard.index) &&
                    read(text.substr(slash + 1), &shard.count);
  if (!good) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no shard: write I/N, such as 3/7, the third of seven", text));
  }
  if (shard.count < 1 || shard.count > kMaxShards) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': the number of shards is 1 to {}", text, kMaxShards));
  }
  if (shard.index < 1 || shard.index > shard.count) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': the shards are numbered 1 to {}", text, shard.count));
  }
  return shard;
}

std::string ShardText(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

std::uint64_t RankOf(const Shard& shard, const numerics::Operation& operation) {
  return (shard.index - 1 + StreamKey(operation, 0) % shard.count) % shard.count;
}

ItemRange ShareOf(const Shard& shard, const numerics::Operation& operation, std::uint64_t items) {
  const std::uint64_t blocks = items / kShardBlock + (items % kShardBlock != 0 ? 1 : 0);
  const std::uint64_t rank = RankOf(shard, operation);
  // At most 2^18 blocks for an enumeration of 2^32 items, and at most 10^5 shards.
  const auto place = [&](std::uint64_t k) {
    return std::min(blocks * k / shard.count * kShardBlock, items);
  };
  return {.first = place(rank), .end = rank + 1 == shard.count ? items : place(rank + 1)};
}

}  // namespace assay::oracle
