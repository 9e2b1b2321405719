// Compares the cells of threads at the end of a launch.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/kept_threads.h"
#include "base/parallel_chunks.h"
#include "base/touched_pages.h"
#include "base/vector_instructions.h"
#include "interp/detect/races.h"

namespace assay::interp {
namespace {

// Granules that are looked through at once, by one thread: of a small region some for each thread.
std::uint64_t SliceOf(std::uint64_t granules, std::size_t threads) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 12, kMost = std::uint64_t{1} << 18;
  return std::clamp(std::bit_ceil(granules / (4 * threads) + 1), kLeast, kMost);
}
constexpr std::uint64_t kBlock = 64;

// Which threads did something: none, one or several.
class Threads {
 public:
  void Add(bool did, std::size_t thread) {
    if (!did) return;
    several_ = several_ || (some_ && thread_ != thread);
    some_ = true;
    thread_ = thread;
  }
  // Whether one of these and another one of those can be chosen.
  bool MeetOthers(const Threads& those) const {
    return some_ && those.some_ && (several_ || those.several_ || thread_ != those.thread_);
  }

 private:
  bool some_ = false;
  bool several_ = false;
  std::size_t thread_ = 0;
};

bool HasAny(const std::uint32_t* cells, std::uint64_t count) {
  __m128i all = _mm_setzero_si128();
  std::uint64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    all = _mm_or_si128(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + i)));
  }
  std::uint32_t rest = 0;
  for (; i < count; ++i) rest |= cells[i];
  return rest != 0 || _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_setzero_si128())) != 0xffff;
}

}  // namespace

// The cells of one region, those of each thread that has some.
class Races::Comparison {
 public:
  Comparison(std::span<const Races* const> all, std::size_t place, int granule_shift)
      : shift_(granule_shift) {
    for (const Races* races : all) {
      if (!races->is_prepared_) continue;
      const auto found = races->global_.find(place);
      if (found == races->global_.end() || found->second == nullptr) continue;
      sides_.push_back(
          {races, found->second->View(place), found->second->cells.get_deleter().is_kept});
      count_ = found->second->count;
      atomic_count_ = found->second->atomic_count;
    }
    slice_ = SliceOf(count_, all.size());
    has_atomics_ = std::ranges::any_of(sides_, [](const Side& s) { return *s.cells.is_atomic; });
  }

  std::uint64_t slices() const { return sides_.size() < 2 ? 0 : (count_ + slice_ - 1) / slice_; }

  bool HasConflict(std::uint64_t slice, const base::TouchedPages& touched) const {
    const std::uint64_t begin = slice * slice_, end = std::min(count_, begin + slice_);
    std::vector<const Side*> sides;
    for (const Side& side : sides_) {
      if (IsTouched(side, begin, end, touched)) sides.push_back(&side);
    }
    if (sides.size() < 2) return false;
    for (std::uint64_t i = begin; i < end; i += kBlock) {
      if (HasConflictIn(sides, i, std::min(end, i + kBlock))) return true;
    }
    return has_atomics_ && HaveNarrowAtomics(sides, begin, end);
  }

 private:
  struct Side {
    const Races* races;
    RaceCells cells;
    bool is_kept;  // CellMemory's
  };

  // Atomic cells are of four bytes each.
  std::uint64_t AtomicCell(std::uint64_t granule) const { return (granule << shift_) / 4; }

  bool IsTouched(const Side& side, std::uint64_t begin, std::uint64_t end,
                 const base::TouchedPages& touched) const {
    const auto any = [&](const std::uint32_t* cells, std::uint64_t first, std::uint64_t last) {
      // What is kept has most of its pages: looking at them takes less time than asking the system.
      if (side.is_kept) return HasAny(cells + first, last - first);
      return touched.Any(cells + first, (last - first) * sizeof *cells);
    };
    return any(side.cells.write, begin, end) ||
           (*side.cells.is_read &&
            (any(side.cells.read[0], begin, end) || any(side.cells.read[1], begin, end))) ||
           (*side.cells.is_atomic && any(side.cells.atomic[0], AtomicCell(begin), AtomicEnd(end)));
  }
  std::uint64_t AtomicEnd(std::uint64_t end) const {
    return end == count_ ? atomic_count_ : AtomicCell(end);
  }

  // First what is true of most blocks: only one thread accessed it, or none stored there.
  bool HasConflictIn(std::span<const Side* const> sides, std::uint64_t begin,
                     std::uint64_t end) const {
    const std::uint64_t count = end - begin;
    std::size_t who = 0;
    bool stores = has_atomics_;
    for (const Side* side : sides) {
      const bool stored = HasAny(side->cells.write + begin, count);
      stores = stores || stored;
      const bool loaded = *side->cells.is_read && (HasAny(side->cells.read[0] + begin, count) ||
                                                   HasAny(side->cells.read[1] + begin, count));
      if (stored || loaded || *side->cells.is_atomic) ++who;
    }
    if (who < 2 || !stores) return false;
    for (std::uint64_t i = begin; i < end; ++i) {
      if (IsConflict(sides, i)) return true;
    }
    return false;
  }

  // At least one stores, and not both are atomic.
  bool IsConflict(std::span<const Side* const> sides, std::uint64_t granule) const {
    Threads all, stores, plain, plain_stores, atomics;
    for (std::size_t thread = 0; thread < sides.size(); ++thread) {
      const Side& side = *sides[thread];
      const std::uint32_t write = side.cells.write[granule];
      const std::uint32_t reads[] = {side.cells.read[0][granule], side.cells.read[1][granule]};
      const bool is_plain_store = side.races->IsPlain(write);
      all.Add((write | reads[0] | reads[1]) != 0, thread);
      stores.Add(write != 0, thread);
      plain_stores.Add(is_plain_store, thread);
      plain.Add(is_plain_store || side.races->IsPlain(reads[0]) || side.races->IsPlain(reads[1]),
                thread);
      atomics.Add(*side.cells.is_atomic && side.cells.atomic[0][AtomicCell(granule)] != 0, thread);
    }
    return plain_stores.MeetOthers(all) || stores.MeetOthers(plain) || atomics.MeetOthers(all);
  }

  // Atomic operations on one object, unless their scopes include all groups.
  bool HaveNarrowAtomics(std::span<const Side* const> sides, std::uint64_t begin,
                         std::uint64_t end) const {
    const auto is_narrow = [](const Side* side) { return *side->cells.is_narrow; };
    if (std::ranges::none_of(sides, is_narrow)) return false;
    for (std::uint64_t i = AtomicCell(begin); i < AtomicEnd(end); ++i) {
      Threads all, narrow;
      for (std::size_t thread = 0; thread < sides.size(); ++thread) {
        const bool did = sides[thread]->cells.atomic[0][i] != 0;
        all.Add(did, thread);
        narrow.Add(did && is_narrow(sides[thread]), thread);
      }
      if (narrow.MeetOthers(all)) return true;
    }
    return false;
  }

  const int shift_;
  std::vector<Side> sides_;
  std::uint64_t count_ = 0, atomic_count_ = 0, slice_ = 1;
  bool has_atomics_ = false;
};

bool Races::Conflict(std::span<const Races* const> all) {
  if (all.size() < 2) return false;
  const base::TouchedPages touched;
  const int shift = std::countr_zero(all[0]->launch_.program->access_granule);
  for (const auto& [place, column] : all[0]->global_) {
    const Comparison comparison(all, place, shift);
    const std::uint64_t slices = comparison.slices();
    std::atomic<bool> found{false};
    std::atomic<std::size_t> next{0};
    const auto compare = [&](int, std::size_t slice, std::size_t) {
      if (!found && comparison.HasConflict(slice, touched)) found = true;
    };
    base::RunOnKeptThreads(static_cast<int>(std::min<std::uint64_t>(all.size(), slices)),
                           base::TakesChunks(next, slices, 1, compare));
    if (found) return true;
  }
  return false;
}

}  // namespace assay::interp
