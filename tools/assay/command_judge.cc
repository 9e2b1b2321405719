// assay judge DIR: was it the driver or the kernel, for each captured launch.

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "tools/assay/commands.h"
#include "tools/judge/judge.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

struct JudgeOptions {
  std::string folder;
  std::string one;  // what a child is given
  std::string json;
  JudgeLimits limits;
};

int Run(const JudgeOptions& options) {
  if (!options.one.empty()) {
    const auto capture = ReadCapture(options.one);
    if (!capture) return ReportError(capture.error());
    PrintRaw(base::JsonText(JudgementJson(Judge(*capture, options.limits))) + "\n");
    return kExitConforming;
  }
  if (options.folder.empty()) {
    return ReportError({ErrorKind::kUsage, "judge: name a folder of captures: assay judge DIR"});
  }
  const auto captures = ReadCaptures(options.folder);
  if (!captures) return ReportError(captures.error());
  HandleInterrupts();
  // Each is shown as soon as it is judged, unless the JSON takes its place on stdout.
  const bool is_alone = options.json == "-";
  const auto judgements = JudgeAll(
      *captures, options.limits,
      is_alone ? nullptr : +[](const Judgement& judgement) { PrintRaw(JudgementText(judgement)); });
  const int written = WriteResult(
      JudgeSummary(judgements),
      options.json.empty() ? nlohmann::ordered_json() : JudgeJson(judgements), options.json);
  if (written != kExitConforming) return written;
  return g_interrupted ? kExitInterrupted : JudgeExitCode(judgements);
}

}  // namespace

CLI::App* AddJudge(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<JudgeOptions>();
  CLI::App* command = app.add_subcommand(
      "judge", "Judge captured launches: did the driver break a rule, or the kernel?");
  command->add_option("folder", options->folder, "Captures of `assay exec --judge --save-jobs`");
  command->add_option("--one", options->one, "Judge one capture and print its verdict as JSON")
      ->group("");
  AddOutput(command, "--json", &options->json, "Write the report");
  command->add_option("--timeout", options->limits.timeout, "Seconds for one launch")
      ->check(NumberAboveZero())
      ->capture_default_str();
  command->add_option("--max-memory", options->limits.max_memory, "Memory for one launch: 512M, 8G")
      ->check([](const std::string& text) {
        const auto size = ParseByteSize(text);
        return size ? std::string() : size.error().message;
      })
      ->capture_default_str();
  command->footer(
      "Example: assay exec --judge --save-jobs captures -- ./my_app && assay judge captures\n"
      "Exit codes: 0 no driver and no kernel is accused, 1 one is, 2 bad input, 130 interrupted.");
  command->callback([options, exit_code] { *exit_code = Run(*options); });
  return command;
}

}  // namespace assay::tools
