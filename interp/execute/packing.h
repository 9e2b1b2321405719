// Work-groups that are smaller than a batch, several of them in one.
//
// Each has as many lanes side by side as it has work-items.  Its local memory is its own: the
// addresses are those of any group, and where a lane's bytes are hangs on its group
// (Region::groups, HostOf).  A work-item waits for those of its group only.  So each group goes
// through the same blocks in the same order as it does by itself; and groups are in one batch only
// where none of them sees which was first.
//
// Detectors keep what they know of each group by itself: records of local memory (UndefinedAt, the
// race detector's cells) lie where its bytes do, and barriers order its own work-items only
// (RaceWatch::BarrierOf).  What is found may still be another work-item's than without others
// beside it: so a launch that found something is made again with each group by itself
// (Session::State::Launch).
#pragma once

#include <cstdint>

#include "interp/execute/launch_state.h"

namespace assay::interp {

// Whether groups of so many work-items may be executed several at once, as far as the program and
// the options say.
bool MayPack(const Program& program, const LaunchOptions& options, std::uint64_t items);

// How many groups of a launch are executed at once; `threads` share them.  1: each by itself.
std::uint64_t GroupsInBatch(const LaunchState& launch, std::uint64_t threads);

}  // namespace assay::interp
