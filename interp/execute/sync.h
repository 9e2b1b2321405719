// Instructions that a work-group executes together: barriers, work-group functions, asynchronous
// copies and waits for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interp/execute/running_batch.h"
#include "interp/execute/watch.h"

namespace assay::interp {

class Collectives {
 public:
  explicit Collectives(Worker* worker);

  // Everyone of the group who has not returned waits; those at the end of the block execute what is
  // there and go on.
  void Execute(std::span<RunningBatch*> batches, std::uint32_t block);

 private:
  // Work-items at one instruction, and the first of them, which may speak for all.
  struct Meeting {
    std::span<RunningBatch*> batches;
    std::uint32_t block = 0;
    RunningBatch* first = nullptr;
    int first_lane = 0;
  };

  // By the names of the rows of opcodes.def.
  void ExecuteBarrier(const Meeting& meeting, const FlatSync& sync);
  void ExecuteGroup(const Meeting& meeting, const FlatSync& sync);
  void ExecuteAsyncCopy(const Meeting& meeting, const FlatSync& sync);
  void ExecuteWaitEvents(const Meeting& meeting, const FlatSync& sync);
  void ExecuteGroupPipe(const Meeting& meeting, const FlatSync& sync);
  void ExecuteInitNamedBarrier(const Meeting& meeting, const FlatSync& sync);
  void ExecuteWaitBarrier(const Meeting& meeting, const FlatSync& sync);
  // Who is there.
  static std::vector<SubgroupPart> PartsOf(const Meeting& meeting);
  void Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event);
  std::optional<std::uint64_t> BroadcastSource(const RunningBatch& running, int lane,
                                               const FlatSync& sync, std::size_t parts);

  Worker& worker_;
  const Program& program_;
  std::uint64_t events_ = 0;  // the last one that was made
};

}  // namespace assay::interp
