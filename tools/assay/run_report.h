// What a run of a job came to, and its two renderings.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "interp/job.h"
#include "interp/launch.h"
#include "numerics/rounding.h"

namespace assay::tools {

inline constexpr std::string_view kRunSchema = "assay-run/1";

struct RunSettings {
  std::uint64_t seed = 0;
  numerics::Rounding rounding = numerics::Rounding::kRte;
  bool flush_to_zero = false;
  int width = 64;
  int threads = 1;  // that were used
  double timeout_seconds = 0;
  std::uint64_t max_instructions = 0;
  std::size_t max_findings = 100;
  std::uint64_t max_memory = 0;
};

struct ReportedFinding {
  interp::Finding finding;
  std::size_t launch = 0;
  std::string source_text;  // the line that finding.source names; "" where it cannot be read
};

struct ReportedLaunch {
  std::string kernel;
  interp::NdRange range;
  std::array<std::uint64_t, 3> local_size = {1, 1, 1};
  std::uint64_t instructions = 0;
  double cpu_seconds = 0;  // of all threads
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
  bool findings_expected = false;  // an expectation judges them
  std::string output;
  bool output_ends_line = true;  // what was shown of it; text goes below
  std::vector<ReportedBuffer> buffers;
  std::vector<ReportedExpectation> expectations;
  double seconds = 0;
};

std::string FindingText(const ReportedFinding& reported);
// The elements with their places; of many the first and the last, unless all are asked for.
std::string BufferText(const interp::JobBuffer& buffer, bool all);
std::string CountsText(const std::map<std::string, std::uint64_t>& counts);
std::string ExpectationText(const ReportedExpectation& expectation);
// One line: how it ended, how much was done, and what the result depends on.
std::string SummaryText(const RunReport& report);

nlohmann::ordered_json RunReportToJson(const RunReport& report);

// docs/cli.md, "run": what was found outranks that the run came to no end, and that what is not
// supported.
int RunExitCode(const RunReport& report);

}  // namespace assay::tools
