// Detects data races: two accesses by different work-items to the same bytes, at least one of them
// a store, not both atomic, that happens-before does not order (OpenCL API 3.3.6.2). The detector
// uses vector clocks, after FastTrack: Flanagan and Freund, PLDI 2009.
//
// Global and local memory each have their own happens-before relation (OpenCL API 3.3.6.3), and so
// have images, which only barriers and fences with CLK_IMAGE_MEM_FENCE order (OpenCL C 6.15.15.6).
// Within one work-item, too: its read of an image after its own write needs such a fence.
// Accesses are ordered by barriers within a group, as their memory semantics say, and by acquires
// that read what a release wrote.  Cells (interp/execute/race_view.h) keep the last store and two
// of the loads since then.
//
// A vector clock holds, for each work-item or group, the last of its events that is known to be
// ordered before the present one.  Clocks are not kept for programs without acquires: there,
// barriers need only comparisons of event numbers.
//
// Known deviations: an atomic read-modify-write whose result is not used acquires nothing (no
// decision can depend on the value that it read). Of more than two loads by work-items that acquire
// and release order, the oldest may be forgotten.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "interp/execute/accessed_bytes.h"
#include "interp/execute/batch.h"
#include "interp/execute/execute.h"
#include "interp/execute/plain_copies.h"
#include "interp/execute/race_rows.h"
#include "interp/execute/race_view.h"
#include "interp/execute/regrouped.h"
#include "interp/execute/watch.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

struct ReleaseCells {
  std::uint64_t mapped = 0;  // bytes; 0: they are on the heap
  void operator()(std::uint32_t* cells) const;
};

class Races final : public RaceWatch {
 public:
  enum Relation : std::uint8_t { kLocalRelation, kGlobalRelation, kImageRelation };
  static constexpr std::size_t kRelations = 3;

  // One for each thread, or for all workers that one thread runs in turns (`interleaved`).
  Races(const LaunchState& launch, bool interleaved);
  ~Races() override;

  void Attach(Worker* worker, RaceView* view) override;
  void BeginGroup(RaceView* view, std::uint64_t group, std::uint64_t groups) override;
  void EndGroup(const RaceView& view) override;
  void BeginBatch(RaceView* view) const override {
    view->interval = static_cast<std::uint32_t>(events_.size());
  }
  void Barrier(RaceView* view, std::uint32_t semantics) override;
  void BarrierOf(RaceView* view, std::uint32_t semantics, std::uint64_t groups) override;
  void SubgroupBarrier(RaceView* view, std::uint32_t semantics, std::uint64_t subgroup) override;
  void ArriveAt(RaceView* view, std::uint32_t semantics, std::span<const std::uint64_t> items,
                std::uint64_t meeting) override;
  void LeaveFrom(RaceView* view, std::uint32_t semantics, std::span<const std::uint64_t> items,
                 std::uint64_t meeting) override;
  void FinishCopies(const RaceView& view, std::uint64_t event) override;

  void Suspected(Batch& batch, const FlatInstruction& instruction, int lane, const RaceCells& cells,
                 std::uint32_t cell, AccessKind kind, bool other_wrote, std::uint64_t offset,
                 std::uint64_t bytes, bool is_same_value);
  void Access(Batch& batch, const FlatInstruction& instruction, int lane, Address address,
              std::uint64_t bytes, AccessKind kind, bool is_same_value, const AtomicCall* call,
              std::uint64_t copy) override;
  // The accesses to all elements of an asynchronous copy from one object to another one.  False if
  // one of them may be a race, or elements share cells: then nothing is recorded, and each is to be
  // given to Access (race_copies.cc).
  bool AccessAll(Batch& batch, const FlatInstruction& instruction, int lane, const Spaced& target,
                 const Spaced& source, std::uint64_t copy);
  // The same for an atomic operation of these lanes that reads and writes objects in `region`, one
  // lane after the other until one is elsewhere or not simple.  Of those from there on, which are
  // returned, nothing is recorded (atomic_accesses.cc).
  std::uint64_t AccessAtomically(Batch& batch, const FlatInstruction& instruction,
                                 const AtomicCall& call, const Region& region,
                                 const Address* addresses, std::uint64_t bytes,
                                 std::uint64_t lanes);
  // Records the order that a fence makes.
  void Fence(Batch& batch, int lane, const AtomicCall& call);
  // Records the order that an atomic operation makes that reads `version` of the object (see
  // Versions).
  void Synchronize(Batch& batch, int lane, const AtomicCall& call, Address address, bool reads,
                   bool writes, std::size_t version);
  std::uint32_t NewEvent(Batch& batch, std::uint32_t place, std::uint8_t atomic = 0,
                         std::uint64_t copy = 0);

  // The number of values that a load of the object may read, the latest first.  A stored value is
  // visible until a later store happens before the load, or the work-item has read a later one.
  // `bytes` are the bytes of the object; VersionValue reads one of the visible values.
  std::size_t VisibleVersions(const Batch& batch, int lane, Address address, const std::byte* bytes,
                              std::uint32_t size) override;
  std::uint64_t VersionValue(const Batch& batch, Address address,
                             std::size_t version) const override;
  // The object has a new value.
  void AddVersion(const Batch& batch, int lane, Address address, std::uint64_t value);

  std::vector<KeptAccess> KeptAccesses() const override;  // kept_accesses.cc
  // Which bytes of global memory had plain accesses, in runs; those of one kind do not overlap.
  std::vector<AccessedBytes> Accessed() const;  // kept_accesses.cc

  // Whether the groups of two workers accessed the same bytes, at least one with a store.
  bool Conflicts(const Races& other) const;

 private:
  using Item = std::uint64_t;  // group << 32 | linear local id
  // A chain: numbered releases on one object, each of which includes those before it.  After
  // acquiring one, all earlier releases of the chain are acquired, too.  A clock holds the last
  // known release of each chain, so its size is the number of chains and not of work-items.
  struct Clock {
    std::unordered_map<std::uint32_t, std::uint32_t> chains;
    void Join(const Clock& other);
    void Join(std::uint32_t chain, std::uint32_t position);
    bool Knows(std::uint32_t chain, std::uint32_t position) const;
  };
  // What a release publishes: the work-item's events up to and including `event`, its group's
  // events before `barrier`, and the work-item's own clock.
  struct Snapshot {
    Clock clock;
    std::uint32_t event = 0;
    std::uint32_t barrier = 0;
  };
  struct ItemClocks {
    std::array<Clock, kRelations> known;
    std::array<Snapshot, kRelations>
        fenced;  // published by a release fence with the next atomic store
    std::array<Clock, kRelations> pending;  // what relaxed loads read, for an acquire fence
    std::array<bool, kRelations> has_fence = {};
    std::uint32_t fence_scope = 0;
    std::uint32_t image_fence = 0;  // events before it are ordered by its last fence for images
  };
  struct GroupClocks {
    std::array<Clock, kRelations> known;
    std::array<std::uint32_t, kRelations> barrier = {};
  };
  // A release of a work-item's events up to `event`, or of a group's events before it.
  struct Release {
    std::uint32_t event = 0;
    std::uint32_t chain = 0;
    std::uint32_t position = 0;
  };
  // The release that an acquire of this value reads; chain 0: none.
  struct Released {
    std::uint32_t chain = 0;
    std::uint32_t position = 0;
    std::shared_ptr<const Clock> clock;
  };
  // One value of an atomic object.
  struct Version {
    std::uint64_t value = 0;
    std::uint64_t number = 0;
    Item writer = 0;
    std::uint32_t event = 0;  // of the store; 0: before the launch
    std::array<Released, kRelations> released;
    std::uint32_t scope = 0;
    Item releaser = 0;
    bool by_fence = false;  // what it releases was released by a fence before it
  };
  struct Location {
    std::vector<Version> versions;  // the latest last
    std::unordered_map<Item, std::uint64_t>
        seen;  // the number of the latest version that each work-item knows
    std::uint64_t count = 0;
  };

  // The relation that orders the accesses of an instruction to the region.
  Relation RelationOf(const Region& region, std::uint32_t place) const;
  bool IsImageAccess(std::uint32_t place) const;
  // Before the group's last barrier.
  bool IsSettled(const RaceView& view, Relation relation, std::uint32_t cell) const;
  // By a work-item of the lane's group, before its last barrier.
  bool IsSettled(const Batch& batch, int lane, Relation relation, std::uint32_t cell) const;
  void CheckImageFence(Batch& batch, const FlatInstruction& instruction, int lane,
                       std::uint32_t cell, std::uint64_t offset);
  bool IsOrdered(Item me, Item other, std::uint32_t event, Relation relation) const;
  bool AreMixed(const RaceEvent& mine, const RaceEvent& other) const;
  // Whether the access of the cell and `mine` are no race, though cells' own order does not say so.
  // Of an asynchronous copy it follows from the cell's event, whichever lane it names.
  bool MayMeet(const Batch& batch, const RaceEvent& mine, int lane, const Region& region,
               std::uint32_t cell) const;
  bool IsBeforeCopy(const RaceView& view, const RaceEvent& other, std::uint32_t event,
                    const Region& region) const;
  bool IsInclusive(std::uint32_t scope, Item me, std::uint32_t other_scope, Item other) const;
  bool ShareSubgroup(Item me, Item other) const;
  Snapshot TakeSnapshot(Item me, Relation relation);
  // Records in the version what a store publishes that releases, or that continues other releases.
  void Publish(Item me, Relation relation, const Snapshot& snapshot, bool continues,
               Released* released);
  Rule RuleOf(const Batch& batch, const RaceEvent& mine, const RaceEvent& other,
              std::uint32_t event, AccessKind kind, bool other_wrote, bool is_same_value,
              bool is_same_group) const;
  // Cells of one region.
  struct Column {
    std::uint64_t count = 0;
    std::uint64_t atomic_count = 0;
    std::unique_ptr<std::uint32_t[], ReleaseCells> cells;   // one after another
    bool Allocate(std::uint64_t number, bool large_pages);  // of zeros
    bool is_read = false;
    bool is_atomic = false;
    bool is_narrow = false;
    RaceCells View(std::size_t place);
    void Clear();
  };
  struct Attached {
    Worker* worker = nullptr;
    RaceView* view = nullptr;
    // Without clocks, the cells from before the group's last barrier end here.  No barrier orders a
    // copy that is not waited for: RaceOrder's `barrier` is not above the first of those, and what
    // lies between the two needs a second check.
    std::array<std::uint32_t, kRelations> last_barrier = {};
    // The same of each group of a batch with several, by its number.
    std::uint64_t groups = 1;
    std::array<std::array<std::uint32_t, kMaxLanes>, kRelations> last_barriers = {};
    std::vector<RaceCells> table;
    std::vector<std::unique_ptr<Column>> local;
  };

  // Cells of one side of an asynchronous copy.
  struct CopyCells {
    const RaceCells* cells = nullptr;  // null: they are not watched
    const Region* region = nullptr;
    const RaceOrder* order = nullptr;
    std::uint64_t first = 0;
    CellRows rows;
  };
  static bool FindCells(const Batch& batch, const Spaced& elements, CopyCells* found);
  bool MayMeetAll(const Batch& batch, const RaceEvent& mine, int lane, const CopyCells& of,
                  const std::uint32_t* column) const;
  std::uint32_t EventOfCopy(Batch& batch, std::uint32_t place, std::uint64_t copy);
  void KeepCopiesOpen(Attached* attached);
  Attached& AttachedOf(const RaceView& view) const;
  bool IsShared(const Region& region) const;
  std::unique_ptr<Column> NewColumn(const Region& region);
  using Key = std::pair<std::uint32_t, Address>;  // of local memory: a group's
  static Key KeyOf(const Batch& batch, Address address);
  Location& LocationOf(const Batch& batch, Address address, const std::byte* bytes,
                       std::uint32_t size);
  void Forget();
  static Item ItemOf(const Batch& batch, int lane) {
    return ItemOf(ItemAt(batch, batch.race->group, static_cast<std::uint64_t>(lane)));
  }
  static Item ItemOf(const WorkItem& item) { return item.group << 32 | item.local; }
  Item ItemOfCell(std::uint32_t cell) const;
  bool IsOwn(const Batch& batch, int lane, std::uint32_t cell) const;
  void KeepLoad(const Batch& batch, const RaceOrder& order, int lane, std::uint32_t mine,
                std::uint32_t* read, std::uint32_t* other) const;

  const LaunchState& launch_;
  bool exact_;  // the program has acquires and releases
  std::vector<RaceEvent> events_;
  const RaceEvent* first_event_ = nullptr;
  std::vector<std::array<WorkItem, kMaxLanes>> regrouped_;  // by RaceEvent::first
  // The last events, of which the latest is one: all of one kind, and of one group if that matters.
  struct Alike {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t group = 0;
    std::uint8_t atomic = 0;  // as RaceEvent has it
  };
  Alike alike_;
  std::vector<std::unique_ptr<Attached>> attached_;
  std::map<std::size_t, std::unique_ptr<Column>> global_;  // by place
  std::uint64_t large_bytes_ = 0;                          // of columns in large pages
  // Asynchronous copies, by group and number: their events, and whether the group has waited for
  // them.
  struct Copies {
    std::vector<std::uint32_t> events;
    bool is_finished = false;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Copies> copies_;
  // Groups and events of copies that no wait has come after.
  std::set<std::pair<std::uint32_t, std::uint32_t>> open_copies_;
  std::array<std::unordered_map<Item, std::vector<Release>>, kRelations> item_releases_;
  std::array<std::unordered_map<std::uint32_t, std::vector<Release>>, kRelations> group_releases_;
  std::uint32_t chains_ = 0;
  std::unordered_map<Item, ItemClocks> items_;
  std::unordered_map<std::uint32_t, GroupClocks> groups_;
  std::map<Key, Location> locations_;
  // What was published at meetings of a group, by their numbers.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::array<Released, kRelations>> meetings_;
};

inline constexpr std::array kAllRelations = {Races::kLocalRelation, Races::kGlobalRelation,
                                             Races::kImageRelation};
// The bit of MemorySemantics.
constexpr std::uint32_t FlagOf(Races::Relation relation) {
  return relation == Races::kLocalRelation    ? kWorkgroupMemory
         : relation == Races::kGlobalRelation ? kCrossWorkgroupMemory
                                              : kImageMemory;
}

// The race detector of a worker, which detectors.cc made; null: the detector is off.
inline Races* RacesOf(const Worker& worker) { return static_cast<Races*>(worker.races()); }

}  // namespace assay::interp
