// The state of work-items that are executed together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "interp/program/memory.h"
#include "interp/program/program.h"

namespace assay::interp {

class Worker;

inline constexpr int kMaxLanes = 64;

struct RaceCells;
struct RaceView;
struct PointerView;
struct EnvelopeBatch;
class RestrictRecords;
class DebugHook;

// By the number of its group and its linear local id.
struct WorkItem {
  std::uint64_t group = 0;
  std::uint64_t local = 0;
};

// The state that handlers use.  Lane i is bit i of the masks.
struct Batch {
  std::byte* registers = nullptr;
  std::uint32_t lanes = 64;    // elements of a register: the width rounded up to a multiple of 16
  std::uint64_t active = 0;    // lanes that execute
  std::uint64_t sixteens = 0;  // every sixteenth lane, where one of the sixteen from it is active
  bool whole = false;          // all elements of a register belong to active lanes
  bool is_full = false;  // 64 elements may be written: nobody is elsewhere, and there are many
  // Where all 64 elements of a register may be written although some lanes are elsewhere: they have
  // nothing there (Program::temporaries_begin). While `is_full`, anywhere.
  std::uintptr_t free_begin = 0;
  std::uintptr_t free_bytes = 0;
  bool is_expanded = false;                       // `mask` is up to date
  alignas(64) std::uint8_t mask[kMaxLanes] = {};  // 1 for each active lane
  const Program* program = nullptr;
  const Region* regions = nullptr;
  std::uint64_t region_count = 0;
  int place_bits = 40;
  std::byte* frame = nullptr;  // of lane 0; the next is Program::frame_bytes further
  std::byte* rows = nullptr;   // of interleaved variables (interp/execute/interleaved.h)
  std::uint64_t* variable_alive =
      nullptr;  // lanes in which a variable is in its lifetime, by its index
  std::uint64_t variable_count = 0;
  Worker* worker = nullptr;

  // Of programs under detectors (docs/architecture.md, "Detectors").
  bool tainted = false;            // some register has undefined bits; else all records are zero
  std::byte* undefined = nullptr;  // beside the registers, 1 for each undefined bit; or null
  std::uint8_t* any_undefined = nullptr;  // whether there are some, for each 64 bytes of registers
  std::uint32_t* origins =
      nullptr;  // the reason, by register and lane: an index in the worker's origins
  std::byte* frame_undefined = nullptr;  // beside `frame`
  // Of interleaved variables: in which lanes each row is undefined, and how many rows are in some.
  std::uint64_t* row_undefined = nullptr;
  std::uint64_t undefined_rows = 0;
  RaceView* race = nullptr;               // null: the race detector is off
  std::uint32_t* events = nullptr;        // by place: the event of its accesses, see RaceView
  const PointerView* pointers = nullptr;  // null: not needed by this program
  RestrictRecords* restricts = nullptr;   // null: no restrict parameter is watched
  std::uint64_t first_item = 0;           // linear local id of lane 0
  const WorkItem* items = nullptr;        // of the lanes, where they are of several groups
  // Of each lane, the number of its group among those in the batch, and how many work-items each of
  // them has; null: the lanes are of one group (packing.h).
  const std::uint32_t* group_of = nullptr;
  std::uint32_t group_items = 0;

  EnvelopeBatch* envelope = nullptr;  // of an envelope run

  // Of programs for a debugger.
  DebugHook* debug = nullptr;
  std::uint32_t marker = 0xffffffff;  // the last one that was executed

  template <typename T>
  T* Register(std::uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  template <typename T>
  T* Undefined(std::uint32_t offset) const {
    return reinterpret_cast<T*>(undefined + offset);
  }
  bool MayWriteAll(const void* result) const {
    return reinterpret_cast<std::uintptr_t>(result) - free_begin < free_bytes;
  }
  std::uint32_t* Origins(std::uint32_t offset) const { return origins + offset; }
  const std::uint8_t* Mask() {
    if (!is_expanded) ExpandMask();
    return mask;
  }
  void ExpandMask();
  const Region* FindRegion(Address address) const {
    const std::uint64_t place = address >> place_bits;
    return place < region_count ? &regions[place] : nullptr;
  }
};

// The work-item of a lane; `group` is the worker's, or the first one in the batch.
inline WorkItem ItemAt(const Batch& batch, std::uint64_t group, std::uint64_t lane) {
  if (batch.items != nullptr) return batch.items[lane];
  if (batch.group_of == nullptr) return {group, batch.first_item + lane};
  const std::uint64_t number = batch.group_of[lane];
  return {group + number, lane - number * batch.group_items};
}

enum class AccessKind : std::uint8_t { kLoad, kStore, kAtomic };

// Where the lane's bytes of a region begin; null: it has none, or they are a private variable's.
inline std::byte* HostOf(const Batch& batch, const Region& region, int lane) {
  if (region.groups == nullptr) return region.host;
  return region.groups + batch.group_of[lane] * region.bytes;
}
// The bytes of an atomic access that is plainly allowed, else null: ResolveAccess has the reason.
inline std::byte* PlainBytes(const Batch& batch, int lane, Address address, std::uint64_t bytes) {
  const Region* const region = batch.FindRegion(address);
  if (region == nullptr || !region->writable || !region->readable || region->ended ||
      region->bytes < bytes || address - region->address > region->bytes - bytes) {
    return nullptr;
  }
  std::byte* const host = HostOf(batch, *region, lane);
  return host == nullptr ? nullptr : host + (address - region->address);
}

// The bytes that a lane accesses; null if the access is invalid, which is then reported.
std::byte* ResolveAccess(Batch& batch, const FlatInstruction& instruction, int lane,
                         Address address, std::uint64_t bytes, AccessKind kind);

// The slow paths of watched handlers (interp/detect). Reports lanes whose operands met the
// condition of the instruction's check.
void CheckFailed(Batch& batch, const FlatInstruction& instruction, std::uint64_t lanes);
// ... with a message for each lane.
void CheckFailed(Batch& batch, const FlatInstruction& instruction, std::uint64_t lanes,
                 const std::function<std::string(int lane)>& message);
// Checks computed pointers when not all lanes are known to be valid.
void AddressOutOfBounds(Batch& batch, const FlatInstruction& instruction);
void AddressOverflows(Batch& batch, const FlatInstruction& instruction);
void Misaligned(Batch& batch, const FlatInstruction& instruction);
void AddressUndefined(Batch& batch, const FlatInstruction& instruction);
// Records the origin of undefined bits that a load may have put into a register.
void LoadedUndefined(Batch& batch, const FlatInstruction& instruction, std::uint32_t result,
                     std::uint32_t bytes, std::uint64_t offset);
void ClearUndefined(Batch& batch, std::uint32_t result, std::uint32_t bytes);
// Called before values are stored of which some have undefined bits.
void StoredUndefined(Batch& batch, const FlatInstruction& instruction, const std::uint32_t* values,
                     std::uint32_t parts, std::uint32_t bytes);
// For programs with a PointerView.
void LoadedPointers(Batch& batch, const FlatInstruction& instruction, std::uint32_t result,
                    std::uint32_t bytes, std::uint64_t offset);
void StoredPointers(Batch& batch, const FlatInstruction& instruction, std::uint32_t value,
                    std::uint32_t bytes, std::uint64_t offset);
// An access to adjacent scalars of this size.
void AccessedBesideRestrict(Batch& batch, const FlatInstruction& instruction, std::uint32_t parts,
                            std::uint64_t part_bytes, bool writes);
// The record of a byte that ResolveAccess returned; null if everything is defined.
std::byte* UndefinedAt(const Batch& batch, int lane, Address address);
// Before an atomic operation: checks alignment, initialisation and races, and records the order.
std::uint64_t WatchAtomic(Batch& batch, const FlatInstruction& instruction, int lane,
                          Address address, std::uint64_t bytes, const AtomicCall& call);
// After an atomic operation at this place of its object's modification order (RaceWatch::Places),
// where it left `value`: records the order.
void WatchOrder(Batch& batch, int lane, const AtomicCall& call, Address address,
                std::uint64_t value, std::uint32_t place);
// One work-item's access; for stores, before it.
void TrackAccess(Batch& batch, const FlatInstruction& instruction, int lane, Address address,
                 std::uint64_t bytes, AccessKind kind, bool is_same_value);
// An access to a cell that another work-item accessed; simple comparisons do not order the two.
void RaceSuspected(Batch& batch, const FlatInstruction& instruction, int lane,
                   const RaceCells& cells, std::uint32_t cell, AccessKind kind, bool other_wrote,
                   std::uint64_t offset, std::uint64_t bytes, bool is_same_value);
// The number of the batch's accesses at a place, which begin (RaceView).
std::uint32_t NewRaceEvent(Batch& batch, std::uint32_t place);

}  // namespace assay::interp
