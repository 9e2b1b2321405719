// Asynchronous copies in the race detector: their events, and when they are over.
#include <algorithm>
#include <cstdint>

#include "interp/detect/races.h"

namespace assay::interp {

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
  const auto found = groups_.find(view.group);
  return found != groups_.end() && event < found->second.barrier[relation];
}

}  // namespace assay::interp
