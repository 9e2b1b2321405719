// Cells of the race detector (race_view.h), many at once: those of sixteen atomic operations, and
// of elements that lie at equal distances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/execute/race_view.h"
#include "interp/program/memory.h"

namespace assay::interp {

// What they are compared with: a region of less than 2 GiB, objects of 4 bytes, one event.
struct AtomicRows {
  const RaceCells* cells = nullptr;
  RaceOrder order;
  int granule_shift = 2;
  Address begin = 0;        // of the region
  std::uint64_t bytes = 0;  // of it
  const std::byte* undefined = nullptr;
  // Cells of events that are in one scope with this one.
  std::uint32_t alike_first = 0;
  std::uint32_t alike_range = 0;
};

constexpr std::size_t kAtomicRow = 16;

// Whether the objects of these lanes, of sixteen, are in the region, aligned and defined, and plain
// accesses to them are settled. `unlike` becomes those of the lanes whose object has an atomic
// store that is neither settled nor one of the events that are alike.
using LookAtAtomicRow = bool (*)(const AtomicRows& rows, const Address* addresses,
                                 std::uint64_t lanes, std::uint64_t* unlike);
LookAtAtomicRow FindLookAtAtomicRow();

// Rows of `each` cells, `step` cells apart.
struct CellRows {
  std::uint64_t each = 0;
  std::uint64_t count = 0;
  std::uint64_t step = 0;
};
// Whether all of them, from this one on, are free or settled.
using AreRowsSettled = bool (*)(const std::uint32_t* cells, const CellRows& rows,
                                const RaceOrder& order);
AreRowsSettled FindAreRowsSettled();
// Gives all of them to an access.
using TakeRows = void (*)(std::uint32_t* cells, const CellRows& rows, std::uint32_t mine);
TakeRows FindTakeRows();

}  // namespace assay::interp
