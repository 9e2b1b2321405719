// What the order decides in which work-items do atomic operations.
#pragma once

#include <cstdint>
#include <vector>

#include "interp/execute/launch_state.h"

namespace assay::interp {

enum class AtomicOrder : std::uint8_t {
  kNothing,
  kResult,  // what the operation returns; what is in memory after all of them is the same
  kMemory,  // both
};

// Of each of Program::atomic_calls.  Operations on one buffer, or on local memory, are looked at
// together: what they leave there hangs on no order if all that change it are of one family, such
// as additions (frontend/atomics.h), and all loads may come before or after any of them.
std::vector<AtomicOrder> FindAtomicOrders(const LaunchState& launch);

}  // namespace assay::interp
