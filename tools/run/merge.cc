#include "tools/run/merge.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/run/replay.h"
#include "tools/shared/interrupt.h"

namespace assay::tools {
namespace {

using interp::LaunchEnd;

// The name of a run: "seed 7", "choices 0,1".
std::string NameOf(const RunReport& report, const ReportedRuns& runs) {
  return runs.bound ? "choices " + ChoicesText(report.replay.choices)
                    : fmt::format("seed {}", report.settings.seed);
}

// What says more about the whole: Ctrl-C, then the limit on time, which holds for all runs, then
// what a run came to.
int RankOf(LaunchEnd end) {
  switch (end) {
    case LaunchEnd::kCompleted:
      return 0;
    case LaunchEnd::kInstructionLimit:
    case LaunchEnd::kMemoryLimit:
    case LaunchEnd::kFindingLimit:
    case LaunchEnd::kDeadlock:
      return 1;
    case LaunchEnd::kTimeLimit:
      return 2;
    case LaunchEnd::kStopped:
      return 3;
  }
  return 0;
}

// The worse value is kept: false, then not judged, then true.
int Badness(const ReportedExpectation& expectation) {
  if (!expectation.met) return 1;
  return *expectation.met ? 0 : 2;
}

}  // namespace

std::optional<RunStop> WhyStopped(const base::Budget& budget) {
  if (g_interrupted) return RunStop{LaunchEnd::kStopped, "interrupted"};
  if (!budget.IsTimeExceeded()) return std::nullopt;
  return RunStop{LaunchEnd::kTimeLimit, budget.Reached().value().message};
}

void RunMerge::Add(RunReport report) {
  const bool failed =
      !report.findings.empty() || report.end != LaunchEnd::kCompleted ||
      std::any_of(report.expectations.begin(), report.expectations.end(),
                  [](const ReportedExpectation& expectation) { return expectation.met == false; });
  const ReportedReplay replay = report.replay;
  ++runs_.done;
  runs_.with_findings += report.findings.empty() ? 0 : 1;
  const std::string name = NameOf(report, runs_);
  std::vector<ReportedFinding> findings = std::move(report.findings);
  std::vector<ReportedFinding> hidden = std::move(report.hidden);
  const auto expectations = std::move(report.expectations);
  if (runs_.done == 1) {
    merged_ = std::move(report);
    merged_.findings.clear();
    merged_.hidden.clear();
    merged_.expectations.clear();
    if (merged_.end != LaunchEnd::kCompleted) merged_.message = name + ": " + merged_.message;
  } else {
    merged_.instructions += report.instructions;
    for (const auto& [opcode, count] : report.counts) merged_.counts[opcode] += count;
    for (std::size_t i = 0; i < merged_.ignores.size(); ++i) {
      merged_.ignores[i].hidden += report.ignores[i].hidden;
      merged_.ignores[i].moved += report.ignores[i].moved;
    }
    if (RankOf(report.end) > RankOf(merged_.end)) {
      merged_.end = report.end;
      merged_.message = name + ": " + report.message;
    }
  }
  // The first run that shows something is the one to run again.
  if (failed && !has_failed_) merged_.replay = replay;
  has_failed_ |= failed;
  AddFindings(std::move(findings), &merged_.findings, &found_);
  AddFindings(std::move(hidden), &merged_.hidden, &hidden_);
  AddExpectations(expectations, name);
}

void RunMerge::AddFindings(std::vector<ReportedFinding> findings,
                           std::vector<ReportedFinding>* merged,
                           std::map<Key, std::size_t>* places) {
  for (ReportedFinding& reported : findings) {
    const interp::Finding& finding = reported.finding;
    const Key key{finding.rule, reported.launch, finding.place.instruction, finding.place.calls};
    const auto [place, is_new] = places->emplace(key, merged->size());
    if (is_new) {
      merged->push_back(std::move(reported));
      continue;
    }
    ReportedFinding& first = (*merged)[place->second];
    first.finding.count += finding.count;
    ++first.runs;
  }
}

void RunMerge::AddExpectations(const std::vector<ReportedExpectation>& expectations,
                               const std::string& run) {
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    ReportedExpectation expectation = expectations[i];
    if (expectation.met != true) expectation.message = run + ": " + expectation.message;
    if (i == merged_.expectations.size()) {
      merged_.expectations.push_back(std::move(expectation));
    } else if (Badness(expectation) > Badness(merged_.expectations[i])) {
      merged_.expectations[i] = std::move(expectation);
    }
  }
}

RunReport RunMerge::Take(bool exhausted, const std::optional<RunStop>& stop, double seconds) {
  runs_.exhausted = exhausted;
  // Where all runs were made by then it is no more than a late end of the last one.
  if (stop && !exhausted && RankOf(stop->end) > RankOf(merged_.end)) {
    merged_.end = stop->end;
    merged_.message = stop->message;
  }
  merged_.settings.seed = runs_.first_seed;
  merged_.seconds = seconds;
  merged_.runs = std::move(runs_);
  return std::move(merged_);
}

}  // namespace assay::tools
