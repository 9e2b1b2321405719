// Golden vectors of a job: run it exactly, and keep what went in and what came out.

#include "oracle/golden/job.h"

#include <fmt/format.h>

#include <filesystem>

#include "assay_version.h"
#include "base/shell_word.h"
#include "numerics/truth_version.h"
#include "tools/golden/golden.h"
#include "tools/run/finding_text.h"
#include "tools/run/job_run.h"
#include "tools/shared/device_options.h"

namespace assay::tools {
namespace {

// The error if a run cannot be golden.
Expected<void> IsGood(const std::string& job, const RunReport& report) {
  if (report.end != interp::LaunchEnd::kCompleted) {
    return Fail(ErrorKind::kDevice,
                fmt::format("'{}' did not come to its end: {}", job, report.message));
  }
  if (!report.findings.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is no kernel to take golden results from; mend this first:\n{}",
                            job, FindingsText(report)));
  }
  for (const ReportedExpectation& expectation : report.expectations) {
    if (expectation.met.value_or(true)) continue;
    return Fail(ErrorKind::kUsage, fmt::format("'{}' does not meet what it expects: {}: {}", job,
                                               expectation.what, expectation.message));
  }
  return {};
}

}  // namespace

Expected<std::string> GoldenOfJob(const std::string& job, const std::string& shown,
                                  const GoldenRun& run) {
  const int threads = run.threads;
  RunOptions options;
  options.allow_read = run.allow_read;
  options.timeout = run.timeout;
  options.job = job;
  options.quiet = true;
  options.json = "-";  // printf's output is kept, and not shown
  if (auto started = StartBudget(&options); !started) return tl::unexpected(started.error());
  auto loaded = JobOf(options);
  if (!loaded) return tl::unexpected<Error>(loaded.error());
  const auto prepared = PrepareRun(*loaded, options);
  if (!prepared) return tl::unexpected<Error>(prepared.error());
  oracle::GoldenJob golden{.tool = std::string("assay ") + ASSAY_VERSION,
                           .truth = numerics::TruthVersion(),
                           .command = "assay golden make --job " + base::ShellWord(shown),
                           .job = shown,
                           .sources = {},
                           .module = prepared->module.get(),
                           .launches = {},
                           .before = loaded->buffers,
                           .after = {},
                           .output = {}};
  const std::filesystem::path folder = std::filesystem::path(job).parent_path();
  for (const ReportedSource& source : prepared->sources) {
    std::error_code error;
    const auto path = std::filesystem::proximate(source.path, folder.empty() ? "." : folder, error);
    golden.sources.push_back({error ? source.path : path.generic_string(), source.sha256});
  }
  auto report = RunOnce(
      std::move(*loaded), *prepared,
      {.budget = options.budget, .threads = threads, .shows_output = false, .records_math = true});
  if (!report) return tl::unexpected<Error>(report.error());
  if (auto good = IsGood(job, *report); !good) return tl::unexpected<Error>(good.error());
  for (ReportedLaunch& launch : report->launches) {
    golden.launches.push_back({.kernel = launch.kernel,
                               .range = launch.range,
                               .local_size = launch.local_size,
                               .math = std::move(launch.math_records)});
  }
  for (ReportedBuffer& buffer : report->buffers) golden.after.push_back(std::move(buffer.buffer));
  golden.output = std::move(report->output);
  return EncodeGoldenJob(golden, threads);
}

}  // namespace assay::tools
