// Which events of other work-items happen before what a work-item does now (OpenCL API 3.3.6):
// barriers, and acquires that synchronize with releases.
//
// Global memory, local memory and images have a relation each.  Events are numbered in the order in
// which they begin, so a clock (clock.h) holds for each work-item the last number that is ordered
// before the present.  The accesses themselves are epochs, an event and a lane, as in FastTrack
// (Flanagan and Freund, PLDI 2009).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interp/detect/clock.h"
#include "interp/execute/execute.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

using Item = std::uint64_t;  // group << 32 | linear local id

enum Relation : std::uint8_t { kLocalRelation, kGlobalRelation, kImageRelation };
inline constexpr std::size_t kRelations = 3;
inline constexpr std::array kAllRelations = {kLocalRelation, kGlobalRelation, kImageRelation};

// The bit of MemorySemantics.
constexpr std::uint32_t FlagOf(Relation relation) {
  return relation == kLocalRelation    ? kWorkgroupMemory
         : relation == kGlobalRelation ? kCrossWorkgroupMemory
                                       : kImageMemory;
}
// Whether a barrier with these MemorySemantics orders accesses to this kind of memory.
inline bool Orders(std::uint32_t semantics, Relation relation) {
  return (semantics & FlagOf(relation)) != 0 && (Acquires(semantics) || Releases(semantics));
}
inline constexpr std::uint32_t kEveryMemory =
    kWorkgroupMemory | kCrossWorkgroupMemory | kImageMemory;

// What releases of one kind publish together: by an atomic operation or, by way of one, by a fence.
struct Release {
  std::uint32_t scope = 0;
  std::uint32_t memory = 0;  // what it orders, as bits of MemorySemantics
  bool is_sequential = false;
  Relation object = kGlobalRelation;  // the kind of memory that the atomic object is in
  Item releaser = 0;                  // one of them, which stands for all
  std::array<Clock, kRelations> clocks;
};
using ReleaseSet = std::vector<Release>;  // of one of each kind

class HappensBefore {
 public:
  explicit HappensBefore(const LaunchState& launch);

  // Whether an event of the other work-item happens before what `me` does now.
  bool IsOrdered(Item me, Item other, std::uint32_t event, Relation relation) const;
  // Before the last barrier of the group that orders the relation.
  bool IsBeforeBarrier(std::uint32_t group, std::uint32_t event, Relation relation) const;
  // Before the work-item's last fence for images.
  bool IsBeforeImageFence(Item me, std::uint32_t event) const;
  // The scopes of two operations include each other's work-item (OpenCL API 3.3.5).
  bool IsInclusive(std::uint32_t scope, Item me, std::uint32_t other_scope, Item other) const;

  // `last` is always the number of the last event that has begun.

  // All work-items of the group are at a barrier.
  void Barrier(std::uint32_t group, std::uint32_t semantics, std::uint32_t last);
  // `count` work-items are, from the linear local id `first` on.
  void Meet(std::uint32_t group, std::uint64_t first, std::uint64_t count, std::uint32_t semantics,
            std::uint32_t last);
  // The two halves of a meeting, as RaceWatch has them.
  void ArriveAt(std::uint32_t group, std::span<const std::uint64_t> items, std::uint32_t semantics,
                std::uint64_t meeting, std::uint32_t last);
  void LeaveFrom(std::uint32_t group, std::span<const std::uint64_t> items, std::uint32_t semantics,
                 std::uint64_t meeting);

  void Fence(Item me, const AtomicCall& call, std::uint32_t last);
  // What an operation that modifies an object in this kind of memory releases.
  ReleaseSet ReleasedBy(Item me, const AtomicCall& call, Relation object, std::uint32_t last);
  // The operation reads a value that belongs to the release sequences of these.
  void Read(Item me, const AtomicCall& call, Relation object, const ReleaseSet& releases);
  void Add(const ReleaseSet& from, ReleaseSet* to) const;

  // The number of the last seq_cst fence of the work-item in the order S, which is the order of
  // execution.
  std::uint32_t SequentialFence(Item me) const;
  std::uint32_t NextSequential() { return ++sequential_; }
  std::uint32_t last_sequential() const { return sequential_; }

  void EndGroup(std::uint32_t group);
  void Clear();

 private:
  struct ItemClocks {
    std::array<Clock, kRelations> known;
    ReleaseSet read;                // by operations that acquire nothing, for an acquire fence
    std::optional<Release> fence;   // published by later atomic stores
    std::uint32_t image_fence = 0;  // events before it are ordered by its last fence for images
    std::uint32_t sequential_fence = 0;
  };
  struct GroupClocks {
    std::vector<ItemClocks> items;  // by linear local id
    std::array<std::uint32_t, kRelations> barrier = {};
  };

  GroupClocks& GroupOf(std::uint32_t group);
  ItemClocks& ClocksOf(Item me) { return GroupOf(GroupNumber(me)).items[LocalId(me)]; }
  static std::uint32_t GroupNumber(Item item) { return static_cast<std::uint32_t>(item >> 32); }
  static std::uint64_t LocalId(Item item) { return item & 0xffffffff; }
  std::uint64_t NumberOf(Item item) const {
    return GroupNumber(item) * group_items_ + LocalId(item);
  }
  bool ShareSubgroup(Item me, Item other) const;
  bool AreAlike(const Release& a, const Release& b) const;
  void Acquire(Item me, ItemClocks* mine, const Release& release, std::uint32_t scope,
               std::uint32_t memory, bool is_sequential) const;

  const LaunchState& launch_;
  std::uint64_t group_items_;
  // Releases of different groups, or sub-groups, are kept apart if a scope includes one only.
  bool has_group_scope_ = false;
  bool has_subgroup_scope_ = false;
  std::unordered_map<std::uint32_t, GroupClocks> groups_;
  // What was published at meetings of a group, by their numbers.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::array<Clock, kRelations>> meetings_;
  std::uint32_t sequential_ = 0;
};

}  // namespace assay::interp
