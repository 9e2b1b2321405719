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
// happens_before.h has the clocks.  They are not kept for programs without acquires: there,
// barriers need only comparisons of event numbers.  modifications.h has the values of atomic
// objects.
//
// Known deviations: of more than two loads by work-items that acquire and release order, the oldest
// may be forgotten; so may an atomic store of a narrower scope than later ones of its work-item.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "interp/detect/cell_memory.h"
#include "interp/detect/happens_before.h"
#include "interp/detect/modifications.h"
#include "interp/execute/accessed_bytes.h"
#include "interp/execute/batch.h"
#include "interp/execute/execute.h"
#include "interp/execute/execution_graph.h"
#include "interp/execute/plain_copies.h"
#include "interp/execute/race_rows.h"
#include "interp/execute/race_view.h"
#include "interp/execute/regrouped.h"
#include "interp/execute/watch.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

class Races final : public RaceWatch {
 public:
  // One for each thread, or for all workers that one thread runs in turns (`interleaved`).
  Races(const LaunchState& launch, bool interleaved);
  ~Races() override;

  void Attach(Worker* worker, RaceView* view) override;
  void BeginGroup(RaceView* view, std::uint64_t group, std::uint64_t groups) override;
  void EndGroup(const RaceView& view) override;
  void BeginBatch(RaceView* view) const override {
    view->interval = static_cast<std::uint32_t>(events_.size());
  }
  void Barrier(RaceView* view, std::uint32_t semantics, std::uint32_t scope) override;
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
  // Records the order that an atomic operation makes at a place of its object's modification order,
  // where it read a value or left `value`.
  void Synchronize(Batch& batch, int lane, const AtomicCall& call, Address address,
                   std::uint32_t place, std::uint64_t value, bool reads, bool writes);
  std::uint32_t NewEvent(Batch& batch, std::uint32_t place, std::uint8_t atomic = 0,
                         std::uint64_t copy = 0);

  std::span<const std::uint32_t> Places(const Batch& batch, int lane,
                                        const AtomicAttempt& attempt) override;
  std::uint64_t ValueAt(const Batch& batch, Address address, std::uint32_t place) const override {
    return modifications_.ValueAt(LocationAt(batch, address), place);
  }
  std::uint64_t NumberAt(const Batch& batch, Address address, std::uint32_t place) const override {
    return modifications_.NumberAt(LocationAt(batch, address), place);
  }

  std::vector<KeptAccess> KeptAccesses() const override;  // kept_accesses.cc
  // Which bytes of global memory had plain accesses, in runs; those of one kind do not overlap.
  std::vector<AccessedBytes> Accessed() const;  // kept_accesses.cc

  // Whether groups of different threads accessed the same bytes, at least one with a store
  // (conflicts.cc).
  static bool Conflict(std::span<const Races* const> all);

 private:
  // The relation that orders the accesses of an instruction to the region.
  Relation RelationOf(const Region& region, std::uint32_t place) const;
  bool IsImageAccess(std::uint32_t place) const;
  // Before the group's last barrier.
  bool IsSettled(const RaceView& view, Relation relation, std::uint32_t cell) const;
  // By a work-item of the lane's group, before its last barrier.
  bool IsSettled(const Batch& batch, int lane, Relation relation, std::uint32_t cell) const;
  void CheckImageFence(Batch& batch, const FlatInstruction& instruction, int lane,
                       std::uint32_t cell, std::uint64_t offset);
  bool AreMixed(const RaceEvent& mine, const RaceEvent& other) const;
  // Whether the access of the cell and `mine` are no race, though cells' own order does not say so.
  // Of an asynchronous copy it follows from the cell's event, whichever lane it names.
  bool MayMeet(const Batch& batch, const RaceEvent& mine, int lane, const Region& region,
               std::uint32_t cell) const;
  bool IsBeforeCopy(const RaceView& view, const RaceEvent& other, std::uint32_t event,
                    const Region& region) const;
  std::uint32_t last_event() const { return static_cast<std::uint32_t>(events_.size()) - 1; }
  Rule RuleOf(const Batch& batch, const RaceEvent& mine, const RaceEvent& other,
              std::uint32_t event, AccessKind kind, bool other_wrote, bool is_same_value,
              bool is_same_group) const;
  // Cells of one region.
  class Comparison;
  bool IsPlain(std::uint32_t cell) const { return cell != 0 && events_[cell >> 6].atomic == 0; }
  struct Column {
    std::uint64_t count = 0;
    std::uint64_t atomic_count = 0;
    CellMemory cells;  // one after another
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
  std::unique_ptr<Column> NewColumn(const Region& region, std::uint32_t thread);
  Modifications::Operation OperationOf(const Batch& batch, int lane, Address address) const;
  void Forget();
  void Prepare();
  static Item ItemOf(const Batch& batch, int lane) {
    return ItemOf(ItemAt(batch, batch.race->group, static_cast<std::uint64_t>(lane)));
  }
  static Item ItemOf(const WorkItem& item) { return item.group << 32 | item.local; }
  Item ItemOfCell(std::uint32_t cell) const;
  bool IsOwn(const Batch& batch, int lane, std::uint32_t cell) const;
  void KeepLoad(const Batch& batch, const RaceOrder& order, int lane, std::uint32_t mine,
                std::uint32_t* read, std::uint32_t* other) const;
  void KeepAtomicLoad(const Batch& batch, const RaceOrder& order, Relation relation, int lane,
                      std::uint32_t mine, std::uint32_t* read, std::uint32_t* other) const;

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
  // Whether cells are zeros where nothing was accessed. False: no group has begun.
  bool is_prepared_ = false;
  std::uint64_t large_bytes_ = 0;  // of columns in large pages
  // Asynchronous copies, by group and number: their events, and whether the group has waited for
  // them.
  struct Copies {
    std::vector<std::uint32_t> events;
    bool is_finished = false;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, Copies> copies_;
  // Groups and events of copies that no wait has come after.
  std::set<std::pair<std::uint32_t, std::uint32_t>> open_copies_;
  HappensBefore order_;
  Modifications modifications_;
};

// The race detector of a worker, which detectors.cc made; null: the detector is off.
inline Races* RacesOf(const Worker& worker) { return static_cast<Races*>(worker.races()); }

}  // namespace assay::interp
