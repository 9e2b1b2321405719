// assay hunt: random programs on an OpenCL driver, and what it computes wrong.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/called_as.h"
#include "base/file.h"
#include "oracle/sweep/shard.h"
#include "tools/hunt/hunt.h"
#include "tools/kernels/commands.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

struct HuntCommand {
  HuntOptions hunt;
  std::string budget = "120s", kinds, shard;
  std::string json, junit, html;
};

Expected<void> Complete(HuntCommand* command) {
  auto budget = ParseHuntBudget(command->budget);
  if (!budget) return tl::unexpected(budget.error());
  command->hunt.budget = *budget;
  if (!command->kinds.empty()) {
    auto kinds = ParseHuntKinds(command->kinds);
    if (!kinds) return tl::unexpected(kinds.error());
    command->hunt.kinds = std::move(*kinds);
  }
  if (!command->shard.empty()) {
    auto shard = oracle::ShardFromText(command->shard);
    if (!shard) return tl::unexpected(shard.error());
    command->hunt.shard = *shard;
  }
  if (command->hunt.resumes && command->hunt.output.empty()) {
    return Fail(ErrorKind::kUsage, "hunt: --resume needs --output, where the hunt is kept");
  }
  return {};
}

int Run(HuntCommand command) {
  if (auto good = Complete(&command); !good) return ReportError(good.error());
  const bool is_alone = command.json == "-" || command.junit == "-" || command.html == "-";
  const auto tell = [](const HuntFinding& finding) {
    Print(base::CommandsAsCalled(HuntFindingText(finding)));
  };
  const auto report =
      Hunt(command.hunt, is_alone ? nullptr : std::function<void(const HuntFinding&)>(tell));
  if (!report) {
    const int code = ReportError(report.error());
    return g_interrupted ? kExitInterrupted : code;
  }
  const std::string line = fmt::format("assay hunt --opencl {} --seed {} --budget {}",
                                       command.hunt.platform, command.hunt.seed, command.budget);
  for (const auto& [path, text] : {std::pair(command.junit, HuntJUnit(*report, line)),
                                   std::pair(command.html, HuntPage(*report, line))}) {
    if (path.empty()) continue;
    if (path == "-") {
      PrintRaw(text);
    } else if (auto written = base::WriteFileAtomically(path, text); !written) {
      return ReportError(written.error());
    }
  }
  const int written = WriteResult(
      is_alone ? "" : HuntSummary(*report),
      command.json.empty() ? nlohmann::ordered_json() : HuntJson(*report), command.json);
  if (written != kExitConforming) return written;
  return HuntExitCode(*report);
}

}  // namespace

CLI::App* AddHunt(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<HuntCommand>();
  CLI::App* command = AddProgramCommand(app, "hunt");
  command->add_option("--opencl", options->hunt.platform, "The driver: PLATFORM[:INDEX]")
      ->type_name("NAME")
      ->required();
  command->add_option("--seed", options->hunt.seed, "Which programs are made")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--budget", options->budget,
                   "How long: 120s, 10m, 2h; what was found by then is still made small")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option("--programs", options->hunt.programs,
                   "At most so many programs (default: as many as the budget allows)")
      ->check(WholeNumber(1));
  command
      ->add_option("--stop-after-findings", options->hunt.stop_after_findings,
                   "End when so many bugs are found (default: go on)")
      ->check(WholeNumber(1));
  std::vector<std::string_view> kinds;
  for (const HuntKindRow& row : HuntKinds()) kinds.push_back(row.name);
  command
      ->add_option("--kinds", options->kinds,
                   "Kinds of programs, separated by commas (default: all that the device has)")
      ->type_name("LIST")
      ->check(SuggestForList(kinds));
  command->add_flag(
      "--spirv", options->hunt.is_spirv,
      "Give the driver SPIR-V in place of OpenCL C, in forms that compilers rarely write");
  command
      ->add_option("--output", options->hunt.output,
                   "A folder for findings, and for the journal of --resume")
      ->type_name("FOLDER");
  command->add_flag("--resume", options->hunt.resumes, "Go on with the hunt of --output");
  command
      ->add_option("--corpus", options->hunt.corpus,
                   "A folder of findings that are run on the driver first")
      ->type_name("FOLDER");
  command->add_option("--shard", options->shard, "Only the programs of one part of several: 3/7")
      ->type_name("I/N");
  command
      ->add_option("--jobs", options->hunt.jobs,
                   "Batches of programs at a time (default: one per core)")
      ->check(SmallNumber(1));
  AddOutput(command, "--json", &options->json, "Write the report");
  AddOutput(command, "--junit", &options->junit, "Write a case for each finding as JUnit XML");
  AddOutput(command, "--html", &options->html, "Write the report as a page");
  command->footer(
      "Example: assay hunt --opencl 'My Platform' --budget 10m --output findings\n"
      "         assay hunt --opencl 'My Platform' --corpus findings --budget 60s\n"
      "Exit codes: 0 nothing found, 1 bugs found, 2 bad input, 3 the device has nothing of these\n"
      "kinds, 4 the device or the machine failed, 130 interrupted.");
  command->callback([options, exit_code] { *exit_code = Run(*options); });
  return command;
}

}  // namespace assay::tools
