// assay-debug: the debugger, on a terminal and for editors.  assay starts it
// (tools/assay/forward.h).

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/debug/commands.h"
#include "tools/option_table/command_line.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/program.h"

namespace assay::tools {
namespace {

int Run(int argc, char** argv) {
  CLI::App app{"The debugger of assay; assay itself starts this program", "assay"};
  app.formatter(HelpFormatter());
  app.require_subcommand(1);
  int exit_code = kExitConforming;
  for (CLI::App* command : {AddDebug(app, &exit_code), AddDap(app, &exit_code)}) {
    command->group("Kernels");
  }
  AddHelp(app, &exit_code);
  return RunCommand(app, WordsOf(argc, argv), &exit_code);
}

}  // namespace
}  // namespace assay::tools

int main(int argc, char** argv) { return assay::tools::Main(argc, argv, assay::tools::Run); }
