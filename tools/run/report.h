// The result of a run of a job, as text and as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"
#include "numerics/rounding.h"
#include "tools/run/filter.h"

namespace assay::tools {

inline constexpr std::string_view kRunSchema = "assay-run/1";

struct RunSettings {
  std::uint64_t seed = 0;
  numerics::Rounding rounding = numerics::Rounding::kRte;
  bool flush_to_zero = false;
  int width = 64;
  int threads = 1;  // that were used
  std::uint32_t max_expanded = interp::SessionOptions().max_expanded;
  double timeout_seconds = 0;
  std::uint64_t max_instructions = 0;
  std::size_t max_findings = 100;
  std::uint64_t max_memory = 0;
  interp::DetectorSet detectors = interp::DetectorSet::All();
  std::string cl_version = "3.1";
  std::vector<std::string> allowed;  // rules whose findings are no fault (--allow)
};

// Findings of one rule at one place.
struct ReportedFinding {
  interp::Finding finding;
  std::size_t launch = 0;
  std::string source_text;  // the line that finding.source names; "" where it cannot be read
  std::vector<std::string> history_text;  // beside finding.history: the lines that it names
  std::string replay;                     // the command that shows it again
  bool allowed = false;                   // not counted as a fault (--allow)
  std::size_t ignored_by = 0;             // of RunReport::hidden: place in RunReport::ignores
  // Of the first run that shows it.
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> choices;
  std::uint64_t runs = 1;      // that show it
  std::uint64_t launches = 1;  // ... of the first run, from `launch` on
};

struct ReportedLaunch {
  std::string kernel;
  interp::NdRange range;
  std::array<std::uint64_t, 3> local_size = {1, 1, 1};
  std::uint64_t instructions = 0;
  double cpu_seconds = 0;                        // of all threads
  std::vector<interp::MathRecord> math_records;  // if asked for
};

// A buffer after the last launch.
struct ReportedBuffer {
  interp::JobBuffer buffer;
  bool printed = false;
};

struct ReportedExpectation {
  std::string what;  // "findings", "output", "buffer data"
  // Nothing: not judged, because the run did not come to its end.
  std::optional<bool> met;
  std::string message;  // how it differs
  std::string replay;   // the command that shows it again, where it is not met
};

// Several runs of one job, that differ in their seeds or choices.
struct ReportedRuns {
  std::string what;  // "seeds" or "choices"
  std::uint64_t first_seed = 0;
  std::uint64_t planned = 1;  // of seeds: how many; of choices: at most
  std::uint64_t done = 0;
  std::uint64_t with_findings = 0;
  std::optional<std::uint32_t> bound;  // of choices: how many differ from the first in a run
  bool exhausted = false;              // nothing is left to run
};

// How the run is made again.
struct ReportedSource {
  std::string path;
  std::string sha256;
};
struct ReportedReplay {
  std::string command;
  nlohmann::ordered_json options;
  std::vector<ReportedSource> sources;  // the module's and the job's files
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> choices;  // that came before the seed's
};

struct RunReport {
  std::vector<std::string> modules;
  std::string job;  // the job file; "" from a command line
  RunSettings settings;
  interp::LaunchEnd end = interp::LaunchEnd::kCompleted;  // of the last launch that began
  std::string message;
  std::size_t planned_launches = 1;
  std::vector<ReportedLaunch> launches;
  std::uint64_t instructions = 0;
  std::map<std::string, std::uint64_t> counts;
  std::vector<ReportedFinding> findings;
  std::vector<Ignore> ignores;          // with how many findings each hid
  std::vector<ReportedFinding> hidden;  // by them
  std::optional<ReportedRuns> runs;     // where there were several
  ReportedReplay replay;
  std::vector<interp::Choice> recorded_choices;  // of all launches, where they were asked for
  bool findings_expected = false;                // an expectation judges them
  std::string output;
  bool output_ends_line = true;  // what was shown of it; text goes below
  std::vector<ReportedBuffer> buffers;
  std::vector<ReportedExpectation> expectations;
  double seconds = 0;
  base::Budget budget;  // of the run: what takes long to show is left out where it is reached
};

// What the ignores hid, and which of them are not used.
std::string IgnoresText(const RunReport& report);
// The elements with their places; of many the first and the last, unless all are asked for, and
// the budget lasts.
std::string BufferText(const interp::JobBuffer& buffer, bool all, const base::Budget& budget = {});
std::string CountsText(const std::map<std::string, std::uint64_t>& counts);
std::string ExpectationText(const ReportedExpectation& expectation);
// One line: how it ended, how much was done, and what the result depends on.
std::string SummaryText(const RunReport& report);

// Options in force that can hide what is wrong, as they were given.
std::vector<std::string> UnsoundOptions(const RunReport& report);

nlohmann::ordered_json RunReportToJson(const RunReport& report);

// docs/cli.md, "run": what was found outranks that the run came to no end, and that what is not
// supported.
int RunExitCode(const RunReport& report);

}  // namespace assay::tools
