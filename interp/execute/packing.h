// Work-groups that are smaller than a batch, several of them in one.
//
// Each has as many lanes side by side as it has work-items.  Its local memory is its own: the
// addresses are those of any group, and where a lane's bytes are hangs on its group
// (Region::groups, HostOf).  A work-item waits for those of its group only.  So each group goes
// through the same blocks in the same order as it does by itself; and groups are in one batch only
// where none of them sees which was first, and nothing is kept of work-items beside their values.
#pragma once

#include <cstdint>

#include "interp/execute/launch_state.h"

namespace assay::interp {

// How many groups of a launch are executed at once; `threads` share them.  1: each by itself.
std::uint64_t GroupsInBatch(const LaunchState& launch, std::uint64_t threads);

}  // namespace assay::interp
