// assay golden make|verify|search: golden vectors that another team can check in.

#include <CLI/CLI.hpp>

#include "tools/golden/golden.h"
#include "tools/golden/search.h"
#include "tools/kernels/commands.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {

CLI::App* AddGolden(CLI::App& app, int* exit_code) {
  CLI::App* command = AddProgramCommand(app, "golden");
  command->require_subcommand(1);
  AddGoldenMake(command, exit_code);
  AddGoldenVerify(command, exit_code);
  AddGoldenSearch(command, exit_code);
  command->footer(
      "Example: assay golden make sin,cos --formats float --as header --out vectors\n"
      "         assay golden verify vectors");
  return command;
}

}  // namespace assay::tools
