// assay matrix probe: the arithmetic of a device's matrix instructions, as models.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/assay/commands.h"
#include "tools/matrix/probe.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/option_values.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

int RunProbe(const ProbeOptions& options) {
  HandleInterrupts();
  const auto outcome = Probe(options, g_interrupted);
  if (!outcome) return ReportError(outcome.error());
  Print(outcome->text);
  if (g_interrupted) return kExitInterrupted;
  if (!outcome->complete) {
    Print("not complete: the same command with the same --output goes on from here\n");
  }
  return outcome->disagrees ? kExitNonconforming : kExitConforming;
}

void AddProbe(CLI::App* matrix, int* exit_code) {
  auto options = std::make_shared<ProbeOptions>();
  CLI::App* command = matrix->add_subcommand(
      "probe", "Find a model of a device's matrix instructions, and search for counterexamples");
  command
      ->add_option("--pipe", options->pipe,
                   "Command of a matrix device (docs/pipe-protocol.md, \"Matrix devices\")")
      ->required();
  command
      ->add_option("--instructions", options->instructions,
                   "Of those that the device declares; default: all")
      ->delimiter(',');
  AddOutput(command, "--output", &options->output,
            "The model file to write; one that is there is continued");
  command
      ->add_option("--dots", options->dots, "Random dot products to compare, for each instruction")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--samples", options->samples,
                   "Random tiles that the numbers of a model are fitted to")
      ->check(WholeNumber(1, 1 << 16))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the random operands")
      ->check(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--time-limit", options->seconds,
                   "Seconds after which no more is asked; 0: no limit")
      ->check(NumberFromZero())
      ->capture_default_str();
  command->add_option("--timeout", options->timeout, "Seconds that the device may be silent")
      ->check(NumberAboveZero())
      ->capture_default_str();
  command->add_option("--threads", options->threads, "Number of threads; 0: one per core")
      ->check(SmallNumber())
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 the models explain all results, 1 there are counterexamples, 2 usage, 4 the "
      "device failed.\n"
      "Example: assay matrix probe --pipe 'python3 cuda_matrix.py serve matrix.cubin' --output "
      "h200.json");
  command->callback([options, exit_code] { *exit_code = RunProbe(*options); });
}

}  // namespace

CLI::App* AddMatrix(CLI::App& app, int* exit_code) {
  CLI::App* command = app.add_subcommand("matrix", "Models of matrix instructions");
  command->require_subcommand(1);
  AddProbe(command, exit_code);
  return command;
}

}  // namespace assay::tools
