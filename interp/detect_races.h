// Data races: two accesses by different work-items to the same bytes, at least one of them a store,
// not both atomic, that happens-before does not order (OpenCL API 3.3.6.2; the detector is a
// vector-clock one after FastTrack: Flanagan and Freund, PLDI 2009).
//
// Global and local memory have a happens-before relation each (OpenCL API 3.3.6.3).  What orders
// accesses is, within a group, barriers, by their memory semantics; and acquires that see what a
// release wrote.  Cells (race_view.h) remember the last store and two of the loads since.
//
// Clocks say how far a work-item's or a group's events are known.  Where no program can acquire
// anything they are not kept: barriers alone are comparisons of event numbers.
//
// Known deviations: an atomic read-modify-write whose result nobody uses acquires nothing (no
// decision can depend on what it saw); of more than two loads by work-items that acquire and
// release order, the oldest may be forgotten, and so of more than eight such atomic operations.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "interp/batch.h"
#include "interp/race_view.h"

namespace assay::interp {

struct LaunchState;
struct FlatSync;

class Races {
 public:
  enum Relation : std::uint8_t { kLocalRelation, kGlobalRelation };

  explicit Races(Worker* worker);
  ~Races();

  RaceView* view() { return &view_; }
  void BeginGroup(std::uint64_t group);
  // Other work-items take a batch's place: none of its events is continued.
  void BeginBatch() { view_.interval = static_cast<std::uint32_t>(events_.size()); }
  // All work-items of the group are at a barrier with these MemorySemantics.
  void Barrier(std::uint32_t semantics);
  // Copies that a wait_group_events has waited for.
  void FinishCopies(std::uint64_t event);

  // Whether the two are a race, which was then reported.
  bool Suspected(Batch& batch, const FlatInstruction& instruction, int lane, const RaceCells& cells,
                 std::uint32_t cell, AccessKind kind, bool other_wrote, std::uint64_t offset,
                 std::uint64_t bytes, bool is_same_value);
  // One work-item's access; `call` of an atomic one; `copy` of an asynchronous copy's number.
  void Access(Batch& batch, const FlatInstruction& instruction, int lane, Address address,
              std::uint64_t bytes, AccessKind kind, bool is_same_value,
              const AtomicCall* call = nullptr, std::uint64_t copy = 0);
  // What an atomic operation, or a fence, orders; `wrote` and `read` of the operation.
  void Synchronize(Batch& batch, int lane, const AtomicCall& call, std::uint32_t order,
                   Address address, bool reads, bool writes);
  std::uint32_t NewEvent(Batch& batch, std::uint32_t place, std::uint8_t atomic = 0,
                         std::uint64_t copy = 0);

  // Whether two workers' groups accessed the same bytes, at least one with a store.
  bool Conflicts(const Races& other) const;

 private:
  static constexpr std::uint32_t kMaxEvents = 1u << 24;
  using Item = std::uint64_t;  // group << 32 | linear local id
  // How far others' events are known.
  struct Clock {
    std::unordered_map<Item, std::uint32_t> items;            // up to and with this event
    std::unordered_map<std::uint32_t, std::uint32_t> groups;  // of every item: before this event
    void Join(const Clock& other);
    bool IsEmpty() const { return items.empty() && groups.empty(); }
  };
  struct ItemClocks {
    std::array<Clock, 2> known;
    std::array<Clock, 2> fenced;   // what a release fence will publish with the next atomic store
    std::array<Clock, 2> pending;  // what relaxed loads saw, for an acquire fence
    std::array<bool, 2> has_fence = {false, false};
    std::uint32_t fence_scope = 0;
  };
  struct GroupClocks {
    std::array<Clock, 2> known;
    std::array<std::uint32_t, 2> barrier = {0, 0};
    std::uint32_t any_barrier = 0;
  };
  struct Location {
    std::array<Clock, 2> released;
    std::uint32_t scope = 0;
    std::uint32_t group = 0;
  };

  bool IsOrdered(Item me, Item other, std::uint32_t event, Relation relation) const;
  bool IsInclusive(std::uint32_t scope, std::uint32_t group, std::uint32_t other_scope,
                   std::uint32_t other_group) const;
  Clock Snapshot(Item me, Relation relation);
  std::string RuleOf(const RaceEvent& mine, const RaceEvent& other, std::uint32_t event,
                     Relation relation, AccessKind kind, bool other_wrote,
                     bool is_same_value) const;
  Item ItemOf(std::uint32_t cell) const;
  // Who copies asynchronously: begins when the first work-item comes, after what a barrier, or
  // being alone, orders before ("does not perform any implicit synchronization of source data such
  // as using a barrier before performing the copy", OpenCL C 6.15.11).
  Item ItemOfCopies() const;
  // Cells after an atomic operation of a work-item: a store, a load.
  std::uint32_t KeepAtomicWriter(const Batch& batch, int lane, const Region& region,
                                 std::uint32_t last, std::uint32_t mine);
  void KeepAtomicReader(const Batch& batch, int lane, const Region& region, std::uint32_t mine,
                        std::uint32_t* read, std::uint32_t* other);
  void Forget();
  Item ItemOf(const Batch& batch, int lane) const {
    return Item{view_.group} << 32 | (batch.first_item + static_cast<std::uint64_t>(lane));
  }

  Worker* worker_;
  bool exact_;  // acquire and release count
  RaceView view_;
  std::vector<RaceEvent> events_;
  std::vector<RaceCells> cells_;
  std::vector<std::uint64_t> cell_counts_;
  std::vector<std::unique_ptr<std::uint32_t[], void (*)(void*)>> storage_;
  std::unique_ptr<bool[]> is_read_;
  std::uint32_t any_barrier_ = 0;             // event: the last barrier of this group
  std::map<std::uint64_t, bool> unfinished_;  // asynchronous copies
  // By event: the cells that it stands for, none of them ordered before another, the last one last.
  // Of local memory and of the rest.
  using Several = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;
  std::array<Several, 2> several_;
  std::unordered_map<Item, ItemClocks> items_;
  std::unordered_map<std::uint32_t, GroupClocks> groups_;
  std::unordered_map<Address, Location> locations_;
};

}  // namespace assay::interp
