// Interfaces of the detectors, as executing sees them: undefined values, races, and instructions of
// a whole group.  interp/detect implements them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "interp/execute/batch.h"

namespace assay::interp {

struct LaunchState;
struct RaceView;
struct RunningBatch;

// Tracks the undefined bits of registers and memory.
class DefinednessWatch {
 public:
  virtual ~DefinednessWatch() = default;

  // Called when a batch starts with new work-items: constants may be undefined.
  virtual void Begin(Batch& batch) = 0;
  // Computes the record of an instruction's results, after the instruction was executed.
  virtual void Propagate(Batch& batch, const FlatInstruction& instruction,
                         const ShadowStep& step) = 0;
  // Reports the lanes whose register has undefined bits where `use` ("the branch") depends on them;
  // the bits count as defined from then on.
  virtual void Use(Batch& batch, std::uint32_t place, std::uint32_t offset, std::uint32_t bytes,
                   std::uint64_t lanes, std::string_view use, bool is_branch) = 0;
  virtual void Clear(Batch& batch, std::uint32_t offset, std::uint32_t bytes) const = 0;
  virtual void SetLane(Batch& batch, std::uint32_t offset, std::uint32_t bytes, int lane,
                       std::uint64_t undefined, std::uint32_t origin) const = 0;
  // The record of memory from an address on; it is created if it does not exist.  Null if there is
  // no object.
  virtual std::byte* EnsureRecord(Batch& batch, int lane, Address address) = 0;
  // A copy from memory to memory; both records may be missing.
  virtual void Copied(Batch& batch, int lane, Address target, Address source,
                      std::uint64_t bytes) = 0;
  // Called when an atomic operation returned undefined bits to the lane of a register.
  virtual void ReturnedByAtomic(Batch& batch, const FlatInstruction& instruction,
                                std::uint32_t result, std::uint32_t bytes, int lane,
                                std::uint64_t undefined) = 0;
  // For a debugger: the origin of undefined bits in a register, by Batch::origins.
  virtual std::string WhyUndefined(const Worker& worker, std::uint32_t origin) const = 0;
};

// Data races.
class RaceWatch {
 public:
  virtual ~RaceWatch() = default;

  // Sets the cells of the memory that a worker uses; each worker has its own local memory.
  virtual void Attach(Worker* worker, RaceView* view) = 0;
  virtual void BeginGroup(RaceView* view, std::uint64_t group) = 0;
  // The group has ended; its work-items make no more accesses.
  virtual void EndGroup(const RaceView& view) = 0;
  // A batch gets other work-items: its events are not continued.
  virtual void BeginBatch(RaceView* view) const = 0;
  // All work-items of the group are at a barrier with these MemorySemantics.
  virtual void Barrier(RaceView* view, std::uint32_t semantics) = 0;
  // A wait_group_events has waited for these copies.
  virtual void FinishCopies(const RaceView& view, std::uint64_t event) = 0;
  // One work-item's access; `call` for an atomic access; `copy` is the number of an asynchronous
  // copy.
  virtual void Access(Batch& batch, const FlatInstruction& instruction, int lane, Address address,
                      std::uint64_t bytes, AccessKind kind, bool is_same_value,
                      const AtomicCall* call, std::uint64_t copy) = 0;
  // A value of an atomic object that a load may read, by its index among the visible values.
  virtual std::uint64_t VersionValue(const Batch& batch, Address address,
                                     std::size_t version) const = 0;
};

// Instructions that a whole work-group executes together.
class GroupWatch {
 public:
  virtual ~GroupWatch() = default;

  virtual bool is_watched() const = 0;
  virtual void BeginGroup() = 0;
  // No work-item of the group can continue before those that wait at the end of `block`.
  virtual void Meet(std::span<RunningBatch* const> batches, std::uint32_t block) = 0;
  // An asynchronous copy begins, for an event.
  virtual void Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event) = 0;
  // Work-item `lane`, for all, waits for its list of events.
  virtual void Wait(RunningBatch& running, int lane, const FlatSync& sync,
                    std::span<const std::uint64_t> events) = 0;
  // The group has ended.
  virtual void EndGroup() = 0;
};

// Makes the detectors of a worker.
class Watches {
 public:
  virtual ~Watches() = default;

  virtual std::shared_ptr<DefinednessWatch> WatchDefinedness() const = 0;
  // One for each thread, or for all workers that one thread runs in turns (`interleaved`).
  virtual std::shared_ptr<RaceWatch> WatchRaces(const LaunchState& launch,
                                                bool interleaved) const = 0;
  virtual std::unique_ptr<GroupWatch> WatchGroups(Worker* worker) const = 0;
};

}  // namespace assay::interp
