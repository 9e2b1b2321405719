// Atomic operations that conflict with nothing, as those that count in a table: most of what
// Races::Access does is not needed then.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/vector_instructions.h"
#include "interp/detect/races.h"
#include "interp/execute/group_distance.h"
#include "interp/execute/plain_atomics.h"
#include "interp/execute/race_rows.h"
#include "interp/execute/race_view.h"
#include "interp/program/memory_order.h"

namespace assay::interp {
namespace {

// Whether an object of 4 or 8 bytes is in a region, aligned, and all of it is defined.
class PlainObjects {
 public:
  PlainObjects(const Batch& batch, const Region& region, std::uint64_t bytes)
      : batch_(batch), region_(region), bytes_(bytes) {
    if (batch.undefined != nullptr && region.shadow != nullptr) {
      undefined_ = region.shadow->undefined.load(std::memory_order_relaxed);
    }
  }
  bool Has(int lane, Address address) const {
    const std::uint64_t offset = address - region_.address;
    if (region_.bytes < bytes_ || offset > region_.bytes - bytes_ ||
        ((address | offset) & (bytes_ - 1)) != 0) {
      return false;
    }
    if (undefined_ == nullptr) return true;
    const std::byte* const record = undefined_ + DistanceOf(batch_, region_, lane) + offset;
    std::uint64_t undefined = 0;
    if (bytes_ == 4) {
      std::memcpy(&undefined, record, 4);
    } else {
      std::memcpy(&undefined, record, 8);
    }
    return undefined == 0;
  }

  const std::byte* undefined() const { return undefined_; }

  // What is left after the first lanes whose objects are like this.
  std::uint64_t After(const Address* addresses, std::uint64_t lanes) const {
    while (lanes != 0 && Has(std::countr_zero(lanes), addresses[std::countr_zero(lanes)])) {
      lanes &= lanes - 1;
    }
    return lanes;
  }

 private:
  const Batch& batch_;
  const Region& region_;
  const std::uint64_t bytes_;
  const std::byte* undefined_ = nullptr;
};

// Events of cells from `first` on, fewer than `count`.
struct CellRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  bool Has(std::uint32_t cell) const { return cell - first < count; }
};

// Cells of one region, for the atomic operations of one event: objects of so many words.
template <std::uint32_t kWords>
class AtomicCells {
 public:
  AtomicCells(const RaceView& view, const RaceCells& cells, const RaceOrder& order,
              std::uint32_t event)
      : view_(view),
        order_(order),
        write_(cells.write),
        // Where nobody loaded anything there are no readers.
        read_{*cells.is_read ? cells.read[0] : nullptr, cells.read[1]},
        atomic_{cells.atomic[0], cells.atomic[1]},
        settled_{order.first, order.barrier - order.first},
        event_(event),
        shift_(view.granule_shift),
        each_(kWords * 4 >> shift_) {}

  // Whether plain accesses to an aligned object are settled.
  bool AreSettled(std::uint64_t offset) const {
    const std::uint64_t first = offset >> shift_;
    return AreSettled(write_ + first) &&
           (read_[0] == nullptr || (AreSettled(read_[0] + first) && AreSettled(read_[1] + first)));
  }
  // Whether all atomic stores that are kept of the object are settled, of these events, or such
  // that a test holds.
  template <typename Test>
  bool AllStores(std::uint64_t offset, const CellRange& alike, const Test& test) const {
    const auto is_good = [&](std::uint32_t cell) {
      return alike.Has(cell) || cell == 0 || settled_.Has(cell) || test(cell);
    };
    for (std::uint64_t i = offset / 4; i < offset / 4 + kWords; ++i) {
      if (!is_good(atomic_[0][i]) || !is_good(atomic_[1][i])) return false;
    }
    return true;
  }
  void Take(const Batch& batch, int lane, std::uint64_t offset) const {
    const std::uint32_t mine = event_ << 6 | static_cast<std::uint32_t>(lane);
    for (std::uint64_t i = offset / 4; i < offset / 4 + kWords; ++i) {
      KeepReader(view_, order_, batch, lane, mine, &atomic_[0][i], &atomic_[1][i]);
    }
  }
  // All of some of the sixteen lanes from `first` on, if the test holds for what they would have to
  // test one by one; else none.
  template <typename Test>
  bool TakeRow(const Batch& batch, const AtomicRows& rows, const Address* addresses, int first,
               std::uint64_t row, CellRange alike, const Test& test) const {
    static const LookAtAtomicRow look_at_row = FindLookAtAtomicRow();
    std::uint64_t unlike = 0;
    if (!look_at_row(rows, addresses + first, row, &unlike)) return false;
    for (; unlike != 0; unlike &= unlike - 1) {
      const Address address = addresses[first + std::countr_zero(unlike)];
      if (!AllStores(address - rows.begin, alike, test)) return false;
    }
    for (; row != 0; row &= row - 1) {
      const int lane = first + std::countr_zero(row);
      Take(batch, lane, addresses[lane] - rows.begin);
    }
    return true;
  }

 private:
  bool AreSettled(const std::uint32_t* cells) const {
    if (each_ == 4) return AreFourSettled(cells);
    std::uint32_t i = 0;
    do {
      if (cells[i] != 0 && !settled_.Has(cells[i])) return false;
    } while (++i < each_);
    return true;
  }
  bool AreFourSettled(const std::uint32_t* cells) const {
    const auto same = [](std::uint32_t value) { return _mm_set1_epi32(static_cast<int>(value)); };
    constexpr std::uint32_t kSign = 0x80000000;  // so that numbers are compared as if they had one
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    const __m128i from_first = _mm_sub_epi32(four, same(settled_.first - kSign));
    const __m128i settled = _mm_cmplt_epi32(from_first, same(settled_.count - kSign));
    const __m128i free = _mm_cmpeq_epi32(four, _mm_setzero_si128());
    return _mm_movemask_epi8(_mm_or_si128(settled, free)) == 0xffff;
  }

  const RaceView& view_;
  const RaceOrder order_;
  std::uint32_t* const write_;
  std::uint32_t* const read_[2];
  std::uint32_t* const atomic_[2];
  const CellRange settled_;
  const std::uint32_t event_;
  const int shift_;
  const std::uint32_t each_;  // 0: an object is a part of one
};

}  // namespace

std::uint64_t Races::AccessAtomically(Batch& batch, const FlatInstruction& in,
                                      const AtomicCall& call, const Region& region,
                                      const Address* addresses, std::uint64_t bytes,
                                      std::uint64_t lanes) {
  const RaceView& view = *batch.race;
  const RaceCells& cells = view.cells[region.address >> batch.place_bits];
  const PlainObjects objects(batch, region, bytes);
  if (cells.write == nullptr) return objects.After(addresses, lanes);
  if (exact_ || batch.items != nullptr || region.is_image || cells.atomic[0] == nullptr ||
      !objects.Has(std::countr_zero(lanes), addresses[std::countr_zero(lanes)])) {
    return lanes;
  }
  const std::uint32_t scope = ScopeInMemory(ScopeOf(call), region.space);
  const std::uint8_t kind = AtomicKind(scope, bytes);
  std::uint32_t event = batch.events[in.place];
  if (event < view.interval) {
    event = NewEvent(batch, in.place, kind);
  } else if (events_[event].atomic != kind) {
    return lanes;
  }
  constexpr auto kDevice = static_cast<std::uint32_t>(frontend::Scope::kDevice);
  constexpr auto kWorkgroup = static_cast<std::uint32_t>(frontend::Scope::kWorkgroup);
  // Of one scope, which includes both work-items; of narrower ones the work-items would decide, as
  // of the groups' own where a batch has several.
  const bool is_of_group = batch.group_of == nullptr || region.groups != nullptr;
  const auto includes = [&](std::uint8_t atomic, std::uint32_t group) {
    return atomic == kind &&
           (scope <= kDevice || (scope == kWorkgroup && is_of_group && group == view.group));
  };
  const std::uint32_t first_alike = alike_.first;
  const std::uint32_t alike =
      includes(alike_.atomic, alike_.group) ? alike_.last - first_alike + 1 : 0;
  const auto is_included = [&](std::uint32_t cell) {
    return includes(events_[cell >> 6].atomic, events_[cell >> 6].group);
  };
  const CellRange alike_cells = {first_alike << 6, alike << 6};
  // Those of sixteen lanes at once, where what one of them records is nothing to the others.
  const AtomicRows rows{.cells = &cells,
                        .order = view.OrderOf(region),
                        .granule_shift = view.granule_shift,
                        .begin = region.address,
                        .bytes = region.bytes,
                        .undefined = objects.undefined(),
                        .alike_first = alike_cells.first,
                        .alike_range = alike_cells.count};
  const bool has_rows = bytes == 4 && batch.group_of == nullptr &&
                        region.bytes < (std::uint64_t{1} << 31) && includes(kind, view.group);
  const auto take_all = [&](const auto& found) {
    bool is_any = false;
    while (lanes != 0) {
      const int lane = std::countr_zero(lanes);
      const std::uint32_t first = static_cast<std::uint32_t>(lane) & ~std::uint32_t{kAtomicRow - 1};
      const std::uint64_t row = lanes >> first & ((std::uint64_t{1} << kAtomicRow) - 1);
      // Of few lanes each by itself costs less.
      if (has_rows && CountLanes(row) >= 4 &&
          found.TakeRow(batch, rows, addresses, static_cast<int>(first), row, alike_cells,
                        is_included)) {
        is_any = true;
        lanes &= ~(row << first);
        continue;
      }
      const std::uint64_t offset =
          addresses[lane] - region.address + DistanceOf(batch, region, lane);
      if (!objects.Has(lane, addresses[lane]) || !found.AreSettled(offset) ||
          !found.AllStores(offset, alike_cells, is_included)) {
        break;
      }
      found.Take(batch, lane, offset);
      is_any = true;
      lanes &= lanes - 1;
    }
    *cells.is_atomic = *cells.is_atomic || is_any;
    *cells.is_narrow = *cells.is_narrow || (is_any && scope > kDevice);
  };
  if (bytes == 4) take_all(AtomicCells<1>(view, cells, view.OrderOf(region), event));
  if (bytes == 8) take_all(AtomicCells<2>(view, cells, view.OrderOf(region), event));
  return lanes;
}

std::uint64_t RecordPlainAtomics(Batch& batch, const FlatInstruction& in, const AtomicCall& call,
                                 const Address* addresses, std::uint64_t bytes,
                                 std::uint64_t lanes) {
  if (!ReadsAndWrites(call.opcode) || (bytes != 4 && bytes != 8)) return lanes;
  Races* const races = RacesOf(*batch.worker);
  while (lanes != 0) {
    const Region* const region = batch.FindRegion(addresses[std::countr_zero(lanes)]);
    if (region == nullptr || (region->host == nullptr && region->groups == nullptr)) break;
    const std::uint64_t left =
        races == nullptr
            ? PlainObjects(batch, *region, bytes).After(addresses, lanes)
            : races->AccessAtomically(batch, in, call, *region, addresses, bytes, lanes);
    if (left == lanes) break;
    lanes = left;
  }
  return lanes;
}

}  // namespace assay::interp
