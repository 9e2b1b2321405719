// Asynchronous copies in the race detector: their accesses and events, and when they are over.
#include <algorithm>
#include <cstdint>

#include "interp/detect/races.h"

namespace assay::interp {

// False where two elements may share a cell, and where atomic operations were.
bool Races::FindCells(const Batch& batch, const Spaced& elements, CopyCells* found) {
  const std::uint64_t place = elements.address >> batch.place_bits;
  const RaceView& view = *batch.race;
  const RaceCells& cells = view.cells[place];
  if (cells.write == nullptr) return true;
  const Region& region = batch.regions[place];
  const std::uint64_t offset = elements.address - region.address;
  const std::uint64_t low = (std::uint64_t{1} << view.granule_shift) - 1;
  if (((offset | elements.element) & low) != 0 || *cells.is_atomic) return false;
  const std::uint64_t each = elements.element >> view.granule_shift;
  *found = {.cells = &cells,
            .region = &region,
            .order = &view.OrderOf(region),
            .first = offset >> view.granule_shift,
            .rows = {.each = each, .count = elements.count, .step = each * elements.stride}};
  if (elements.stride == 1) {
    found->rows.each *= found->rows.count;
    found->rows.count = 1;
  }
  return true;
}

bool Races::MayMeetAll(const Batch& batch, const RaceEvent& mine, int lane, const CopyCells& of,
                       const std::uint32_t* column) const {
  static const AreRowsSettled are_settled = FindAreRowsSettled();
  const RaceOrder& order = *of.order;
  const std::uint32_t* const begin = column + of.first;
  if (are_settled(begin, of.rows, order)) return true;
  std::uint32_t known = 0;  // the last event that may meet the copy
  for (std::uint64_t row = 0; row < of.rows.count; ++row) {
    const std::uint32_t* const cells = begin + row * of.rows.step;
    for (std::uint64_t i = 0; i < of.rows.each; ++i) {
      const std::uint32_t cell = cells[i], event = cell >> 6;
      if (cell == 0 || event == known || order.IsSettled(cell) || IsOwn(batch, lane, cell)) {
        continue;
      }
      const bool is_finished = &order == &batch.race->local && batch.race->IsFinishedCopy(event);
      if (!is_finished && !MayMeet(batch, mine, lane, *of.region, cell)) return false;
      known = event;
    }
  }
  return true;
}

bool Races::AccessAll(Batch& batch, const FlatInstruction& in, int lane, const Spaced& target,
                      const Spaced& source, std::uint64_t copy) {
  static const AreRowsSettled are_settled = FindAreRowsSettled();
  static const TakeRows take = FindTakeRows();
  if (copy >> 32 != 0) return false;  // no copy's number: each access is an event of its own
  CopyCells from, to;
  if (!FindCells(batch, source, &from) || !FindCells(batch, target, &to)) return false;
  if (from.cells == nullptr && to.cells == nullptr) return true;
  const std::uint32_t event = EventOfCopy(batch, in.place, copy);
  const std::uint32_t mine = event << 6;
  const auto may_meet = [&](const CopyCells& of, const std::uint32_t* column) {
    return MayMeetAll(batch, events_[event], lane, of, column);
  };
  if (from.cells != nullptr && !may_meet(from, from.cells->write)) return false;
  if (to.cells != nullptr) {
    if (!may_meet(to, to.cells->write)) return false;
    for (const std::uint32_t* const read : to.cells->read) {
      if (*to.cells->is_read && !may_meet(to, read)) return false;
    }
    take(to.cells->write + to.first, to.rows, mine);
  }
  if (from.cells == nullptr) return true;
  std::uint32_t* const read = from.cells->read[0] + from.first;
  std::uint32_t* const other = from.cells->read[1] + from.first;
  if (!*from.cells->is_read || are_settled(read, from.rows, *from.order)) {
    take(read, from.rows, mine);
  } else {
    for (std::uint64_t row = 0; row < from.rows.count; ++row) {
      const std::uint64_t first = row * from.rows.step;
      for (std::uint64_t i = first; i < first + from.rows.each; ++i) {
        KeepLoad(batch, *from.order, lane, mine, &read[i], &other[i]);
      }
    }
  }
  *from.cells->is_read = true;
  return true;
}

// A copy after a barrier is another event than one before it, though the two may share a number.
std::uint32_t Races::EventOfCopy(Batch& batch, std::uint32_t place, std::uint64_t copy) {
  const RaceView& view = *batch.race;
  const std::uint32_t last = batch.events[place];
  const RaceEvent& last_here = events_[last];
  if (last >= view.interval && last_here.is_async && last_here.first == copy &&
      last_here.group == view.group && !last_here.is_finished) {
    return last;
  }
  const std::uint32_t event = NewEvent(batch, place, 0, copy);
  Copies& copies = copies_[{view.group, copy}];
  // One more with the number of a finished one: nobody has waited for either.
  if (copies.is_finished) {
    for (const std::uint32_t one : copies.events) events_[one].is_finished = false;
  }
  copies.is_finished = false;
  copies.events.push_back(event);
  if (!events_[event].is_finished) open_copies_.insert({view.group, event});
  return event;
}

Races::Attached& Races::AttachedOf(const RaceView& view) const {
  const auto found = std::find_if(attached_.begin(), attached_.end(),
                                  [&](const auto& attached) { return attached->view == &view; });
  return **found;
}

void Races::KeepCopiesOpen(Attached* attached) {
  RaceView* const view = attached->view;
  const auto first = open_copies_.lower_bound({view->group, 0});
  const bool has_open = first != open_copies_.end() && first->first == view->group;
  const std::uint32_t open = has_open ? first->second << 6 : ~std::uint32_t{0};
  view->local.barrier = std::min(attached->last_barrier[kLocalRelation], open);
  view->global.barrier = std::min(attached->last_barrier[kGlobalRelation], open);
  view->image.barrier = attached->last_barrier[kImageRelation];
}

void Races::FinishCopies(const RaceView& view, std::uint64_t event) {
  for (auto& [copy, copies] : copies_) {
    if (copy.first != view.group || (event != 0 && copy.second != event)) continue;
    copies.is_finished = true;
    for (const std::uint32_t one : copies.events) {
      events_[one].is_finished = true;
      open_copies_.erase({view.group, one});
    }
  }
  if (!exact_) KeepCopiesOpen(&AttachedOf(view));
}

// The copy may begin when the first work-item comes to it: what the others did since the last
// barrier is not ordered before it.
bool Races::IsBeforeCopy(const RaceView& view, const RaceEvent& other, std::uint32_t event,
                         const Region& region) const {
  if (other.group != view.group) return false;
  if (launch_.local[0] * launch_.local[1] * launch_.local[2] == 1) return true;
  const Relation relation = RelationOf(region, other.place);
  if (!exact_) return IsSettled(view, relation, event << 6);
  return order_.IsBeforeBarrier(view.group, event, relation);
}

}  // namespace assay::interp
