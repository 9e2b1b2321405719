// assay run MODULE: executes a kernel exactly, and names what it does wrong.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/called_as.h"
#include "base/file.h"
#include "base/text.h"
#include "oracle/campaign/results_json.h"
#include "tools/bisect/two_drivers.h"
#include "tools/kernels/commands.h"
#include "tools/run/envelope_text.h"
#include "tools/run/finding_text.h"
#include "tools/run/job_run.h"
#include "tools/run/junit.h"
#include "tools/run/list_kernels.h"
#include "tools/run/many.h"
#include "tools/run/non_finite.h"
#include "tools/run/options.h"
#include "tools/run/outcomes.h"
#include "tools/run/replay.h"
#include "tools/run/report.h"
#include "tools/run/run_page.h"
#include "tools/run/sarif.h"
#include "tools/run/spread.h"
#include "tools/shared/color.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

// What follows the findings.
std::string ResultsText(const RunReport& report, const RunOptions& options) {
  std::string text = IgnoresText(report);
  for (const ReportedExpectation& expectation : report.expectations) {
    text += ExpectationText(expectation);
  }
  for (const ReportedBuffer& reported : report.buffers) {
    if (reported.printed) {
      text += BufferText(reported.buffer, options.print_all, report.budget, reported.unwritten);
    }
  }
  text += UnwrittenNotes(report) + NonFiniteNote(report);
  text += EnvelopeText(report, options.print_all) + SpreadText(report);
  if (report.litmus) {
    text += LitmusText(*report.litmus);
  } else if (report.outcomes) {
    text += OutcomesText(report);
  }
  if (options.counts) text += CountsText(report.counts);
  return text;
}

std::string ReportText(const RunReport& report, const RunOptions& options) {
  const FindingStyle style{.spirv = options.spirv,
                           .color = HasColor(options.color, STDOUT_FILENO),
                           .folder = CurrentFolder()};
  // Findings escape what is not theirs; with colors they have escape sequences of their own.
  std::string text = InColumns(base::CommandsAsCalled(FindingsText(report, style)),
                               TerminalColumns(STDOUT_FILENO)) +
                     base::CommandsAsCalled(base::PrintableLines(ResultsText(report, options)));
  if (!text.empty() && !report.output_ends_line) text.insert(0, "\n");
  return text;
}

Expected<void> Save(const RunReport& report, const std::vector<SavedBuffer>& saves) {
  for (const SavedBuffer& save : saves) {
    if (auto written = WriteSaved(report, save.buffer, save.path); !written) return written;
  }
  return {};
}

// Text or JSON, and SARIF and JUnit beside them.
int Write(const RunReport& report, const RunOptions& options) {
  const bool another_alone = options.sarif == "-" || options.junit == "-" || options.html == "-";
  if (!options.sarif.empty()) {
    const auto sarif = SarifOf(report, CurrentFolder(), {.root = options.source_root});
    const int written = WriteResult("", sarif, options.sarif);
    if (written != kExitConforming) return written;
  }
  if (options.junit == "-") {
    PrintRaw(RunJUnit(report));  // CloseStdout tells where that fails
  } else if (!options.junit.empty()) {
    const auto written = base::WriteFileAtomically(options.junit, RunJUnit(report));
    if (!written) return ReportError(written.error());
  }
  if (options.html == "-") {
    PrintRaw(RunPage(report));
  } else if (!options.html.empty()) {
    const auto written = base::WriteFileAtomically(options.html, RunPage(report));
    if (!written) return ReportError(written.error());
  }
  // Digests of large buffers take longer than many kernels.
  if (!another_alone && options.json != "-") PrintRaw(ReportText(report, options));
  return WriteResult("", options.json.empty() ? nlohmann::ordered_json() : RunReportToJson(report),
                     options.json);
}

// --compare: the job on two drivers.
int RunCompared(interp::Job job, const RunOptions& options) {
  const std::size_t comma = options.compare.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == options.compare.size()) {
    return ReportError(
        {ErrorKind::kUsage, fmt::format("--compare '{}': two drivers are wanted, with a comma: "
                                        "Portable,Intel (`assay devices` lists them)",
                                        options.compare)});
  }
  if (job.launches.empty()) {
    return ReportError({ErrorKind::kUsage, "--compare: the job has no launch"});
  }
  auto subject = Subject::Of(std::move(job), options);
  if (!subject) return ReportError(subject.error());
  TwoDriversOptions two{
      .platforms = {options.compare.substr(0, comma), options.compare.substr(comma + 1)}};
  if (options.timeout > 0) two.timeout = options.timeout;
  if (options.memory_given) two.max_memory = options.max_memory;
  const auto report = CompareDrivers(std::move(*subject), two);
  if (!report) return ReportError(report.error());
  const int written = WriteResult(
      options.json == "-" ? "" : TwoDriversText(*report),
      options.json.empty() ? nlohmann::ordered_json() : TwoDriversJson(*report), options.json);
  if (written != kExitConforming) return written;
  return IsOneWrong(*report) ? kExitNonconforming : kExitConforming;
}

int Run(RunOptions& options) {
  if (auto started = StartBudget(&options); !started) return ReportError(started.error());
  if (!options.replay.empty()) {
    if (!options.describing.empty() || !options.job.empty()) {
      return ReportError({ErrorKind::kUsage, "--replay says what is run; name nothing beside it"});
    }
    if (auto applied = ApplyReplay(&options); !applied) return ReportError(applied.error());
  }
  if (auto there = CheckModules(options); !there) return ReportError(there.error());
  if (options.list_kernels) return ListKernels(options);
  if (auto taken = TakeLitmus(&options); !taken) return ReportError(taken.error());
  auto job = JobOf(options);
  if (!job) return ReportError(job.error());
  if (!options.compare.empty()) return RunCompared(std::move(*job), options);
  auto prepared = PrepareRun(*job, options);
  if (!prepared) return ReportError(prepared.error());
  const bool names_buffers =
      !options.print.empty() || !options.save.empty() || !options.observed.empty();
  const std::vector<std::string> parameters =
      names_buffers ? ParameterNames(*job, *prepared) : std::vector<std::string>();
  const auto saves = SavesOf(options, *job, parameters);
  if (!saves) return ReportError(saves.error());
  for (const std::string& name : options.print) {
    const auto buffer = FindBuffer(*job, "--print", name, parameters);
    if (!buffer) return ReportError(buffer.error());
    prepared->printed.push_back(*buffer);
  }
  auto observed = ObservedOf(options, *job, parameters);
  if (!observed) return ReportError(observed.error());
  prepared->observed = std::move(*observed);
  auto report = RunAsAsked(std::move(*job), *prepared);
  if (!report) return ReportError(report.error());
  if (options.litmus) {
    if (auto judged = JudgeLitmus(*options.litmus, &*report); !judged) {
      return ReportError(judged.error());
    }
  }
  for (std::size_t buffer : prepared->printed) report->buffers[buffer].printed = true;
  const base::Doing doing(report->budget, "writing the report");
  const bool is_cut = report->budget.IsExceeded();  // by the run, which the report says
  const int shown = Write(*report, options);
  if (auto saved = Save(*report, *saves); !saved) return ReportError(saved.error());
  if (!options.quiet) {
    std::string summary = SummaryText(*report);
    if (summary.ends_with('\n')) summary.pop_back();
    Tell(summary);
  }
  const int code = RunExitCode(*report);
  if (shown != kExitConforming) return shown;
  if (code == kExitConforming && !is_cut && report->budget.IsExceeded()) {
    return ReportError(report->budget.Reached().value());
  }
  return code;
}

}  // namespace

CLI::App* AddRun(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = AddProgramCommand(app, "run");
  AddRunOptions(command, options.get());
  AddOutput(command, "--html", &options->html, "Write the report as a page");
  command
      ->add_option("--compare", options->compare,
                   "Run on two OpenCL drivers instead: where do they part first, and may both? "
                   "PLATFORM[:INDEX],PLATFORM[:INDEX]")
      ->type_name("A,B");
  command->footer(
      "Example: assay run saxpy.cl -k saxpy -g 1024 -l 64 -a 'float[1024]=range(0,1)' "
      "-a 'float[1024]=0' -a float=2.5 --print 1\n" +
      ArgumentsHelp() +
      "Exit codes: 0 completed, 1 undefined behavior or a failed expectation, 2 usage, 3 not\n"
      "supported, 4 a limit was reached, 5 internal error, 130 interrupted.");
  command->callback([options, exit_code] { *exit_code = Run(*options); });
  return command;
}

}  // namespace assay::tools
