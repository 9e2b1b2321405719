// The shards of a validation as job arrays of Slurm.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "tools/sweep/scripts.h"

namespace assay::tools {

struct SlurmOptions {
  std::vector<std::string> sbatch;  // options for it
  int rounds = 5;                   // job arrays at most, each of what is missing
  double poll_seconds = 5;
  double patience_seconds = 600;  // that the controller may be away
};

// "1-7,9,12-13": how sbatch names the tasks of an array.
std::string ArrayOf(const std::vector<std::uint64_t>& indices);

// What squeue says of a job: the tasks that are not over, and those that are held since their start
// failed.
struct QueueState {
  std::uint64_t alive = 0;
  std::uint64_t held = 0;
};
QueueState QueueStateFrom(std::string_view output);

// Submits what is missing, waits, and submits again what has given no result.  `progress`: of
// shards that are there.  kUsage where a shard says that the options are wrong; kDevice where
// shards are missing after the last round, or the controller does not answer: the message has the
// last words. False: interrupted, and the jobs are cancelled.
Expected<bool> RunOnSlurm(const SweepPlan& plan, const SlurmOptions& options,
                          const std::function<void(std::uint64_t there)>& progress);

}  // namespace assay::tools
