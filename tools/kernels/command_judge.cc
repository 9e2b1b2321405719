// assay judge DIR: was it the driver or the kernel, for each captured launch.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/called_as.h"
#include "base/json_text.h"
#include "tools/bisect/bisect.h"
#include "tools/bisect/two_drivers.h"
#include "tools/judge/capture.h"
#include "tools/judge/files.h"
#include "tools/judge/judge.h"
#include "tools/judge/pool.h"
#include "tools/kernels/commands.h"
#include "tools/run/options.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

struct JudgeOptions {
  std::string folder;
  std::string one;  // what a child is given
  bool bisects = false;
  std::string platform;  // --opencl
  std::string against;   // --against
  std::string reduced;   // --reduced
  std::string json;
  JudgeFiles files;
  JudgeLimits limits;
  int jobs = 0;
};

// What was found before Ctrl-C is not told: trials that failed by it may have misled the search.
int Interrupted() {
  ReportError({ErrorKind::kDevice, "judge: interrupted before there was a verdict"});
  return kExitInterrupted;
}

// --bisect: of one launch.
int RunBisect(const JudgeOptions& options) {
  if (options.folder.empty() || options.platform.empty()) {
    return ReportError(
        {ErrorKind::kUsage,
         "judge: --bisect takes a job or a capture, and a driver: `assay judge "
         "captures/1-000001-k.capture.json --bisect --opencl NAME` (`assay devices` lists them)"});
  }
  const auto report = Bisect({.input = options.folder,
                              .platform = options.platform,
                              .folder = options.reduced,
                              .timeout = options.limits.timeout,
                              .max_memory = options.limits.max_memory});
  if (g_interrupted) return Interrupted();
  if (!report) return ReportError(report.error());
  const int written = WriteResult(
      options.json == "-" ? "" : BisectText(*report),
      options.json.empty() ? nlohmann::ordered_json() : BisectJson(*report), options.json);
  if (written != kExitConforming) return written;
  if (report->output.empty() && report->undecided.empty()) return kExitConforming;
  const bool is_wrong = report->found || !report->not_searched.empty();
  return is_wrong ? kExitNonconforming : kExitDevice;
}

// --against: of one launch.
int RunAgainst(const JudgeOptions& options) {
  std::string platform = options.platform;
  if (platform.empty() && IsCapture(options.folder)) {
    const auto capture = ReadCapture(options.folder);
    if (!capture) return ReportError(capture.error());
    platform = capture->platform;
  }
  if (options.folder.empty() || platform.empty()) {
    return ReportError(
        {ErrorKind::kUsage,
         "judge: --against takes a capture, or a job and its first driver: `assay judge "
         "captures/1-000001-k.capture.json --against NAME`, `assay judge job.json --opencl NAME "
         "--against NAME` (`assay devices` lists them)"});
  }
  auto subject = Subject::Load(options.folder, options.limits.timeout, options.limits.max_memory);
  if (g_interrupted) return Interrupted();
  if (!subject) return ReportError(subject.error());
  const auto report =
      CompareDrivers(std::move(*subject), {.platforms = {platform, options.against},
                                           .timeout = options.limits.timeout,
                                           .max_memory = options.limits.max_memory});
  if (g_interrupted) return Interrupted();
  if (!report) return ReportError(report.error());
  const int written = WriteResult(
      options.json == "-" ? "" : TwoDriversText(*report),
      options.json.empty() ? nlohmann::ordered_json() : TwoDriversJson(*report), options.json);
  if (written != kExitConforming) return written;
  return IsOneWrong(*report) ? kExitNonconforming : kExitConforming;
}

int Run(const JudgeOptions& options) {
  if (options.bisects && !options.against.empty()) {
    return ReportError({ErrorKind::kUsage, "judge: --bisect and --against are two questions"});
  }
  HandleInterrupts();
  if (options.bisects) return RunBisect(options);
  if (!options.against.empty()) return RunAgainst(options);
  if (!options.platform.empty()) {
    return ReportError({ErrorKind::kUsage, "judge: --opencl needs --bisect or --against"});
  }
  if (!options.one.empty()) {
    const auto capture = ReadCapture(options.one);
    if (!capture) return ReportError(capture.error());
    PrintRaw(base::JsonText(JudgementJson(Judge(*capture, options.limits))) + "\n");
    return kExitConforming;
  }
  if (options.folder.empty()) {
    return ReportError({ErrorKind::kUsage, "judge: name a folder of captures: `assay judge DIR`"});
  }
  const auto captures = ReadCaptures(options.folder);
  if (!captures) return ReportError(captures.error());
  // A pipeline that captured nothing must not look as if all had been judged.
  if (captures->empty()) {
    return ReportError(
        {ErrorKind::kUsage,
         fmt::format("'{}': it has no captured launch (*.capture.json); capture launches with "
                     "`assay exec --judge --save-jobs FOLDER -- PROGRAM`",
                     options.folder)});
  }
  const auto start = std::chrono::steady_clock::now();
  // Each is shown as soon as it is judged, unless a file takes its place on stdout.
  const bool is_alone = options.json == "-" || options.files.TakeStdout();
  JudgePool pool(options.limits, options.jobs);
  const auto judgements = pool.Finish(
      *captures, is_alone ? nullptr : +[](const Judgement& judgement) {
        PrintRaw(InColumns(base::CommandsAsCalled(JudgementText(judgement)),
                           TerminalColumns(STDOUT_FILENO)));
      });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const JudgedRun run = {.command = "assay judge " + options.folder, .seconds = seconds.count()};
  if (const auto done = WriteJudgeFiles(options.files, judgements, run); !done) {
    return ReportError(done.error());
  }
  const int written = WriteResult(
      is_alone ? "" : JudgeSummary(judgements),
      options.json.empty() ? nlohmann::ordered_json() : JudgeJson(judgements), options.json);
  if (written != kExitConforming) return written;
  return g_interrupted ? kExitInterrupted : JudgeExitCode(judgements);
}

}  // namespace

CLI::App* AddJudge(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<JudgeOptions>();
  CLI::App* command = AddProgramCommand(app, "judge");
  command->add_option(
      "folder", options->folder,
      "Captures of `assay exec --judge --save-jobs`; with --bisect or --against one "
      "capture or job");
  CLI::Option* const bisect = command->add_flag(
      "--bisect", options->bisects,
      "Run one launch again on a driver, and find the first instruction that it computes wrong");
  command
      ->add_option("--against", options->against,
                   "Run one launch on another driver, too: where do the two part first, and may "
                   "both? PLATFORM[:INDEX]")
      ->type_name("NAME");
  command
      ->add_option("--opencl", options->platform,
                   "With --bisect or --against: the driver, PLATFORM[:INDEX] (with --against "
                   "default: that of the capture)")
      ->type_name("NAME");
  command
      ->add_option("--reduced", options->reduced,
                   "With --bisect: a folder for the small kernel that shows the fault, and its job")
      ->needs(bisect);
  command->add_option("--one", options->one, "Judge one capture and print its verdict as JSON")
      ->group("");
  AddOutput(command, "--json", &options->json, "Write the report");
  AddOutput(command, "--sarif", &options->files.sarif, "Write what is accused as SARIF 2.1.0");
  AddSourceRoot(command, &options->files.source_root);
  AddOutput(command, "--junit", &options->files.junit, "Write a case for each launch as JUnit XML");
  AddOutput(command, "--html", &options->files.html, "Write the report as a page");
  command
      ->add_option("--jobs", options->jobs,
                   "Child processes that judge at a time (default: one per core)")
      ->check(WholeNumber(1));
  command->add_option("--threads", options->limits.threads, "Threads that execute one launch")
      ->group("");
  command->add_option("--timeout", options->limits.timeout, "Seconds for one launch")
      ->check(NumberAboveZero())
      ->capture_default_str();
  AddAllowRead(command, &options->limits.allow_read);
  command->add_option("--max-memory", options->limits.max_memory, "Memory for one launch: 512M, 8G")
      ->check([](const std::string& text) {
        const auto size = ParseByteSize(text);
        return size ? std::string() : size.error().message;
      })
      ->capture_default_str();
  command->footer(
      "Example: assay exec --judge --save-jobs captures -- ./my_app && assay judge captures\n"
      "         assay judge captures/7-000001-k.capture.json --bisect --opencl Portable\n"
      "         assay judge captures/7-000001-k.capture.json --against Intel\n"
      "Exit codes: 0 no driver and no kernel is accused, 1 one is, 2 bad input (also a folder "
      "without\n"
      "captures), 130 interrupted.");
  command->callback([options, exit_code] { *exit_code = Run(*options); });
  return command;
}

}  // namespace assay::tools
