// The process that runs a kernel for a debugger, and its sleeping copies: checkpoints.
#pragma once

#include <sys/types.h>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/debug/channel.h"
#include "tools/run/job_run.h"

namespace assay::tools {

// Starts a process that runs the job and stops at its first instruction.  It sends debug::Output
// for what was printed while it runs, debug::CheckpointLeft with a channel for each copy that it
// leaves behind, and at last debug::Stopped or debug::Ended.  It ends when the other end of its
// channel is closed.
Expected<DebugChannel> StartInferior(const interp::Job& job, const PreparedRun& prepared);

// The same for a run without a debugger, as `assay run` makes it: it sends debug::Ended only.  When
// it is interrupted it sends debug::Stopped and ends.
Expected<DebugChannel> StartPlainRun(const interp::Job& job, const PreparedRun& prepared);

// Whether the command line has options that write results at the end of a run: --print, --save,
// --json, ...
bool WritesResults(const RunOptions& options);

}  // namespace assay::tools
