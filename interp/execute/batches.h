// The batches of one thread: their registers, private variables and records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "interp/execute/built_ins.h"
#include "interp/execute/launch_state.h"
#include "interp/execute/running_batch.h"
#include "interp/execute/watchers.h"
#include "interp/execute/worker_memory.h"

namespace assay::interp {

class Batches {
 public:
  // `group` is the one that the worker runs.
  Batches(LaunchState* launch, const GroupPosition* group, const WorkerMemory* memory,
          Watchers* watchers, Worker* worker)
      : launch_(*launch),
        program_(*launch->program),
        group_(*group),
        memory_(*memory),
        watchers_(*watchers),
        worker_(worker) {}

  // Null: the launch stops.
  RunningBatch* At(std::size_t index);
  // Puts `count` work-items of the group, from local id `first` on, before the first block.
  void Prepare(RunningBatch& running, std::uint64_t first, std::uint64_t count);
  // The same with all work-items of so many groups, from the worker's on; they are of its size.
  void PrepareGroups(RunningBatch& running, std::uint64_t groups);
  std::span<const std::unique_ptr<RunningBatch>> all() const { return batches_; }

 private:
  bool Add();
  void PutAtBegin(RunningBatch& running, std::uint64_t count);

  LaunchState& launch_;
  const Program& program_;
  const GroupPosition& group_;
  const WorkerMemory& memory_;
  Watchers& watchers_;
  Worker* worker_;
  std::vector<std::unique_ptr<RunningBatch>> batches_;
  LanesOfGroups lanes_;  // of batches with several groups
};

}  // namespace assay::interp
