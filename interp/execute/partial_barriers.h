// Barriers that do not hold up a whole work-group at one instruction: named barriers, which some of
// its sub-groups wait at (SPIR-V OpNamedBarrierInitialize, OpMemoryNamedBarrier), and split ones,
// where work-items arrive first and wait later (SPV_EXT_split_barrier, SPV_INTEL_split_barrier).
//
// A wait at a split barrier is executed when all of the group have come to it: one of the orders
// that it allows.  What it orders is what was done before the arrivals.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "interp/execute/running_batch.h"
#include "interp/execute/watch.h"

namespace assay::interp {

class PartialBarriers {
 public:
  explicit PartialBarriers(Worker* worker);

  void BeginGroup();
  // The group has ended: arrivals that nobody waited for are reported.
  void EndGroup();

  // All of the group make a named barrier.
  void Initialize(std::span<const SubgroupPart> parts, const FlatSync& sync);
  // Lets sub-groups go on whose named barrier is complete; with `is_stuck` also those for which
  // nobody can come any more, which is reported.  False if there are none.
  bool Release(std::span<RunningBatch* const> batches, bool is_stuck);

  // One work-item arrives at a split barrier; all of the group wait.
  void Arrive(RunningBatch& running, int lane, const FlatSync& sync);
  void Wait(std::span<const SubgroupPart> parts, const FlatSync& sync);

 private:
  // A sub-group at a named barrier.
  struct Arrived {
    std::uint32_t block = 0;
    std::vector<SubgroupPart> parts;
  };
  using Subgroups = std::map<std::uint64_t, Arrived>;  // by number
  // Of one barrier; the key is the value of it.
  std::map<std::uint64_t, Subgroups> Waiting(std::span<RunningBatch* const> batches) const;
  void GoOn(const Arrived& arrived, std::uint64_t meeting);
  void ReportStuck(std::uint64_t barrier, const Subgroups& subgroups);
  bool IsWhole(std::uint64_t subgroup, const Arrived& arrived) const;

  // Where a work-item arrived.
  struct Arrival {
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t place = 0;
    bool is_open = false;  // it has not waited yet
  };

  Worker& worker_;
  const Program& program_;
  const bool has_named_;              // some instruction waits at a named barrier
  std::vector<std::uint64_t> named_;  // the numbers of sub-groups, by barrier
  std::vector<Arrival> arrivals_;     // by linear local id
  // Meetings, as the race detector numbers them: of named barriers, of split ones.
  std::uint64_t meetings_ = 0;
  std::uint64_t phase_ = std::uint64_t{1} << 62;
};

}  // namespace assay::interp
