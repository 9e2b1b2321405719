// The race detector's cells: which memory has some, and where they are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "interp/detect/races.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kLargePage = std::uint64_t{1} << 21;

}  // namespace

RaceCells Races::Column::View(std::size_t place) {
  RaceCells view;
  view.write = cells.get();
  view.read[0] = cells.get() + count;
  view.read[1] = cells.get() + 2 * count;
  if (atomic_count != 0) {
    view.atomic[0] = cells.get() + 3 * count;
    view.atomic[1] = view.atomic[0] + atomic_count;
  }
  view.is_read = &is_read;
  view.is_atomic = &is_atomic;
  view.is_narrow = &is_narrow;
  view.place = static_cast<std::uint32_t>(place);
  return view;
}

void Races::Column::Clear() {
  std::memset(cells.get(), 0, (count * 3 + atomic_count * 2) * sizeof(std::uint32_t));
  is_read = is_atomic = is_narrow = false;
}

// Memory in which work-items can meet, at least one of them with a store.  An asynchronous copy is
// somebody else, also for the only work-item of a group.
bool Races::IsShared(const Region& region) const {
  if (region.space == AddressSpace::kLocal) {
    const auto is_copy = [](const FlatSync& sync) { return sync.opcode == Opcode::kAsyncCopy; };
    return launch_.local[0] * launch_.local[1] * launch_.local[2] > 1 ||
           std::ranges::any_of(launch_.program->syncs, is_copy);
  }
  const std::uint64_t place = region.address >> launch_.memory->layout().place_bits;
  return region.space == AddressSpace::kGlobal && launch_.written_places[place];
}

// Most cells are touched once or twice, and a page costs more than that: so large ones where there
// are many cells.  A single touch takes all of a large page's memory: so they are used only while
// they cannot take most of what a limit leaves, and where each thread's share has some.
std::unique_ptr<Races::Column> Races::NewColumn(const Region& region, std::uint32_t thread) {
  const Program& program = *launch_.program;
  auto column = std::make_unique<Column>();
  // Of local memory each group in a batch has its own, one after the other (GroupsInBatch).
  const std::uint64_t region_bytes =
      region.bytes * (region.groups != nullptr ? launch_.groups_in_batch : 1);
  column->count = region_bytes / program.access_granule + 1;
  if (!program.atomic_calls.empty()) column->atomic_count = region_bytes / 4 + 2;
  const std::uint64_t number = column->count * 3 + column->atomic_count * 2;
  const std::uint64_t bytes = number * sizeof(std::uint32_t);
  const std::uint64_t threads = launch_.shares.threads();
  const bool large_pages = bytes >= kLargePage * (threads > 1 ? 2 * threads : 1) &&
                           launch_.budget.Fits(4 * (large_bytes_ + bytes), "").has_value();
  if (large_pages) large_bytes_ += bytes;
  column->cells = AllocateCells(number, {.thread = thread, .large_pages = large_pages});
  return column->cells != nullptr ? std::move(column) : nullptr;
}

}  // namespace assay::interp
