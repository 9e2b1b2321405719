// Which work-items the race detector's cells name.
#include <cstddef>
#include <cstdint>

#include "interp/detect/races.h"

namespace assay::interp {

Item Races::ItemOfCell(std::uint32_t cell) const {
  const RaceEvent& event = events_[cell >> 6];
  const std::size_t lane = cell & 63;
  if (event.group == kManyGroups) return ItemOf(regrouped_[event.first][lane]);
  if (event.each != 0) {
    return ItemOf(WorkItem{.group = event.group + lane / event.each, .local = lane % event.each});
  }
  return Item{event.group} << 32 | (event.is_async ? 0 : event.first + lane);
}

// Whether the lane's work-item made the access.
bool Races::IsOwn(const Batch& batch, int lane, std::uint32_t cell) const {
  if (batch.items != nullptr) {
    return cell != 0 && !events_[cell >> 6].is_async && ItemOfCell(cell) == ItemOf(batch, lane);
  }
  return (cell & 63) == static_cast<std::uint32_t>(lane) && batch.race->IsOf(cell >> 6, batch);
}

// KeepReader. A work-item that was put aside is another lane than before: of its own loads and
// another's, the other's is kept.
void Races::KeepLoad(const Batch& batch, const RaceOrder& order, int lane, std::uint32_t mine,
                     std::uint32_t* read, std::uint32_t* other) const {
  if (batch.items == nullptr) {
    return KeepReader(*batch.race, order, batch, lane, mine, read, other);
  }
  if (*read != 0 && !IsOwn(batch, lane, *read)) *other = *read;
  *read = mine;
}

}  // namespace assay::interp
