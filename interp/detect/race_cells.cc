// The race detector's cells: which memory has some, and where they are.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "interp/detect/races.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kLargePage = std::uint64_t{1} << 21;

}  // namespace

void ReleaseCells::operator()(std::uint32_t* cells) const {
  if (mapped == 0) {
    std::free(cells);
  } else {
    (void)munmap(cells, mapped);
  }
}

bool Races::Column::Allocate(std::uint64_t number, bool large_pages) {
  if (!large_pages) {
    cells = {static_cast<std::uint32_t*>(std::calloc(number, sizeof(std::uint32_t))),
             ReleaseCells{}};
    return cells != nullptr;
  }
  if (number > (std::uint64_t{1} << 48)) return false;
  constexpr std::uint64_t kPage = kLargePage;
  const std::uint64_t bytes = (number * sizeof(std::uint32_t) + kPage - 1) & ~(kPage - 1);
  void* const mapped =
      mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return false;
  // From a large page's first byte to another one's last.
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::uint64_t before = -reinterpret_cast<std::uintptr_t>(begin) & (kPage - 1);
  if (before != 0) (void)munmap(begin, before);
  (void)munmap(begin + before + bytes, kPage - before);
  (void)madvise(begin + before, bytes, MADV_HUGEPAGE);
  cells = {reinterpret_cast<std::uint32_t*>(begin + before), ReleaseCells{bytes}};
  return true;
}

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
// they cannot take most of what a limit leaves, and where each thread's share has several.
std::unique_ptr<Races::Column> Races::NewColumn(const Region& region) {
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
  const bool large_pages =
      bytes >= kLargePage * (threads > 1 ? 8 * threads : 1) && launch_.budget.Fits(4 * (large_bytes_ + bytes), "").has_value();
  if (large_pages) large_bytes_ += bytes;
  return column->Allocate(number, large_pages) ? std::move(column) : nullptr;
}

}  // namespace assay::interp
