// Files of shards: what `assay validate --shard I/N` has measured, and what `assay merge --partial`
// has put together.  docs/cli.md has the schema.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "oracle/campaign/campaign.h"

namespace assay::oracle {

inline constexpr std::string_view kShardSchema = "assay-shard/1";

// One shard, as it stands in a file.  Its results stay as they are: merging needs them only once
// all shards are there.
struct ShardEntry {
  std::uint64_t index = 1;
  Origin origin;
  std::string device_option;         // of one driver's devices, they may differ
  nlohmann::ordered_json results{};  // ToCheckpoint of each operation
};

struct ShardFile {
  std::string path;                  // for messages
  nlohmann::ordered_json key{};      // KeyOf, without the device's option
  std::uint64_t count = 1;           // of all shards
  std::vector<ShardEntry> shards{};  // by index, which rises
};

// The file of one shard; run.options.shard tells which.
ShardFile ShardFileOf(const Report& report);

// The same shards give the same bytes.
std::string ToText(const ShardFile& file);
// kUsage with the path and the reason where it is damaged, incomplete or of another kind.
Expected<ShardFile> ShardFileFromText(std::string_view text, const std::string& path);
Expected<ShardFile> ReadShardFile(const std::string& path);

}  // namespace assay::oracle
