// What kernels access, compared with other commands (driver/objects/accesses.h) and with mappings.
#pragma once

#include <span>

#include "driver/objects/plan.h"
#include "interp/execute/accessed_bytes.h"

namespace assay::driver {

// When it is enqueued, or a command buffer with it: what is to be compared.  With the driver's lock
// held.
void PlanAccesses(const Event& event, Plan* plan);

// When it starts: whether its accesses are needed.  Without the lock.
bool NeedsAccesses(const Plan& plan);

// When it has ended.  Without the lock.
void CheckKernelAccesses(const Plan& plan, std::span<const interp::AccessedBytes> accessed);

}  // namespace assay::driver
