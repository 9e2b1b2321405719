// Records which work-item accessed which bytes of shared memory: the part of the race detector
// (interp/detect/races.h) that handlers use.
//
// Memory is divided into cells of one granule each.  A cell names, in 32 bits each, the last access
// of each kind: an event (the accesses of one batch at one instruction between two
// synchronisations) and the lane.  Events are numbered in the order in which they begin, so most
// questions are comparisons: everything that this group did before its last barrier is ordered
// before everything after it.
//
// A batch may have several groups (packing.h).  Then an event's group is the first of them, and the
// lane says which one is meant.  The cells of local memory are each group's own.  Those of global
// memory are never settled by a comparison, because an event before a barrier may be another
// group's; Races::Suspected has the barriers of each group.
#pragma once

#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

// One event.
struct RaceEvent {
  std::uint32_t group = 0;   // linear
  std::uint32_t first = 0;   // linear local id of lane 0
  std::uint32_t place = 0;   // in Program::places
  std::uint8_t atomic = 0;   // of an atomic access: AtomicKind; else 0
  bool is_async = false;     // an asynchronous copy: `first` is its number
  bool is_finished = false;  // then: its group has waited for it
  std::uint8_t each = 0;     // of a batch with several groups: how many work-items each has
};

// Atomic accesses of one kind do not conflict where their scopes include each other: they have the
// same scope and size.  Those of different sizes are to different objects (OpenCL C 6.15.12).
constexpr std::uint8_t AtomicKind(std::uint32_t scope, std::uint64_t bytes) {
  return static_cast<std::uint8_t>(1 + scope + (bytes == 8 ? 16 : 0));
}
constexpr std::uint32_t ScopeOfKind(std::uint8_t atomic) { return (atomic & 15u) - 1; }
constexpr bool AreOneSize(std::uint8_t a, std::uint8_t b) { return (a & 16) == (b & 16); }

// The cells of one region; null: not watched.  Atomic stores have their own cells, of 4 bytes each,
// so that they do not hide plain stores.
struct RaceCells {
  std::uint32_t* write = nullptr;               // the last plain store
  std::uint32_t* read[2] = {nullptr, nullptr};  // the last load, and one by another work-item
  std::uint32_t* atomic[2] = {nullptr,
                              nullptr};  // the same for atomic stores; null: the program has none
  bool* is_read = nullptr;               // whether there was a load at all
  bool* is_atomic = nullptr;             // whether there was an atomic store
  bool* is_narrow = nullptr;             // whether there was one with a scope below the device
  std::uint32_t place = 0;               // in the table of regions
};

// The part of the order between events that cells contain: cells from `first` up to `barrier` are
// settled, which means ordered before the group's present accesses.
struct RaceOrder {
  std::uint32_t first = 0;
  std::uint32_t barrier = 0;
  bool IsSettled(std::uint32_t cell) const { return cell - first < barrier - first; }
};

// Whether the lane's group made the access to memory with this order. In local memory, whose order
// begins with the first event, others are as good as its own: their memory is gone.
inline bool IsOfGroup(const RaceOrder& order, const Batch& batch, int lane, std::uint32_t cell) {
  if (cell < order.first) return false;
  return batch.group_of == nullptr || order.first == 0 ||
         batch.group_of[cell & 63] == batch.group_of[lane];
}

struct RaceView {
  RaceCells* cells = nullptr;  // by place in the table of regions
  // By number; 0 is none, and its place is the first of the last events, all of which are one
  // batch's.
  const RaceEvent* const* events = nullptr;
  int granule_shift = 2;
  std::uint32_t group = 0;
  // Cells, not events: event << 6. For local memory everything before the barrier is settled, also
  // the cells of other groups, which had their own memory.  If the program has acquire and release,
  // `first` is `barrier`: every cell needs a second check.
  RaceOrder local;
  RaceOrder global;
  RaceOrder image;
  // What is never settled: memory that is an image and a buffer, whose accesses nothing orders.
  RaceOrder never = {0xffffffff, 0xffffffff};
  std::uint32_t any_barrier = 0;  // the event after the group's last barrier of any kind
  std::uint32_t interval = 0;     // events before this number are not continued

  const RaceOrder& OrderOf(const Region& region) const {
    if (region.space == AddressSpace::kLocal) return local;
    if (!region.is_image) return global;
    return region.is_image_and_buffer ? never : image;
  }
  bool IsOf(std::uint32_t event, const Batch& batch) const {
    const RaceEvent& other = (*events)[event];
    return other.group == group && other.first == batch.first_item && !other.is_async;
  }
  // Whether it is a copy that this group has waited for.
  bool IsFinishedCopy(std::uint32_t event) const {
    const RaceEvent& other = (*events)[event];
    return other.is_finished && other.group == group;
  }
  // The number of the event for the batch's accesses at the place.
  std::uint32_t EventOf(Batch& batch, std::uint32_t place) const {
    const std::uint32_t event = batch.events[place];
    return event >= interval ? event : NewRaceEvent(batch, place);
  }
};

// Records a load that is not ordered with the last one: the last two work-items are kept, one of
// them of another group if there is one.
inline void KeepReader(const RaceView& race, const RaceOrder& order, const Batch& batch, int lane,
                       std::uint32_t mine, std::uint32_t* read, std::uint32_t* other) {
  const std::uint32_t last = *read;
  const bool is_mine =
      (last & 63) == static_cast<std::uint32_t>(lane) && last != 0 && race.IsOf(last >> 6, batch);
  if (!is_mine && last != 0 && !order.IsSettled(last)) {
    const bool keeps = *other != 0 && IsOfGroup(order, batch, lane, last) &&
                       !IsOfGroup(order, batch, lane, *other);
    if (!keeps) *other = last;
  }
  *read = mine;
}

}  // namespace assay::interp
