// assay-run: the commands that execute kernels, but for the debugger.  assay starts it
// (tools/assay/forward.h).

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "oracle/jobs/interpreter.h"
#include "oracle/jobs/matrix_device.h"
#include "tools/kernels/commands.h"
#include "tools/option_table/command_line.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/program.h"
#include "tools/shared/serve.h"

namespace assay::tools {
namespace {

int Run(int argc, char** argv) {
  CLI::App app{"The commands of assay that execute kernels; assay itself starts this program",
               "assay"};
  app.formatter(HelpFormatter());
  app.require_subcommand(1);
  int exit_code = kExitConforming;
  std::vector<std::string> words = WordsOf(argc, argv);
  const std::vector<std::string> program = TakeProgram(&words);
  for (CLI::App* command : {AddGolden(app, &exit_code), AddHunt(app, &exit_code)}) {
    command->group("Drivers and their numbers");
  }
  for (CLI::App* command : {AddRun(app, &exit_code), AddExec(app, program, &exit_code),
                            AddJudge(app, &exit_code), AddExplain(app, &exit_code)}) {
    command->group("Kernels");
  }
  AddServe(app, &exit_code, oracle::OpenInterpreter,
           [](bool interpreter, const std::string& opencl, int in, int out) {
             return oracle::ServeMatrixDevice({.interpreter = interpreter, .opencl = opencl}, in,
                                              out);
           });
  AddBuildServer(app, &exit_code);
  AddHelp(app, &exit_code);
  return RunCommand(app, words, &exit_code);
}

}  // namespace
}  // namespace assay::tools

int main(int argc, char** argv) { return assay::tools::Main(argc, argv, assay::tools::Run); }
