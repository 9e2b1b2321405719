// Interfaces of the detectors, as executing sees them: undefined values, races, and instructions of
// a whole group.  interp/detect implements them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interp/execute/batch.h"
#include "interp/rules/rule.h"

namespace assay::interp {

struct LaunchState;
struct RaceView;
struct RunningBatch;

// Lanes of a batch that belong to one sub-group.
struct SubgroupPart {
  RunningBatch* running = nullptr;
  std::uint64_t lanes = 0;
};

// Which bits of registers and memory nothing ever defined.
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
  // A lane of a register depends on an element of an image of which these bits are undefined: from
  // the first byte at `address` on.
  virtual void LoadedElement(Batch& batch, std::uint32_t place, std::uint32_t offset,
                             std::uint32_t bytes, int lane, Address address,
                             std::uint64_t undefined, std::uint32_t element_bytes) = 0;
  // A copy from memory to memory; both records may be missing.
  virtual void Copied(Batch& batch, int lane, Address target, Address source,
                      std::uint64_t bytes) = 0;
  // Called when an atomic operation returned undefined bits to the lane of a register.
  virtual void ReturnedByAtomic(Batch& batch, const FlatInstruction& instruction,
                                std::uint32_t result, std::uint32_t bytes, int lane,
                                std::uint64_t undefined) = 0;
  // The specification leaves a lane's value open: `what` it is, by the rule.
  virtual void LeftOpen(Batch& batch, std::uint32_t place, std::uint32_t offset,
                        std::uint32_t bytes, int lane, Rule rule, const std::string& what) = 0;
  // For a debugger: what the undefined bits of a register come from, by Batch::origins.
  virtual std::string WhyUndefined(const Worker& worker, std::uint32_t origin) const = 0;
};

// An access to global memory that a launch made.
struct KeptAccess {
  std::uint32_t region = 0;  // its place in the table
  std::uint32_t bytes = 4;   // of the cell
  std::uint64_t offset = 0;
  std::uint64_t group = 0;  // linear
  std::array<std::uint64_t, 3> global_id = {0, 0, 0};
  std::uint32_t origin = 0;  // place in Module::instructions
  bool writes = false;
  bool is_atomic = false;
};

// An atomic operation that is about to be executed.
struct AtomicAttempt {
  Address address = 0;
  std::uint64_t value = 0;                // of the object, in memory
  bool writes = false;                    // if it reads `expected`, or always
  std::optional<std::uint64_t> expected;  // of a compare-exchange
  bool is_sequential = false;
};

// Data races.
class RaceWatch {
 public:
  virtual ~RaceWatch() = default;

  // Sets the cells of the memory that a worker uses; each worker has its own local memory.
  virtual void Attach(Worker* worker, RaceView* view) = 0;
  // With so many groups from this one on in a batch.
  virtual void BeginGroup(RaceView* view, std::uint64_t group, std::uint64_t groups) = 0;
  // The group has ended; its work-items make no more accesses.
  virtual void EndGroup(const RaceView& view) = 0;
  // A batch gets other work-items: its events are not continued.
  virtual void BeginBatch(RaceView* view) const = 0;
  // All work-items of the group are at a barrier with these MemorySemantics.
  virtual void Barrier(RaceView* view, std::uint32_t semantics) = 0;
  // Of a batch with several groups the work-items of these are, by their numbers in it.
  virtual void BarrierOf(RaceView* view, std::uint32_t semantics, std::uint64_t groups) = 0;
  // All work-items of a sub-group of the group, by its number, are at a barrier of their own.
  virtual void SubgroupBarrier(RaceView* view, std::uint32_t semantics, std::uint64_t subgroup) = 0;
  // Work-items of the group, by linear local ids, publish what they did where others of the group
  // meet them; and get to know what was published there.  A meeting is a number of the caller's:
  // one that ends those with lower numbers, as long as the highest two bits are the same.
  virtual void ArriveAt(RaceView* view, std::uint32_t semantics,
                        std::span<const std::uint64_t> items, std::uint64_t meeting) = 0;
  virtual void LeaveFrom(RaceView* view, std::uint32_t semantics,
                         std::span<const std::uint64_t> items, std::uint64_t meeting) = 0;
  // Copies that a wait_group_events has waited for.
  virtual void FinishCopies(const RaceView& view, std::uint64_t event) = 0;
  // One work-item's access; `call` for an atomic access; `copy` is the number of an asynchronous
  // copy.
  virtual void Access(Batch& batch, const FlatInstruction& instruction, int lane, Address address,
                      std::uint64_t bytes, AccessKind kind, bool is_same_value,
                      const AtomicCall* call, std::uint64_t copy) = 0;
  // The values of an atomic object have places in its modification order, from the last one (0)
  // on.  Which of them the operation may read, or be directly behind; valid until the next call.
  virtual std::span<const std::uint32_t> Places(const Batch& batch, int lane,
                                                const AtomicAttempt& attempt) = 0;
  virtual std::uint64_t ValueAt(const Batch& batch, Address address, std::uint32_t place) const = 0;
  // A number that no other value of the object has.
  virtual std::uint64_t NumberAt(const Batch& batch, Address address,
                                 std::uint32_t place) const = 0;
  // The last store to each cell of global memory, and the last loads.
  virtual std::vector<KeptAccess> KeptAccesses() const = 0;
};

// Instructions that a whole work-group executes together.
class GroupWatch {
 public:
  virtual ~GroupWatch() = default;

  virtual bool is_watched() const = 0;
  virtual void BeginGroup() = 0;
  // No work-item of the group can continue before those that wait at the end of `block`.
  virtual void Meet(std::span<RunningBatch* const> batches, std::uint32_t block) = 0;
  // Whether these lanes, which all work-items of several groups are, give the same operands: then
  // Meet has nothing to say of any of the groups.
  virtual bool HaveSameOperands(const RunningBatch& running, std::uint64_t lanes,
                                const FlatSync& sync) const = 0;
  // Work-items of a sub-group execute the instruction at the end of `block` together.
  virtual void MeetInSubgroup(std::span<const SubgroupPart> parts, std::uint32_t block) = 0;
  // An asynchronous copy begins, for an event.
  virtual void Copy(RunningBatch& running, int lane, const FlatSync& sync, std::uint64_t event) = 0;
  // Work-item `lane`, for all, waits for its list of events.
  virtual void Wait(RunningBatch& running, int lane, const FlatSync& sync,
                    std::span<const std::uint64_t> events) = 0;
  // The group has ended.
  virtual void EndGroup() = 0;
};

// Pointers that others must not use, and restrict ones.
class PointerWatch {
 public:
  virtual ~PointerWatch() = default;

  // Sets what handlers see of it beside a new batch.
  virtual void Attach(Batch* batch) = 0;
  virtual void BeginGroup() = 0;
  // Other work-items take a batch's place.
  virtual void BeginBatch(const Batch& batch) = 0;
};

// The values that other conforming devices may have in the place of the run's.
class EnvelopeWatch {
 public:
  virtual ~EnvelopeWatch() = default;

  // Gives a new batch its records.
  virtual void Attach(RunningBatch* running) = 0;
  virtual void BeginGroup() = 0;
  // Other work-items take the batch's place.
  virtual void Begin(Batch& batch) = 0;
  // Before an instruction is executed: its results' ranges, of those of its operands.
  virtual void Before(Batch& batch, const FlatInstruction& instruction,
                      const EnvelopeStep& step) = 0;
  // A branch or switch at the end of a block.
  virtual void Decide(Batch& batch, const FlatBlock& block) = 0;
  // Work-items execute what ends their block, alone or together.
  virtual void Meet(std::span<const SubgroupPart> parts, const FlatSync& sync) = 0;
  // A copy from memory to memory, before it is made.
  virtual void Copied(Batch& batch, int lane, Address target, Address source,
                      std::uint64_t bytes) = 0;
};

// What computes as another conforming device may.
class ImprecisionSource {
 public:
  virtual ~ImprecisionSource() = default;
  virtual void Math(Batch& batch, const FlatInstruction& instruction) = 0;
  // a * b + c, or a * b + c * d.
  virtual void Contracted(Batch& batch, const FlatInstruction& instruction, Kind kind,
                          bool of_two) = 0;
};

// Makes them for a worker.
class Watches {
 public:
  virtual ~Watches() = default;

  virtual std::shared_ptr<DefinednessWatch> WatchDefinedness() const = 0;
  // One for each thread, or for all workers that one thread runs in turns (`interleaved`).
  virtual std::shared_ptr<RaceWatch> WatchRaces(const LaunchState& launch,
                                                bool interleaved) const = 0;
  virtual std::unique_ptr<GroupWatch> WatchGroups(Worker* worker) const = 0;
  virtual std::unique_ptr<PointerWatch> WatchPointers(Worker* worker) const = 0;
  virtual std::unique_ptr<EnvelopeWatch> WatchEnvelope(Worker* worker) const = 0;
  virtual std::unique_ptr<ImprecisionSource> MakeImprecision(const LaunchState& launch) const = 0;
};

}  // namespace assay::interp
