#include "tools/run/explore.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.h"
#include "tools/run/many.h"
#include "tools/run/merge.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using Clock = std::chrono::steady_clock;

// What the exploration meets, and what it leaves out.
constexpr std::string_view kClass =
    "those without a cycle of dependencies, reads-from and the order of seq_cst operations, with "
    "load "
    "buffering of relaxed loads";
constexpr std::string_view kWithoutWaiting = ", where loops that wait go round in one order";

}  // namespace

Expected<RunReport> ExploreAll(const interp::Job& job, const PreparedRun& prepared,
                               std::uint64_t max_runs) {
  const auto start = Clock::now();
  RunMerge merge({.what = "executions",
                  .first_seed = prepared.settings.seed,
                  .planned = max_runs,
                  .bound = kEveryExecution,
                  .explored = std::string(kClass)});
  Progress progress(prepared.options->progress, prepared.options->quiet);
  Outcomes outcomes = OutcomesOf(job, prepared);
  std::set<std::vector<std::uint64_t>> met;
  bool went_on_waiting = false;
  std::uint64_t given_up = 0, repeated = 0;
  std::optional<std::vector<std::uint32_t>> choices = std::vector<std::uint32_t>{0};
  bool is_cut = false;  // the last run did not come to its end
  for (std::uint64_t run = 0; run < max_runs && choices; ++run) {
    auto report = RunOnce(job, prepared,
                          {.budget = job.load.budget,
                           .seed = prepared.settings.seed,
                           .choices = *choices,
                           .records_choices = true,
                           .explores = true,
                           .threads = 1,
                           .shows_output = false});
    if (!report && run > 0 && WhyStopped(job.load.budget)) break;  // before it began
    if (!report) return report;
    choices = NextChoices(report->recorded_choices, kEveryExecution);
    const std::optional<interp::LaunchExecution> execution = std::move(report->execution);
    report->execution.reset();
    progress.Say(fmt::format("{} executions, {} runs", met.size(), run + 1));
    const auto stop = WhyStopped(job.load.budget);
    is_cut = stop.has_value() && !(execution && execution->is_given_up);
    if (execution && execution->is_given_up) {
      ++given_up;
      if (stop) break;
      continue;
    }
    if (execution) {
      went_on_waiting = went_on_waiting || execution->went_on_waiting;
      if (!met.insert(execution->signature).second) {
        ++repeated;
        if (stop) break;
        continue;
      }
    }
    outcomes.AddRun(*report);
    report->recorded_choices.clear();
    if (met.size() > 1) {
      report->buffers.clear();
      report->output.clear();
    }
    merge.Add(std::move(*report));
    if (stop) break;
  }
  RunReport report =
      merge.Take(!choices && !is_cut, WhyStopped(job.load.budget), base::SecondsSince(start));
  report.outcomes = outcomes.Take();
  report.runs->given_up = given_up;
  report.runs->repeated = repeated;
  if (went_on_waiting) report.runs->explored += kWithoutWaiting;
  return report;
}

}  // namespace assay::tools
