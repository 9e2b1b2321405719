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
  // All of a group come to the instruction in one batch, and nobody watches: they need not be put
  // aside. False for the instructions that they have to wait at.
  bool ExecuteAtOnce(RunningBatch& running, std::uint64_t lanes, const FlatSync& sync);
  // The memory scope and MemorySemantics that the lane gives to a barrier.
  static std::uint32_t MemoryScopeOf(const RunningBatch& running, int lane, const FlatSync& sync);
  static std::uint32_t SemanticsOf(const RunningBatch& running, int lane, const FlatSync& sync);

 private:
  // Work-items at one instruction, by batches, and the first of them, which may speak for all.
  struct Meeting {
    std::span<const SubgroupPart> parts;
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
  void ExecuteHere(const Meeting& meeting, const FlatSync& sync);
  void Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event);
  std::optional<std::uint64_t> BroadcastSource(const RunningBatch& running, int lane,
                                               const FlatSync& sync, std::size_t parts);

  Worker& worker_;
  const Program& program_;
  std::uint64_t events_ = 0;         // the last one that was made
  std::vector<SubgroupPart> parts_;  // of the meeting
};

}  // namespace assay::interp
