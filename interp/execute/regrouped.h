// Accesses of work-items that are executed with those of other groups (stragglers.h), as the race
// detector sees them.
#pragma once

#include <cstdint>

#include "interp/execute/batch.h"
#include "interp/execute/race_view.h"
#include "interp/execute/watch.h"

namespace assay::interp {

// RaceView::group while such a batch runs, and RaceEvent::group of its events.  Their `first` is a
// number that Races gives the batch for this time; Batch::first_item is that number, or this one
// until it has it.
inline constexpr std::uint32_t kManyGroups = 0xffffffff;
inline constexpr std::uint64_t kUnnumbered = ~std::uint64_t{0};

// While it lives, the batch's accesses are those of its own work-items.
class RegroupedAccesses {
 public:
  RegroupedAccesses(RaceWatch* races, Batch* batch)
      : races_(races), view_(races == nullptr ? nullptr : batch->race) {
    if (view_ == nullptr) return;
    group_ = view_->group;
    view_->group = kManyGroups;
    batch->first_item = kUnnumbered;
    races_->BeginBatch(view_);
  }
  ~RegroupedAccesses() {
    if (view_ == nullptr) return;
    view_->group = group_;
    races_->BeginBatch(view_);
  }
  RegroupedAccesses(const RegroupedAccesses&) = delete;
  RegroupedAccesses& operator=(const RegroupedAccesses&) = delete;

 private:
  RaceWatch* races_;
  RaceView* view_;
  std::uint32_t group_ = 0;
};

}  // namespace assay::interp
