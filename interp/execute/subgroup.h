// Instructions that the work-items of a sub-group execute together.
//
// A sub-group executes one when each of its work-items has returned, waits at it, or waits for
// something that cannot come before. Those go on together that came to the same instruction in the
// same iterations of the loops around it. Of several such places the first one in the order of
// iterations and blocks comes first, so that work-items meet again where their ways do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "interp/execute/running_batch.h"
#include "interp/execute/subgroup_columns.h"
#include "interp/execute/subgroup_operation.h"
#include "interp/execute/watch.h"

namespace assay::interp {

class Subgroups {
 public:
  explicit Subgroups(Worker* worker);

  // The batch comes to the instruction at the end of the block with these lanes: sub-groups that
  // are complete execute it at once; returns their lanes.
  std::uint64_t Pass(RunningBatch& running, std::uint32_t block, std::uint64_t lanes);
  // Lets those sub-groups go on that can: with `partial` also without work-items that wait for
  // their turn at something else.  False if there are none.
  bool Release(std::span<RunningBatch* const> batches, bool partial);

 private:
  // A work-item at an instruction that it waits at.
  struct Place {
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t block = 0;
  };

  std::uint32_t IdOf(const RunningBatch& running, int lane) const;
  int ComparePlaces(const Place& a, const Place& b) const;
  bool AreInSameIterations(const RunningBatch& running, const FlatSync& sync,
                           std::uint64_t lanes) const;
  void GoOnTogether(std::span<const Place> members);
  void Execute(std::span<const SubgroupPart> parts, std::uint32_t block);
  void Compute(std::span<const SubgroupPart> parts, const FlatSync& sync, const SubgroupCall& call,
               std::span<const std::uint64_t> extras);
  void Multiply(std::span<const SubgroupPart> parts, const FlatSync& sync,
                const SubgroupCall& call);  // matrix_multiply.cc
  void Move(std::span<const SubgroupPart> parts, const FlatSync& sync, const SubgroupCall& call,
            std::span<const std::uint64_t> extras);
  void LeaveOpen(RunningBatch& running, const FlatSync& sync, int lane, const SubgroupCall& call);

  // Whole sub-groups of a batch (subgroup_batch.cc).
  bool PassWhole(RunningBatch& running, const FlatSync& sync, std::uint64_t lanes);
  void MoveWhole(RunningBatch& running, const SubgroupColumns& columns);
  std::uint64_t ComputeWhole(const SubgroupCall& call, Kind kind, std::uint32_t first,
                             std::uint32_t count);

  Worker& worker_;
  const Program& program_;
  SubgroupItems items_;
  SubgroupBuffers buffers_;
};

}  // namespace assay::interp
