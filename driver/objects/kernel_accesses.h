// What kernels access, compared with other commands (driver/objects/accesses.h) and with mappings.
#pragma once

#include <span>

#include "driver/objects/plan.h"
#include "interp/execute/accessed_bytes.h"

namespace assay::driver {

// When it is enqueued, or a command buffer with it: what is to be compared.  With the driver's lock
// held.
PlannedAccesses PlanAccesses(const Event& event, const Plan& plan);

// When it starts: whether its accesses are needed.  Without the lock.
bool NeedsAccesses(const Plan& plan, const PlannedAccesses& planned);

// When it has ended.  Without the lock.
void CheckKernelAccesses(const Plan& plan, const PlannedAccesses& planned,
                         std::span<const interp::AccessedBytes> accessed);

}  // namespace assay::driver
