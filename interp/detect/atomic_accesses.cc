// Atomic operations that conflict with nothing, as those that count in a table: most of what
// Races::Access does is not needed then.
#include <emmintrin.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

// Cells of one region, for the atomic operations of one event.
class AtomicCells {
 public:
  AtomicCells(const RaceView& view, const RaceCells& cells, const RaceOrder& order,
              std::uint32_t event, std::uint64_t bytes)
      : view_(view),
        cells_(cells),
        order_(order),
        event_(event),
        each_(static_cast<std::uint32_t>(bytes >> view.granule_shift)),
        words_(static_cast<std::uint32_t>(bytes / 4)),
        // Where nobody loaded anything there are no readers.
        is_read_(*cells.is_read) {}

  // Whether plain accesses to an aligned object are settled.
  bool AreSettled(std::uint64_t offset) const {
    const std::uint64_t first = offset >> view_.granule_shift;
    return AreSettled(cells_.write + first) && (!is_read_ || (AreSettled(cells_.read[0] + first) &&
                                                              AreSettled(cells_.read[1] + first)));
  }
  // Whether a test holds for all atomic stores that are kept of the object and not settled.
  template <typename Test>
  bool AllStores(std::uint64_t offset, const Test& test) const {
    for (std::uint64_t i = offset / 4; i < offset / 4 + words_; ++i) {
      for (const std::uint32_t cell : {cells_.atomic[0][i], cells_.atomic[1][i]}) {
        if (cell != 0 && !order_.IsSettled(cell) && !test(cell)) return false;
      }
    }
    return true;
  }
  void Take(const Batch& batch, int lane, std::uint64_t offset) const {
    const std::uint32_t mine = event_ << 6 | static_cast<std::uint32_t>(lane);
    for (std::uint64_t i = offset / 4; i < offset / 4 + words_; ++i) {
      KeepReader(view_, order_, batch, lane, mine, &cells_.atomic[0][i], &cells_.atomic[1][i]);
    }
  }
  // All of some of the sixteen lanes from `first` on, if the test holds for what they would have to
  // test one by one; else none.
  template <typename Test>
  bool TakeRow(const Batch& batch, const AtomicRows& rows, const Address* addresses, int first,
               std::uint64_t row, const Test& test) const {
    static const LookAtAtomicRow look_at_row = FindLookAtAtomicRow();
    std::uint64_t unlike = 0;
    if (!look_at_row(rows, addresses + first, row, &unlike)) return false;
    for (; unlike != 0; unlike &= unlike - 1) {
      const Address address = addresses[first + std::countr_zero(unlike)];
      if (!AllStores(address - rows.begin, test)) return false;
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
      if (cells[i] != 0 && !order_.IsSettled(cells[i])) return false;
    } while (++i < each_);
    return true;
  }
  bool AreFourSettled(const std::uint32_t* cells) const {
    const auto same = [](std::uint32_t value) { return _mm_set1_epi32(static_cast<int>(value)); };
    constexpr std::uint32_t kSign = 0x80000000;  // so that numbers are compared as if they had one
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells));
    const __m128i from_first = _mm_sub_epi32(four, same(order_.first - kSign));
    const __m128i settled =
        _mm_cmplt_epi32(from_first, same(order_.barrier - order_.first - kSign));
    const __m128i free = _mm_cmpeq_epi32(four, _mm_setzero_si128());
    return _mm_movemask_epi8(_mm_or_si128(settled, free)) == 0xffff;
  }

  const RaceView& view_;
  const RaceCells cells_;
  const RaceOrder order_;
  const std::uint32_t event_;
  const std::uint32_t each_;  // 0: an object is a part of one
  const std::uint32_t words_;
  const bool is_read_;
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
  std::uint32_t event = batch.events[in.place];
  if (event < view.interval) {
    event = NewEvent(batch, in.place, static_cast<std::uint8_t>(scope + 1));
  } else if (events_[event].atomic != scope + 1) {
    return lanes;
  }
  constexpr auto kDevice = static_cast<std::uint32_t>(frontend::Scope::kDevice);
  constexpr auto kWorkgroup = static_cast<std::uint32_t>(frontend::Scope::kWorkgroup);
  // Of one scope, which includes both work-items; of narrower ones the work-items would decide, as
  // of the groups' own where a batch has several.
  const bool is_of_group = batch.group_of == nullptr || region.groups != nullptr;
  const auto includes = [&](std::uint8_t atomic, std::uint32_t group) {
    return atomic == scope + 1 &&
           (scope <= kDevice || (scope == kWorkgroup && is_of_group && group == view.group));
  };
  const std::uint32_t first_alike = alike_.first;
  const std::uint32_t alike =
      includes(alike_.atomic, alike_.group) ? alike_.last - first_alike + 1 : 0;
  const auto is_included = [&](std::uint32_t cell) {
    const std::uint32_t other = cell >> 6;
    return other - first_alike < alike || includes(events_[other].atomic, events_[other].group);
  };
  const AtomicCells found(view, cells, view.OrderOf(region), event, bytes);
  // Those of sixteen lanes at once, where what one of them records is nothing to the others.
  const AtomicRows rows{.cells = &cells,
                        .order = view.OrderOf(region),
                        .granule_shift = view.granule_shift,
                        .begin = region.address,
                        .bytes = region.bytes,
                        .undefined = objects.undefined(),
                        .alike_first = first_alike << 6,
                        .alike_range = alike << 6};
  const bool has_rows = bytes == 4 && batch.group_of == nullptr &&
                        region.bytes < (std::uint64_t{1} << 31) &&
                        includes(static_cast<std::uint8_t>(scope + 1), view.group);
  while (lanes != 0) {
    const int lane = std::countr_zero(lanes);
    const std::uint32_t first = static_cast<std::uint32_t>(lane) & ~std::uint32_t{kAtomicRow - 1};
    const std::uint64_t row = lanes >> first & ((std::uint64_t{1} << kAtomicRow) - 1);
    // Of few lanes each by itself costs less.
    if (has_rows && CountLanes(row) >= 4 &&
        found.TakeRow(batch, rows, addresses, static_cast<int>(first), row, is_included)) {
      *cells.is_atomic = true;
      if (scope > kDevice) *cells.is_narrow = true;
      lanes &= ~(row << first);
      continue;
    }
    const std::uint64_t offset = addresses[lane] - region.address + DistanceOf(batch, region, lane);
    if (!objects.Has(lane, addresses[lane]) || !found.AreSettled(offset) ||
        !found.AllStores(offset, is_included)) {
      return lanes;
    }
    found.Take(batch, lane, offset);
    *cells.is_atomic = true;
    if (scope > kDevice) *cells.is_narrow = true;
    lanes &= lanes - 1;
  }
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
