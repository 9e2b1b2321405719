// Complete exploration of small kernels: every execution once.
#pragma once

#include <cstdint>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/run/job_run.h"

namespace assay::tools {

// Runs every execution of the job: every graph of program order, reads-from and modification order
// (interp/execute/execution_graph.h), up to `max_runs` runs, those that are given up included. The
// report counts executions, and names the class of those that are met.
Expected<RunReport> ExploreAll(const interp::Job& job, const PreparedRun& prepared,
                               std::uint64_t max_runs);

}  // namespace assay::tools
