// Atomic operations that conflict with nothing, as those that count in a table: most of what
// Races::Access does is not needed then.
#include <cstdint>

#include "interp/detect/races.h"
#include "interp/execute/race_view.h"
#include "interp/program/memory_order.h"

namespace assay::interp {

bool Races::AccessAtomically(Batch& batch, const FlatInstruction& in, int lane,
                             const Region& region, std::uint64_t offset, const AtomicCall& call) {
  RaceView& view = *batch.race;
  const RaceCells& cells = view.cells[region.address >> batch.place_bits];
  if (cells.write == nullptr) return true;
  if (exact_ || region.is_image || cells.atomic[0] == nullptr) return false;
  const std::uint64_t bytes = in.c;
  const RaceOrder& order = view.OrderOf(region);
  const auto is_settled = [&](std::uint32_t cell) { return cell == 0 || order.IsSettled(cell); };
  const std::uint64_t first = offset >> view.granule_shift;
  const std::uint64_t last = (offset + bytes - 1) >> view.granule_shift;
  for (std::uint64_t i = first; i <= last; ++i) {
    if (!is_settled(cells.write[i]) || !is_settled(cells.read[0][i]) ||
        !is_settled(cells.read[1][i])) {
      return false;
    }
  }
  const std::uint32_t scope = ScopeInMemory(ScopeOf(call), region.space);
  constexpr auto kDevice = static_cast<std::uint32_t>(frontend::Scope::kDevice);
  constexpr auto kWorkgroup = static_cast<std::uint32_t>(frontend::Scope::kWorkgroup);
  // Of one scope, which includes both work-items; of narrower ones the work-items would decide.
  const auto is_atomic = [&](std::uint32_t cell) {
    if (is_settled(cell)) return true;
    const RaceEvent& other = events_[cell >> 6];
    return other.atomic == scope + 1 &&
           (scope <= kDevice || (scope == kWorkgroup && other.group == view.group));
  };
  for (std::uint64_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    if (!is_atomic(cells.atomic[0][i]) || !is_atomic(cells.atomic[1][i])) return false;
  }
  std::uint32_t event = batch.events[in.place];
  if (event < view.interval) {
    event = NewEvent(batch, in.place, static_cast<std::uint8_t>(scope + 1));
  } else if (events_[event].atomic != scope + 1) {
    return false;
  }
  const std::uint32_t mine = event << 6 | static_cast<std::uint32_t>(lane);
  for (std::uint64_t i = offset / 4; i <= (offset + bytes - 1) / 4; ++i) {
    KeepReader(view, order, batch, lane, mine, &cells.atomic[0][i], &cells.atomic[1][i]);
  }
  *cells.is_atomic = true;
  if (scope > kDevice) *cells.is_narrow = true;
  return true;
}

}  // namespace assay::interp
