// One run of a job, in a session with its own buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/limits.h"
#include "frontend/module.h"
#include "interp/job/job.h"
#include "tools/run/options.h"
#include "tools/run/report.h"

namespace assay::tools {

// A loaded job, with everything that is the same for all its runs.
struct PreparedRun {
  const RunOptions* options = nullptr;
  RunSettings settings;
  std::vector<Ignore> ignores;
  std::shared_ptr<const frontend::Module> module;
  std::vector<std::string> compilers;  // of the job's modules (frontend/load.h)
  std::vector<ReportedSource> sources;
  std::vector<std::uint32_t> choices;    // of --choices
  std::vector<ObservedBuffer> observed;  // of --observed
  std::vector<std::size_t> printed;      // buffers of --print, whose outcomes are told
  int shadow_bits = 0;                   // of `assay debug --shadow`; 0: no shadows
};

// Checks the options, loads the job's modules and reads the files that a replay compares.
Expected<PreparedRun> PrepareRun(const interp::Job& job, const RunOptions& options);

// Makes of a prepared run one with envelopes and without detectors.
Expected<void> PrepareForEnvelope(const interp::Job& job,
                                  std::shared_ptr<interp::EnvelopeOptions> envelope,
                                  PreparedRun* prepared);

// The parameter names of the kernel of a job with one launch; empty if they are not known.
std::vector<std::string> ParameterNames(const interp::Job& job, const PreparedRun& prepared);

// The difference between one run and another.
struct RunVariant {
  base::Budget budget;
  std::uint64_t seed = 0;
  std::vector<std::uint32_t> choices;  // to make first, those of all launches in one list
  bool records_choices = false;
  bool explores = false;     // one of a complete exploration: interp::LaunchRequest::explores
  int threads = 0;           // 0: one per core
  bool shows_output = true;  // printf's, as it comes
  bool records_math = false;
  bool shows_progress = false;                             // of this run, on stderr
  std::vector<std::string> names;                          // of buffers, in findings; "": its own
  interp::DebugHook* debug = nullptr;                      // runs it under a debugger
  std::function<void(std::string_view)> output = nullptr;  // gets printf's, too
  // Gets, after the run, each buffer's place in the job and its undefined bits: a 1 for each, or
  // nothing where everything is defined.
  std::function<void(std::size_t, std::span<const std::byte>)> undefined = nullptr;
  // Gets, after a run with envelopes, the place in the job of each buffer of which other devices
  // may leave another content, and its record.
  std::function<void(std::size_t, const interp::EnvelopeRecord&)> envelope = nullptr;
};

// Runs the launches one after the other; findings are filtered and expectations judged.  The job's
// buffers become the run's.
Expected<RunReport> RunOnce(interp::Job job, const PreparedRun& prepared,
                            const RunVariant& variant);

}  // namespace assay::tools
