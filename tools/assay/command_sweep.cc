// assay sweep --slurm|--parallel -- VALIDATE OPTIONS: the shards of a validation on a cluster.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "oracle/sweep/shard.h"
#include "tools/assay/commands.h"
#include "tools/assay/merged_output.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"
#include "tools/sweep/scripts.h"
#include "tools/sweep/slurm.h"
#include "tools/sweep/words.h"

namespace assay::tools {
namespace {

struct SweepCommand {
  bool slurm = false, parallel = false, resume = false, progress = false;
  int shards = 0;
  std::string sbatch;
  SlurmOptions queue;
  MergedOutput output;
  std::vector<std::string> words;  // of validate
};

Expected<void> Check(const SweepCommand& command) {
  if (command.slurm == command.parallel) {
    return Fail(ErrorKind::kUsage, "give one of --slurm and --parallel");
  }
  if (command.output.json.empty() || base::IsWrittenInPlace(command.output.json) ||
      command.output.json == "-") {
    return Fail(ErrorKind::kUsage,
                "name the report with --json FILE: the shards are kept beside it");
  }
  if (command.parallel && !(command.output.junit.empty() && command.output.html.empty())) {
    return Fail(ErrorKind::kUsage,
                "--parallel writes a script, which writes the --json report only; make the page "
                "of it with `assay report`");
  }
  if (command.words.empty()) {
    return Fail(ErrorKind::kUsage,
                "what is asked stands behind --: assay sweep --slurm --shards 100 --json r.json -- "
                "--library libm.so.6 --level exhaustive");
  }
  if (ShardWords(command.words) != command.words) {
    return Fail(ErrorKind::kUsage,
                "behind -- stand the device, the functions and the inputs; --json, --junit, "
                "--html, --resume, --progress, --checkpoint and --shard are the sweep's own");
  }
  return {};
}

Expected<SweepPlan> PlanOf(const SweepCommand& command) {
  SweepPlan plan{.program = {},
                 .words = command.words,
                 .report = std::filesystem::absolute(command.output.json).string(),
                 .folder = {},
                 .origin = std::filesystem::current_path().string(),
                 .count = static_cast<std::uint64_t>(command.shards)};
  plan.words.insert(plan.words.begin(), "validate");
  if (command.output.no_origin) plan.words.emplace_back("--no-origin");
  plan.folder = ShardFolder(plan.report);
  auto program = OwnProgram();
  if (!program) return tl::unexpected<Error>(program.error());
  plan.program = std::move(*program);
  std::error_code error;
  if (!command.resume && std::filesystem::exists(plan.folder, error)) {
    return Fail(ErrorKind::kUsage, fmt::format("'{}' has shards of an earlier run: --resume goes "
                                               "on with it; or remove it",
                                               plan.folder));
  }
  std::filesystem::create_directory(plan.folder, error);
  if (error) return Fail(ErrorKind::kDevice, fmt::format("'{}': {}", plan.folder, error.message()));
  const std::pair<const char*, std::string> scripts[] = {
      {kShardScript, ShardScript(plan)},
      {command.slurm ? kSlurmScript : kParallelScript,
       command.slurm ? SlurmScript(plan) : ParallelScript(plan)}};
  for (const auto& [name, text] : scripts) {
    if (auto written = WriteScript(plan.folder + "/" + name, text); !written) {
      return tl::unexpected<Error>(written.error());
    }
  }
  return plan;
}

int Sweep(SweepCommand command) {
  if (auto checked = Check(command); !checked) return ReportError(checked.error());
  const auto plan = PlanOf(command);
  if (!plan) return ReportError(plan.error());
  const auto missing = MissingIn(plan->folder, plan->count);
  if (!missing) return ReportError(missing.error());
  if (command.parallel) {
    Print(plan->folder + "/" + kParallelScript + "\n");
    return kExitConforming;
  }
  std::istringstream words(command.sbatch);
  for (std::string word; words >> word;) command.queue.sbatch.push_back(word);
  HandleInterrupts();
  Progress progress(command.progress);
  progress.Begin(fmt::format("{} shards", plan->count));
  const auto ran = RunOnSlurm(*plan, command.queue,
                              [&](std::uint64_t there) { progress.Update(there, plan->count); });
  progress.Clear();
  if (!ran) return ReportError(ran.error());
  if (!*ran) {
    std::fprintf(stderr, "assay: interrupted; '%s' holds what was measured, go on with --resume\n",
                 plan->folder.c_str());
    return kExitInterrupted;
  }
  return MergeFolder(command.output, plan->folder, plan->count, nullptr);
}

}  // namespace

CLI::App* AddSweep(CLI::App& app, const std::vector<std::string>& words, int* exit_code) {
  auto options = std::make_shared<SweepCommand>();
  options->words = words;
  CLI::App* command =
      app.add_subcommand("sweep", "A validation in shards over a cluster, merged at its end");
  command->add_flag("--slurm", options->slurm,
                    "Submit job arrays, watch them, submit again what failed, and merge");
  command->add_flag("--parallel", options->parallel,
                    "Write a script for GNU parallel that does the same, and print its name");
  command->add_option("--shards", options->shards, "How many shards")
      ->required()
      ->check(SmallNumber(1, static_cast<int>(oracle::kMaxShards)));
  AddMergedOutput(command, &options->output);
  command->add_option("--sbatch", options->sbatch,
                      "Options for sbatch, separated by blanks: '-p short --time=60'");
  command
      ->add_option("--rounds", options->queue.rounds,
                   "Job arrays at most, each of the shards that have no result yet")
      ->check(SmallNumber(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--poll", options->queue.poll_seconds, "Seconds between questions to the queue")
      ->check(NumberAboveZero())
      ->capture_default_str();
  command
      ->add_option("--patience", options->queue.patience_seconds,
                   "Seconds that Slurm's controller may be away")
      ->check(NumberFromZero())
      ->capture_default_str();
  command->add_flag("--resume", options->resume, "Go on with the shards that are there");
  AddProgress(command, &options->progress);
  command->footer(
      "The options of `assay validate` stand behind --.\n"
      "Example: assay sweep --slurm --shards 100 --json r.json -- --library libm.so.6 "
      "--level exhaustive");
  command->callback([options, exit_code] { *exit_code = Sweep(*options); });
  return command;
}

}  // namespace assay::tools
