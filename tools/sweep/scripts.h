// The scripts by which a queue or GNU parallel runs the shards of a validation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::tools {

struct SweepPlan {
  std::string program;
  std::vector<std::string> words;  // `validate` and its options, without those of a shard
  std::string report;              // absolute
  std::string folder;              // of the shards and the scripts, absolute
  std::string origin;              // the folder in which relative paths of the options begin
  std::uint64_t count = 1;
};

// Asks the shard of its first argument, from its checkpoint if there is one; does nothing if the
// shard's file is there.  Writes messages beside that file (.log), and the code of a run that gave
// no result (.code).
std::string ShardScript(const SweepPlan& plan);
// What sbatch is given.
std::string SlurmScript(const SweepPlan& plan);
// Runs all with GNU parallel, which gets the script's arguments, and merges.
std::string ParallelScript(const SweepPlan& plan);

inline constexpr const char* kShardScript = "shard.sh";
inline constexpr const char* kSlurmScript = "slurm.sh";
inline constexpr const char* kParallelScript = "parallel.sh";

// Writes a script that can be executed.
Expected<void> WriteScript(const std::string& path, const std::string& text);

}  // namespace assay::tools
