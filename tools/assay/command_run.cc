// assay run MODULE: executes a kernel exactly, and names what it does wrong.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "oracle/results_json.h"
#include "tools/assay/commands.h"
#include "tools/assay/exit_code.h"
#include "tools/assay/finding_text.h"
#include "tools/assay/output.h"
#include "tools/assay/replay.h"
#include "tools/assay/run_many.h"
#include "tools/assay/run_options.h"
#include "tools/assay/run_report.h"
#include "tools/assay/sarif.h"

namespace assay::tools {
namespace {

std::string ReportText(const RunReport& report, const RunOptions& options) {
  std::string text = FindingsText(report) + IgnoresText(report);
  for (const ReportedExpectation& expectation : report.expectations) {
    text += ExpectationText(expectation);
  }
  for (const ReportedBuffer& reported : report.buffers) {
    if (reported.printed) text += BufferText(reported.buffer, options.print_all);
  }
  if (options.counts) text += CountsText(report.counts);
  if (!text.empty() && !report.output_ends_line) text.insert(0, "\n");
  return text;
}

Expected<void> Save(const RunReport& report, const std::vector<SavedBuffer>& saves) {
  for (const SavedBuffer& save : saves) {
    const std::vector<std::byte>& bytes = report.buffers.at(save.buffer).buffer.bytes;
    auto written = oracle::WriteFileAtomically(
        save.path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!written) return written;
  }
  return {};
}

// Text or JSON, and SARIF beside them.
int Write(const RunReport& report, const RunOptions& options) {
  const bool sarif_alone = options.sarif == "-";
  if (!options.sarif.empty()) {
    const int written = WriteResult("", SarifOf(report), options.sarif);
    if (written != kExitConforming) return written;
  }
  // Digests of large buffers take longer than many kernels.
  return WriteResult(sarif_alone ? "" : ReportText(report, options),
                     options.json.empty() ? nlohmann::ordered_json() : RunReportToJson(report),
                     options.json);
}

int Run(RunOptions& options) {
  if (!options.replay.empty()) {
    if (!options.describing.empty() || !options.job.empty()) {
      return ReportError({ErrorKind::kUsage, "--replay says what is run; name nothing beside it"});
    }
    if (auto applied = ApplyReplay(&options); !applied) return ReportError(applied.error());
  }
  auto job = JobOf(options);
  if (!job) return ReportError(job.error());
  const auto saves = SavesOf(options, *job);
  if (!saves) return ReportError(saves.error());
  std::vector<std::size_t> printed;
  for (const std::string& name : options.print) {
    const auto buffer = FindBuffer(*job, "--print", name);
    if (!buffer) return ReportError(buffer.error());
    printed.push_back(*buffer);
  }
  auto report = RunAsAsked(std::move(*job), options);
  if (!report) return ReportError(report.error());
  for (std::size_t buffer : printed) report->buffers[buffer].printed = true;
  const int shown = Write(*report, options);
  if (auto saved = Save(*report, *saves); !saved) return ReportError(saved.error());
  if (!options.quiet) std::fprintf(stderr, "assay: %s", SummaryText(*report).c_str());
  return shown != kExitConforming ? shown : RunExitCode(*report);
}

}  // namespace

CLI::App* AddRun(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "Execute a kernel exactly, and name what it does wrong");
  AddRunOptions(command, options.get());
  command->footer(
      "Example: assay run saxpy.cl -k saxpy -g 1024 -l 64 -a 'float[1024]=range(0,1)' "
      "-a 'float[1024]=0' -a float=2.5 --print 1\n"
      "Exit codes: 0 completed, 1 undefined behavior or a failed expectation, 2 usage, 3 not\n"
      "supported, 4 a limit was reached, 5 internal error, 130 interrupted.");
  command->callback([options, exit_code] { *exit_code = Run(*options); });
  return command;
}

}  // namespace assay::tools
