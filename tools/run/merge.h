// Merges several runs of one job into one report: each finding once, with the first run that has
// it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tools/run/report.h"

namespace assay::tools {

// An end that holds for all runs together.
struct RunStop {
  interp::LaunchEnd end = interp::LaunchEnd::kCompleted;
  std::string message;
};
// Ctrl-C, or the limit on time; a limit on memory is met by each run for itself.
std::optional<RunStop> WhyStopped(const base::Budget& budget);

class RunMerge {
 public:
  explicit RunMerge(ReportedRuns runs) : runs_(std::move(runs)) {}

  // In the order of the seeds or choices.  Buffers and output are those of the first.
  void Add(RunReport report);
  std::uint64_t with_findings() const { return runs_.with_findings; }
  // `stop`: why no more runs were begun, if that is so.
  RunReport Take(bool exhausted, const std::optional<RunStop>& stop, double seconds);

 private:
  // A rule and a place: launch, instruction, calls around it.
  using Key = std::tuple<interp::Rule, std::size_t, std::uint32_t, std::vector<std::uint32_t>>;

  void AddFindings(std::vector<ReportedFinding> findings, std::vector<ReportedFinding>* merged,
                   std::map<Key, std::size_t>* places);
  void AddExpectations(const std::vector<ReportedExpectation>& expectations,
                       const std::string& run);

  ReportedRuns runs_;
  RunReport merged_;
  bool has_failed_ = false;            // some run; merged_.replay is its
  std::map<Key, std::size_t> found_;   // places in merged_.findings
  std::map<Key, std::size_t> hidden_;  // and in merged_.hidden
};

}  // namespace assay::tools
