// Which work-items of a batch go to which case of a switch with few of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

inline constexpr std::size_t kMostSwitchValues = 16;
// found[k] becomes those of `lanes` whose element of a register of 32 bits is lowest + k, for the
// first `count` of kMostSwitchValues.
using SwitchLanes = void (*)(const Batch& batch, std::uint32_t offset, std::uint32_t lowest,
                             std::size_t count, std::uint64_t lanes, std::uint64_t* found);
SwitchLanes FindSwitchLanes();

}  // namespace assay::interp
