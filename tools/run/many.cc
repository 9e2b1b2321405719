#include "tools/run/many.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/threads.h"
#include "tools/run/explore.h"
#include "tools/run/litmus_report.h"
#include "tools/run/merge.h"
#include "tools/run/outcomes.h"
#include "tools/run/replay.h"
#include "tools/run/spread.h"
#include "tools/run/subgroup_sizes.h"
#include "tools/run/worst.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/progress.h"

namespace assay::tools {
namespace {

using Clock = std::chrono::steady_clock;

// How far many runs are.
void Tell(std::uint64_t done, std::uint64_t planned, std::uint64_t with_findings,
          Progress* progress) {
  progress->Say(fmt::format("{} of {} runs, {} with findings", done, planned, with_findings));
}

// Gives out seeds to threads and merges their reports in the order of the seeds.
class SeedRuns {
 public:
  SeedRuns(const interp::Job& job, const PreparedRun& prepared, std::uint64_t seeds)
      : job_(job),
        prepared_(prepared),
        seeds_(seeds),
        progress_(prepared.options->progress, prepared.options->quiet),
        outcomes_(OutcomesOf(job, prepared)),
        merge_({.what = "seeds", .first_seed = prepared.settings.seed, .planned = seeds}) {}

  Expected<RunReport> Run() {
    const auto start = Clock::now();
    const auto threads = static_cast<std::uint64_t>(base::ThreadCount(prepared_.options->threads));
    base::RunOnThreads(static_cast<int>(std::min(threads, seeds_)), [this](int) { Work(); });
    if (error_) return tl::unexpected(*error_);
    if (starved_ && done_ == 0) throw std::bad_alloc();
    // What runs found after one that did not come to a report is kept, too.
    for (auto& [index, run] : std::exchange(waiting_, {})) Add(std::move(run));
    RunReport report =
        merge_.Take(done_ == seeds_, WhyStopped(job_.load.budget), base::SecondsSince(start));
    if (prepared_.settings.imprecision != nullptr) {
      report.spread = spread_.Take();
    } else {
      report.outcomes = outcomes_.Take();
    }
    if (starved_ && done_ < seeds_) {
      // Earlier findings are kept.
      report.end = interp::LaunchEnd::kMemoryLimit;
      report.message = "the machine is out of memory; give fewer --threads";
    }
    return report;
  }

 private:
  struct DoneRun {
    RunReport report;
    std::optional<ReportedOutcome> outcome;  // nothing: it did not come to its end
  };

  void Work() {
    try {
      WorkOn();
    } catch (const std::bad_alloc&) {
      starved_ = stopped_ = true;
      first_done_ = true;  // nobody waits for a run that is not made
      first_done_.notify_all();
    }
  }

  void WorkOn() {
    while (!stopped_) {
      const std::uint64_t index = next_++;
      // The first is made in any case: the report is made of it.
      if (index >= seeds_ || (index > 0 && WhyStopped(job_.load.budget))) return;
      auto report = RunOnce(job_, prepared_,
                            {.budget = job_.load.budget,
                             .seed = prepared_.settings.seed + index,
                             .threads = 1,
                             .shows_output = false});
      if (report && prepared_.settings.imprecision != nullptr &&
          report->end == interp::LaunchEnd::kCompleted) {
        const std::lock_guard lock(mutex_);
        spread_.Add(report->buffers);
      }
      auto outcome = OutcomeOf(index, report);
      if (index != 0 && report) {
        report->buffers.clear();
        report->output.clear();
      }
      const std::lock_guard lock(mutex_);
      if (!report && index > 0 && WhyStopped(job_.load.budget)) return;  // before it began
      if (!report) {
        // That of the first seed: every run of the same arguments meets it.
        if (!error_ || index < error_index_) error_ = report.error();
        error_index_ = std::min(index, error_index_);
        stopped_ = true;
        return;
      }
      waiting_.emplace(index, DoneRun{std::move(*report), std::move(outcome)});
      for (auto first = waiting_.begin(); first != waiting_.end() && first->first == done_;
           first = waiting_.erase(first)) {
        Add(std::move(first->second));
      }
      Tell(done_, seeds_, merge_.with_findings(), &progress_);
    }
  }

  void Add(DoneRun run) {
    merge_.Add(std::move(run.report));
    if (run.outcome) {
      outcomes_.Add(std::move(*run.outcome));
    } else {
      outcomes_.AddUnended();
    }
    ++done_;
  }

  // What a run left.  Contents are compared with those of the first seed, so all wait for it.
  std::optional<ReportedOutcome> OutcomeOf(std::uint64_t index, const Expected<RunReport>& report) {
    if (index == 0) {
      if (report) outcomes_.SetFirst(*report);
      has_first_ = report.has_value();
      first_done_ = true;
      first_done_.notify_all();
    } else {
      first_done_.wait(false);
    }
    const bool is_told = report && report->end == interp::LaunchEnd::kCompleted && has_first_ &&
                         prepared_.settings.imprecision == nullptr;
    return is_told ? std::optional(outcomes_.Describe(*report)) : std::nullopt;
  }

  const interp::Job& job_;
  const PreparedRun& prepared_;
  const std::uint64_t seeds_;
  std::atomic<bool> first_done_ = false;  // the first seed's run has ended
  std::atomic<bool> has_first_ = false;   // with a report
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> starved_ = false;  // the memory did not suffice for a run
  std::mutex mutex_;                   // of what follows
  Progress progress_;
  Outcomes outcomes_;
  RunMerge merge_;
  Spread spread_;
  std::map<std::uint64_t, DoneRun> waiting_;  // for those before them
  std::uint64_t done_ = 0;
  std::optional<Error> error_;
  std::uint64_t error_index_ = ~std::uint64_t{0};
};

}  // namespace

Outcomes OutcomesOf(const interp::Job& job, const PreparedRun& prepared) {
  std::vector<std::string> names;
  for (const interp::JobBuffer& buffer : job.buffers) names.push_back(buffer.name);
  const std::vector<std::string> parameters = ParameterNames(job, prepared);
  for (std::size_t i = 0; i < parameters.size() && i < job.launches[0].arguments.size(); ++i) {
    const auto* use = std::get_if<interp::JobBufferUse>(&job.launches[0].arguments[i]);
    if (use != nullptr && !parameters[i].empty()) names[use->buffer] = parameters[i];
  }
  if (!prepared.options->litmus) return Outcomes(prepared.printed, std::move(names));
  return Outcomes({}, std::move(names), kMostLitmusElements);  // the question names any of them
}

Expected<RunReport> RunSeeds(const interp::Job& job, const PreparedRun& prepared,
                             std::uint64_t seeds) {
  return SeedRuns(job, prepared, seeds).Run();
}

std::optional<std::vector<std::uint32_t>> NextChoices(std::span<const interp::Choice> made,
                                                      std::uint32_t bound) {
  std::vector<std::uint32_t> before(made.size() + 1, 0);  // other choices before a place
  for (std::size_t i = 0; i < made.size(); ++i) {
    before[i + 1] = before[i] + (made[i].chosen != 0 ? 1 : 0);
  }
  for (std::size_t i = made.size(); i-- > 0;) {
    if (made[i].chosen + 1 >= made[i].options || before[i] >= bound) continue;
    std::vector<std::uint32_t> next;
    for (std::size_t j = 0; j < i; ++j) next.push_back(made[j].chosen);
    next.push_back(made[i].chosen + 1);
    return next;
  }
  return std::nullopt;
}

Expected<RunReport> RunExploring(const interp::Job& job, const PreparedRun& prepared,
                                 std::uint32_t bound, std::uint64_t max_runs) {
  if (bound == kEveryExecution) return ExploreAll(job, prepared, max_runs);
  const auto start = Clock::now();
  RunMerge merge({.what = "choices",
                  .first_seed = prepared.settings.seed,
                  .planned = max_runs,
                  .bound = bound});
  Progress progress(prepared.options->progress, prepared.options->quiet);
  Outcomes outcomes = OutcomesOf(job, prepared);
  // One choice at least: without any, work-items would not take turns.
  std::optional<std::vector<std::uint32_t>> choices = std::vector<std::uint32_t>{0};
  bool is_cut = false;  // the last run did not come to its end
  for (std::uint64_t run = 0; run < max_runs && choices; ++run) {
    auto report = RunOnce(job, prepared,
                          {.budget = job.load.budget,
                           .seed = prepared.settings.seed,
                           .choices = *choices,
                           .records_choices = true,
                           .threads = 1,
                           .shows_output = false});
    if (!report && run > 0 && WhyStopped(job.load.budget)) break;  // before it began
    if (!report) return report;
    outcomes.AddRun(*report);
    if (run != 0) {
      report->buffers.clear();
      report->output.clear();
    }
    choices = NextChoices(report->recorded_choices, bound);
    report->recorded_choices.clear();
    is_cut =
        report->end == interp::LaunchEnd::kTimeLimit || report->end == interp::LaunchEnd::kStopped;
    merge.Add(std::move(*report));
    Tell(run + 1, max_runs, merge.with_findings(), &progress);
    if (WhyStopped(job.load.budget)) break;
  }
  RunReport merged =
      merge.Take(!choices && !is_cut, WhyStopped(job.load.budget), base::SecondsSince(start));
  merged.outcomes = outcomes.Take();
  return merged;
}

Expected<RunReport> RunAsAsked(interp::Job job, const PreparedRun& prepared) {
  const RunOptions& options = *prepared.options;
  const auto bound = ExploreBound(options);
  if (!bound) return tl::unexpected(bound.error());
  const auto choices = ParseChoices(options.choices);
  if (!choices) return tl::unexpected(choices.error());
  HandleInterrupts();
  if (const auto sizes = ParseSubgroupSizes(options.sub_group_size); sizes.size() > 1) {
    return RunSubgroupSizes(job, prepared, sizes);
  }
  if (*bound && choices->empty()) return RunExploring(job, prepared, **bound, options.max_runs);
  if (options.imprecision == "worst") return RunWorst(job, prepared);
  if (options.many_seeds > 1) return RunSeeds(job, prepared, options.many_seeds);
  const base::Budget budget = job.load.budget;
  std::optional<Outcomes> outcomes;
  if (options.litmus && options.litmus->question) outcomes = OutcomesOf(job, prepared);
  auto report = RunOnce(std::move(job), prepared,
                        {.budget = budget,
                         .seed = options.seed,
                         .choices = *choices,
                         .explores = bound->has_value(),
                         .threads = options.threads,
                         .shows_progress = true});
  if (!report || !outcomes) return report;
  outcomes->AddRun(*report);
  report->outcomes = outcomes->Take();
  return report;
}

Expected<RunReport> RunAsAsked(interp::Job job, const RunOptions& options) {
  const auto prepared = PrepareRun(job, options);
  if (!prepared) return tl::unexpected(prepared.error());
  return RunAsAsked(std::move(job), *prepared);
}

}  // namespace assay::tools
