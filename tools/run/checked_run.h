// With --observed: what a run with detectors says before the one with envelopes, which has none.
#pragma once

#include <cstddef>
#include <vector>

#include "interp/job/job.h"
#include "tools/run/job_run.h"

namespace assay::tools {

struct CheckedRun {
  interp::LaunchEnd end = interp::LaunchEnd::kCompleted;
  std::vector<std::vector<std::byte>> undefined;  // of each buffer a 1 for each undefined bit
  std::vector<ReportedFinding> findings;          // the kernel's errors
};
Expected<CheckedRun> RunChecked(const interp::Job& job, const PreparedRun& prepared,
                                const RunVariant& variant);

// Adds its findings to the report of the other run, but for those that are there.
void TakeFindings(const CheckedRun& checked, RunReport* report);

}  // namespace assay::tools
