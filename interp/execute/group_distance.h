// Where the local memory of groups that share a batch lies (packing.h).
#pragma once

#include <cstdint>

#include "interp/execute/batch.h"

namespace assay::interp {

// How far a lane's bytes of a region, or the records of them, lie behind those of the first group.
inline std::uint64_t DistanceOf(const Batch& batch, const Region& region, int lane) {
  return region.groups == nullptr ? 0 : batch.group_of[lane] * region.bytes;
}

}  // namespace assay::interp
