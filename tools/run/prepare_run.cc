// A job's modules and settings, before any of its runs.
#include <cstdio>

#include "base/text.h"
#include "frontend/load.h"
#include "tools/run/job_run.h"
#include "tools/run/replay.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"

namespace assay::tools {

using interp::Job;

namespace {

void PrintMessages(const frontend::LoadedModule& loaded) {
  std::fputs(base::PrintableLines(loaded.compiler_messages).c_str(), stderr);
  for (const std::string& warning : loaded.warnings) {
    Tell("warning: " + warning);
  }
}

// For an envelope, without what the compiler itself would compute of constants: a device's compiler
// may contract before it does so, and divide as devices may (OpenCL C 7.4).
Expected<frontend::LoadedModule> LoadFor(const Job& job, const RunSettings& settings,
                                         bool for_envelope) {
  frontend::LoadOptions load = job.load;
  base::ResourceLimits& limits = load.compile.limits;
  limits.stop = &g_interrupted;
  limits.memory_bytes = settings.max_memory;
  if (settings.timeout_seconds > 0) limits.seconds = settings.timeout_seconds;
  if (for_envelope) {
    frontend::LoadOptions keeping = load;
    keeping.compile.build_options += " -frounding-math";
    // Where a constant has to be computed, as in an initializer, that may be an error.
    if (auto loaded = frontend::LoadModule(job.modules, keeping)) return loaded;
  }
  return frontend::LoadModule(job.modules, load);
}

}  // namespace

Expected<void> PrepareForEnvelope(const Job& job, std::shared_ptr<interp::EnvelopeOptions> envelope,
                                  PreparedRun* prepared) {
  auto loaded = LoadFor(job, prepared->settings, true);
  if (!loaded) return tl::unexpected(loaded.error());
  prepared->module = std::move(loaded->module);
  prepared->settings.envelope = std::move(envelope);
  prepared->settings.detectors = {};
  prepared->settings.max_findings = std::size_t{1} << 20;
  return {};
}

Expected<PreparedRun> PrepareRun(const Job& job, const RunOptions& options) {
  PreparedRun prepared{.options = &options};
  const auto settings = SettingsOf(options);
  if (!settings) return tl::unexpected(settings.error());
  prepared.settings = *settings;
  prepared.settings.cl_version = JudgedVersion(options, job);
  for (const std::string& text : options.ignore) {
    auto ignore = ParseIgnore(text);
    if (!ignore) return tl::unexpected(ignore.error());
    prepared.ignores.push_back(std::move(*ignore));
  }
  for (const std::string& glob : options.ignore_source) {
    prepared.ignores.push_back(IgnoreSource(glob));
  }
  // Only the JSON report tells them; a job's data may be gigabytes.
  if (!options.json.empty()) prepared.sources = SourcesOf(job);
  auto loaded = LoadFor(job, prepared.settings, prepared.settings.envelope != nullptr);
  if (!loaded) return tl::unexpected(loaded.error());
  if (!options.quiet) PrintMessages(*loaded);
  for (const frontend::FileDigest& file : loaded->included) {
    prepared.sources.push_back({file.path, file.sha256});
  }
  prepared.compilers = std::move(loaded->compilers);
  prepared.module = std::move(loaded->module);
  return prepared;
}

}  // namespace assay::tools
