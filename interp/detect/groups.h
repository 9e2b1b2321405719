// Checks instructions that a whole work-group executes together: barriers, work-group functions,
// asynchronous copies and waits for them (OpenCL C 6.15.8, 6.15.11, 6.15.16).
//
// It is always checked that all work-items reach the instruction.  Detector::kGroups also checks
// that they reach it in the same iterations of the surrounding loops (IrInstruction::loop_operands)
// and with the same operands, and it checks events.
//
// Known deviations: if the work-items of a group diverge at such an instruction, this is reported
// once for the group, because later divergence follows from it.  If a copy gets an event to share
// that was already waited for, the event starts again.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/execute/watch.h"

namespace assay::interp {

class Groups final : public GroupWatch {
 public:
  explicit Groups(Worker* worker);

  bool is_watched() const override { return is_watched_; }
  void BeginGroup() override;
  void Meet(std::span<RunningBatch* const> batches, std::uint32_t block) override;
  bool HaveSameOperands(const RunningBatch& running, std::uint64_t lanes,
                        const FlatSync& sync) const override;
  void MeetInSubgroup(std::span<const SubgroupPart> parts, std::uint32_t block) override;
  void Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event) override;
  void Wait(RunningBatch& running, int lane, const FlatSync& sync,
            std::span<const std::uint64_t> events) override;
  void EndGroup() override;

 private:
  struct Item {
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t block = 0;  // where it waits; kReturned
  };
  struct PendingCopy {
    RunningBatch* running = nullptr;
    int lane = 0;
    std::uint32_t place = 0;
  };

  std::vector<Item> ItemsOf(std::span<RunningBatch* const> batches) const;
  bool AreUniform(std::span<RunningBatch* const> batches, const FlatSync& sync) const;
  bool HaveSameEvents(std::span<RunningBatch* const> batches, const FlatSync& sync) const;
  std::string Name(const Item& item) const;
  void Missing(const Item& here, const Item& other, const FlatSync& sync, std::uint64_t arrived,
               std::uint64_t count);
  bool HaveSameIterations(std::span<const Item> items, const FlatSync& sync);
  void CompareOperands(std::span<const Item> items, const FlatSync& sync);
  void CompareInSubgroup(std::span<const Item> items, const FlatSync& sync,
                         const SubgroupCall& call);
  void CheckCluster(const Item& item, const FlatSync& sync, const SubgroupCall& call);
  void CompareEvents(std::span<const Item> items, const FlatSync& sync);
  void CheckStride(RunningBatch& running, int lane, const FlatSync& sync);

  Worker* worker_;
  bool is_watched_;
  bool has_diverged_ = false;  // whether this group has diverged, which is reported once
  std::map<std::uint64_t, PendingCopy> copies_;      // by event: copies without a wait
  std::map<std::uint64_t, std::uint32_t> finished_;  // by event: the place of the wait
};

}  // namespace assay::interp
