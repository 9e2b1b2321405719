// The command line of one shard, from that of the whole validation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

// An option that is taken off a command line.
struct TakenOption {
  std::string_view name;
  bool has_value = true;
};

// The words without these options and their values, written as `--name value` or `--name=value`.
std::vector<std::string> Without(const std::vector<std::string>& words,
                                 const std::vector<TakenOption>& options);

// Those of `validate` that are the parent's, and not a shard's.
std::vector<std::string> ShardWords(const std::vector<std::string>& words);

// Where the shards of a report are kept: beside it.
std::string ShardFolder(const std::string& report);
std::string ShardPath(const std::string& folder, std::uint64_t index);

// This program, for other processes and machines.
Expected<std::string> OwnProgram();

// Which shards are not in the folder, or are damaged there.  A file of another run is kUsage: what
// is in the folder would be lost.  `count`: of how many.
Expected<std::vector<std::uint64_t>> MissingIn(const std::string& folder, std::uint64_t count);

}  // namespace assay::tools
