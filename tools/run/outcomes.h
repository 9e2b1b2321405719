// The set of results: which contents several runs leave in the buffers, and how often each.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/run/report.h"

namespace assay::tools {

class Outcomes {
 public:
  static constexpr std::uint64_t kSmallElements = 16;

  // Of these of the job's buffers; empty: of all.  `names` are those of all buffers.  Of buffers
  // with more elements than `small_elements` a digest is kept.
  Outcomes(std::vector<std::size_t> places, std::vector<std::string> names,
           std::uint64_t small_elements = kSmallElements);

  // The run that large contents are compared with, before any is described.
  void SetFirst(const RunReport& first);
  // What a run left; on any thread.
  ReportedOutcome Describe(const RunReport& run) const;
  // In the order of the runs: the first run of an outcome is the one to repeat.
  void Add(ReportedOutcome outcome);
  // A run that did not come to its end.
  void AddUnended() { ++outcomes_.unended; }
  // SetFirst where there is none yet, then Describe and Add, or AddUnended.
  void AddRun(const RunReport& run);

  ReportedOutcomes Take();

 private:
  OutcomeContent ContentOf(const interp::JobBuffer& buffer, const interp::JobBuffer& first) const;

  ReportedOutcomes outcomes_;
  std::uint64_t small_elements_;
  std::vector<std::string> all_names_;
  std::vector<interp::JobBuffer> first_;             // of outcomes_.buffers, with their bytes
  std::multimap<std::size_t, std::size_t> by_hash_;  // places in outcomes_.list
};

// "3 outcomes in 40 runs", and a line or two for each.  "" for one outcome, unless a buffer is
// printed.
std::string OutcomesText(const RunReport& report);
nlohmann::ordered_json OutcomesJson(const ReportedOutcomes& outcomes);

}  // namespace assay::tools
