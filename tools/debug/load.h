// Loads the kernel and job that a debugger runs, from the options of `assay run`.
#pragma once

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/run/job_run.h"
#include "tools/run/options.h"

namespace assay::tools {

struct LoadedRun {
  interp::Job job;
  PreparedRun prepared;
};

// Applies a replay, and refuses options for several runs.  The options must outlive the result.
Expected<LoadedRun> LoadForDebugger(RunOptions* options);

}  // namespace assay::tools
