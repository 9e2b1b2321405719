// The values of built-in variables.
#pragma once

#include <cstdint>

#include "interp/execute/launch_state.h"
#include "interp/execute/running_batch.h"

namespace assay::interp {

// Fills a register that is no parameter for the first `count` work-items of a batch.
void FillBuiltIn(const LaunchState& launch, const GroupPosition& group, RunningBatch& running,
                 const InputRegister& input, std::uint64_t count);

}  // namespace assay::interp
