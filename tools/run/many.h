// Runs a job many times: with many seeds, or with all schedules that differ in a few choices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"
#include "tools/run/job_run.h"
#include "tools/run/outcomes.h"

namespace assay::tools {

// Seeds from `prepared.settings.seed` on, spread over the cores (or options.threads), one thread
// each.  The report does not depend on how many there are.
Expected<RunReport> RunSeeds(const interp::Job& job, const PreparedRun& prepared,
                             std::uint64_t seeds);

// What runs leave in the buffers that are printed, or in all.
Outcomes OutcomesOf(const interp::Job& job, const PreparedRun& prepared);

// The prefix of choices to run next after a run that made `made`, depth first, with at most `bound`
// choices that are not the first; nothing when all were run.
std::optional<std::vector<std::uint32_t>> NextChoices(std::span<const interp::Choice> made,
                                                      std::uint32_t bound);

// kEveryExecution: as ExploreAll. Else runs every schedule that differs from the first answers in
// at most `bound` choices, up to `max_runs` runs.  Bounding the differences, and not the length of
// the run, follows Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of
// Multithreaded Programs", PLDI 2007: most errors need very few unusual choices.
Expected<RunReport> RunExploring(const interp::Job& job, const PreparedRun& prepared,
                                 std::uint32_t bound, std::uint64_t max_runs);

// One run or many, as the options say.
Expected<RunReport> RunAsAsked(interp::Job job, const PreparedRun& prepared);
Expected<RunReport> RunAsAsked(interp::Job job, const RunOptions& options);

}  // namespace assay::tools
