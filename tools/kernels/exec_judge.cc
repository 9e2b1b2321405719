#include "tools/kernels/exec_judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/called_as.h"
#include "base/file.h"
#include "base/json_text.h"
#include "base/run_tool.h"
#include "base/text.h"
#include "tools/exec/launcher.h"
#include "tools/judge/pool.h"
#include "tools/judge/processes.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

void SetVariables(const CaptureOptions& options, const std::string& layer,
                  const std::string& folder, Program* program) {
  auto& variables = program->set_variables;
  // The last one of the list is next to the application.
  const char* others = std::getenv("OPENCL_LAYERS");
  variables["OPENCL_LAYERS"] =
      others == nullptr || *others == '\0' ? layer : fmt::format("{}:{}", others, layer);
  // For loaders that know no layers: it comes as a driver, then.
  const char* drivers = std::getenv("OCL_ICD_FILENAMES");
  variables["OCL_ICD_FILENAMES"] =
      drivers == nullptr || *drivers == '\0' ? layer : fmt::format("{}:{}", drivers, layer);
  variables["ASSAY_CAPTURE_DIR"] = folder;
  if (!options.kernels.empty()) variables["ASSAY_CAPTURE_KERNEL"] = options.kernels;
  if (options.every != 0) variables["ASSAY_CAPTURE_EVERY"] = std::to_string(options.every);
  if (options.first != 0) variables["ASSAY_CAPTURE_FIRST"] = std::to_string(options.first);
  if (options.budget > 0) variables["ASSAY_CAPTURE_BUDGET"] = fmt::format("{}", options.budget);
}

// Tells of each launch as soon as it is judged.  stdout belongs to the application.
class Teller {
 public:
  explicit Teller(bool keeps_files) : keeps_files_(keeps_files) {}

  void operator()(Judgement judgement) {
    if (!keeps_files_) ForgetFiles(&judgement);
    // Of launches that conform there is something to say now and then: what nothing wrote.
    const bool is_told = judgement.verdict != Verdict::kConform ||
                         (!judgement.notes.empty() &&
                          noted_.insert({judgement.capture.kernel, judgement.notes}).second);
    if (!is_told) return;
    const std::string text = base::CommandsAsCalled(JudgementText(judgement));
    std::fputs(InColumns(text, TerminalColumns(STDERR_FILENO)).c_str(), stderr);
  }

 private:
  const bool keeps_files_;
  std::set<std::pair<std::string, std::vector<std::string>>> noted_;
};

// `why`: nothing is captured.
int Report(std::vector<Judgement> judgements, const JudgedProgram& options, const ProgramEnd& end,
           double seconds, const std::string& why) {
  if (!options.quiet) {
    std::fprintf(stderr, "assay: %s", JudgeSummary(judgements).c_str());
    if (!why.empty()) std::fprintf(stderr, "assay: %s\n", base::Printable(why).c_str());
    const bool is_told = std::ranges::any_of(judgements, [](const Judgement& one) {
      return one.verdict != Verdict::kConform && !one.capture.job.empty();
    });
    if (is_told && options.folder.empty()) {
      std::fprintf(stderr, "assay: the jobs are not kept; give --save-jobs FOLDER to keep them\n");
    }
  }
  if (options.folder.empty())
    std::ranges::for_each(judgements, [](auto& one) { ForgetFiles(&one); });
  const int accused = JudgeExitCode(judgements);
  const int ended = accused != kExitConforming ? accused : end.exit_code;
  const int code = g_interrupted ? kExitInterrupted : ended;
  const JudgedRun run = {
      .command = fmt::format("assay exec --judge -- {}", fmt::join(options.program, " ")),
      .program_exit_code = end.exit_code,
      .seconds = seconds};
  if (const auto written = WriteJudgeFiles(options.files, judgements, run); !written) {
    return ReportError(written.error());
  }
  if (options.json.empty()) return code;
  nlohmann::ordered_json json = JudgeJson(judgements);
  json["command"] = options.program;
  json["program_exit_code"] = end.exit_code;
  json["program_signal"] = end.signal;
  json["why_nothing"] = why;
  json["exit_code"] = code;
  const auto written = base::WriteFileAtomically(options.json, base::JsonText(json, 1) + "\n");
  return written ? code : ReportError(written.error());
}

}  // namespace

void AddCaptureOptions(CLI::App* command, CLI::Option* judge, CaptureOptions* options) {
  command->option_defaults()->group("What --judge captures");
  command->add_option("--kernel", options->kernels, "Only kernels of these names, with commas")
      ->needs(judge);
  command->add_option("--every", options->every, "Each N-th launch of a kernel, from the first on")
      ->check(WholeNumber(1))
      ->needs(judge);
  command->add_option("--first", options->first, "The first N launches of a kernel")
      ->check(WholeNumber(1))
      ->needs(judge);
  command
      ->add_option("--budget", options->budget,
                   "Capture no more once captures have taken so many seconds")
      ->check(NumberAboveZero())
      ->needs(judge);
  command->add_option("--judge-timeout", options->limits.timeout, "Seconds for judging one launch")
      ->check(NumberAboveZero())
      ->needs(judge)
      ->capture_default_str();
  command
      ->add_option("--allow-read", options->limits.allow_read,
                   "Folder whose files the programs may include by whole paths")
      ->allow_extra_args(false)
      ->needs(judge);
  command
      ->add_option(
          "--jobs", options->jobs,
          "Child processes that judge at a time (default: one while the program runs, then "
          "one per core)")
      ->check(WholeNumber(1))
      ->needs(judge);
}

int RunAndJudge(const JudgedProgram& options) {
  const auto layer = FindLayer();
  if (!layer) return ReportError(layer.error());
  std::optional<base::TemporaryFolder> temporary;
  std::string folder = options.folder;
  if (folder.empty()) {
    auto made = base::TemporaryFolder::Make();
    if (!made) return ReportError(made.error());
    temporary.emplace(std::move(*made));
    folder = temporary->File("captures");
  }
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return ReportError({ErrorKind::kDevice, fmt::format("'{}': {}; name a folder that can be made",
                                                        folder, error.message())});
  }
  Program program{.words = options.program};
  if (!options.device_type.empty()) {
    program.set_variables["ASSAY_DEVICE_TYPE"] = options.device_type;
  }
  SetVariables(options.capture, *layer, folder, &program);
  int not_started = kExitUsage;
  const auto start = std::chrono::steady_clock::now();
  JudgePool pool(options.capture.limits, options.capture.jobs);
  const auto end = RunProgramBeside(program, &not_started, [&] { pool.Follow(folder); });
  if (!end) {
    ReportError(end.error());
    return not_started;
  }
  const auto captures = ReadCaptures(folder);
  if (!captures) return ReportError(captures.error());
  HandleInterrupts();
  Teller tell(!options.folder.empty());
  auto judgements = pool.Finish(*captures, [&](const Judgement& one) { tell(one); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string why =
      judgements.empty() ? WhyNothingIsCaptured(ReadProcesses(folder), FindLoaders()) : "";
  return Report(std::move(judgements), options, *end, seconds.count(), why);
}

}  // namespace assay::tools
