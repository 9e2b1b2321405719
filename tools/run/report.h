// The result of a run of a job, as text and as JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "interp/envelope/memory_envelope.h"
#include "interp/envelope/options.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"
#include "numerics/rounding.h"
#include "tools/run/filter.h"
#include "tools/run/litmus_report.h"
#include "tools/run/reported_outcomes.h"
#include "tools/run/unwritten.h"

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
  std::uint32_t device_queue = interp::LaunchOptions().device_queue_size;
  std::uint32_t max_children = interp::LaunchOptions().max_children;
  std::uint64_t max_memory = 0;
  interp::DetectorSet detectors = interp::DetectorSet::All();
  // Of a run that also computes what other devices may compute (--envelope); then no detectors.
  std::shared_ptr<const interp::EnvelopeOptions> envelope = nullptr;
  // Of a run that computes as another device may (--imprecision).
  std::shared_ptr<const interp::EnvelopeOptions> imprecision = nullptr;
  std::string cl_version = "3.1";
  std::string matrix;  // how matrix instructions add, unless empty: exact
  std::uint32_t cancellation_bits = interp::SessionOptions().cancellation_bits;
  std::vector<interp::Rule> allowed;  // rules whose findings are no fault (--allow)
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

// A buffer or image after the last launch.
struct ReportedBuffer {
  interp::JobBuffer buffer;
  bool printed = false;
  std::string name = {};                   // in findings: its own, or the parameter's
  std::vector<ElementRun> unwritten = {};  // where it had no content before the run
};

// What other conforming devices may have left in a buffer, where that is not the run's content.
struct ReportedEnvelope {
  std::size_t buffer = 0;  // place in RunReport::buffers
  interp::EnvelopeSummary summary;
  std::vector<interp::OpenScalar> scalars;  // if the buffer is printed
};

struct ReportedExpectation {
  std::string what;  // "findings", "output", "buffer data", "image out"
  // Nothing: not judged, because the run did not come to its end.
  std::optional<bool> met;
  std::string message;  // how it differs
  std::string replay;   // the command that shows it again, where it is not met
};

// Several runs of one job, that differ in their seeds or choices.
struct ReportedRuns {
  std::string what;  // "seeds", "choices" or "executions"
  std::uint64_t first_seed = 0;
  std::uint64_t planned = 1;  // of seeds: how many; of choices: at most
  std::uint64_t done = 0;
  std::uint64_t with_findings = 0;
  std::optional<std::uint32_t> bound;  // of choices: how many differ from the first in a run
  bool exhausted = false;              // nothing is left to run
  // Of a complete exploration (explore.h): the class of executions that it meets, and the runs that
  // were ended because their execution is another run's, or were one that had been met.
  std::string explored;
  std::uint64_t given_up = 0;
  std::uint64_t repeated = 0;
};

// The lowest and highest value of each component of a buffer, as places in the order of numbers.
struct SpreadOfBuffer {
  std::string name;
  interp::ElementType type;
  std::vector<std::int64_t> low, high;
  std::vector<std::uint8_t> has_nan;  // in some run
};
struct ReportedSpread {
  std::uint64_t runs = 0;
  std::vector<SpreadOfBuffer> buffers;
};
// What --imprecision worst came to: the run that the report is of.
struct ReportedWorst {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;  // from correctly rounded results
  std::string buffer, place;
  std::string how;                             // "sin lowest, exp highest"
  std::map<std::string, std::string> choices;  // by function
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
  std::vector<std::uint32_t> choices;  // made before those of the seed
};

struct RunReport {
  std::vector<std::string> modules;
  std::vector<std::string> compilers;  // of each module; "": it is SPIR-V
  std::string job;                     // the job file; "" from a command line
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
  std::vector<interp::Choice> recorded_choices;      // of all launches, if requested
  std::optional<interp::LaunchExecution> execution;  // ... of a run of a complete exploration
  bool findings_expected = false;                    // an expectation judges them
  std::string output;
  bool output_ends_line = true;  // whether the shown output ends with a newline
  std::vector<ReportedBuffer> buffers;
  std::vector<ReportedEnvelope> envelopes;
  std::optional<ReportedSpread> spread;  // of several runs with --imprecision
  std::optional<ReportedWorst> worst;
  std::optional<ReportedOutcomes> outcomes;  // of several runs, and of a litmus test
  std::optional<ReportedLitmus> litmus;      // of a litmus test with a question
  bool is_undecided = false;  // with --envelope: the path of a work-item, or a place, was open
  std::vector<ReportedExpectation> observed;  // --observed: appended to `expectations`
  std::vector<ReportedExpectation> expectations;
  double seconds = 0;
  base::Budget budget;  // of the run: if it is exceeded, output that takes long is left out
};

// Of one --ignore-source: a line.
std::string SourcesText(const Ignore& ignore);
// The findings that --ignore hid, and the unused ignores.
std::string IgnoresText(const RunReport& report);
// The elements with their positions; of many only the first and the last, unless all are requested
// and the budget allows it.
// Those that nothing wrote have no value.
std::string BufferText(const interp::JobBuffer& buffer, bool all, const base::Budget& budget = {},
                       std::span<const ElementRun> unwritten = {});
// Writes what --save names: a buffer's bytes, or an image as PNG.
Expected<void> WriteSaved(const RunReport& report, std::size_t buffer, const std::string& path);
// "1 run", "2 runs".
std::string Times(std::uint64_t count, std::string_view noun);
std::string CountsText(const std::map<std::string, std::uint64_t>& counts);
std::string ExpectationText(const ReportedExpectation& expectation);
// One line: how the run ended, how much was executed, and the settings on which the result depends.
std::string SummaryText(const RunReport& report);

// The options in force that can hide an error, as they were given.
std::vector<std::string> UnsoundOptions(const RunReport& report);

nlohmann::ordered_json RunReportToJson(const RunReport& report);

// See docs/cli.md, "run": findings take precedence over an incomplete run, and that over
// unsupported features.
int RunExitCode(const RunReport& report);

}  // namespace assay::tools
