// `assay validate --shard I/N` and `--shards N`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "numerics/operation.h"
#include "oracle/campaign/campaign.h"
#include "tools/assay/validate_options.h"

namespace assay::tools {

// The shard that is asked for; kUsage where other options do not go with it.
Expected<std::optional<oracle::Shard>> ShardOf(const ValidateOptions& options);

// The file of a shard; nothing is written of one that was interrupted, whose checkpoint remains.
Expected<void> WriteShard(const ValidateOptions& options, const oracle::Report& report);

// Without the operations of which the shard has no item.
oracle::Report AskedOf(const oracle::Report& report);

// --shards N: runs all of them and merges; the exit code.
int ValidateInShards(const ValidateOptions& options);

// In how many shards `operations` are asked though the user asked for none; 0: in one process.  The
// functions of a library may not be called by several threads at once, so all floats are divided
// among processes, one for each processor.
int ShardsByThemselves(const ValidateOptions& options,
                       const std::vector<numerics::Operation>& operations);
int ValidateInOwnShards(const ValidateOptions& options, int shards);

}  // namespace assay::tools
