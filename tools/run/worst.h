// --imprecision worst: the device that is farthest from correctly rounded results, of those that a
// search tries.
#pragma once

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/run/job_run.h"

namespace assay::tools {

// The run of that device, with its findings; the spread is that of all runs of the search.
Expected<RunReport> RunWorst(const interp::Job& job, const PreparedRun& prepared);

}  // namespace assay::tools
