// assay: one file a command; this one only puts them together.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/assay/commands.h"
#include "tools/assay/forward.h"
#include "tools/assay/version.h"
#include "tools/option_table/command_line.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/program.h"
#include "tools/shared/serve.h"

namespace assay::tools {
namespace {

int Run(int argc, char** argv) {
  CLI::App app{"Bit-accurate oracle for OpenCL numerical conformance, and interpreter of kernels",
               "assay"};
  app.formatter(HelpFormatter());
  app.footer(
      "`assay help COMMAND` has a command's options and an example.\n"
      "Exit codes: 0 conforming, 1 nonconforming, 2 usage or bad input, 3 only unsupported\n"
      "things asked for, 4 device or machine failed, 5 internal error, 130 interrupted.\n"
      "Example: assay validate --opencl Portable --level smoke");
  int exit_code = kExitConforming;
  AddVersion(app, &exit_code);
  std::vector<std::string> words = WordsOf(argc, argv);
  if (const ProgramCommand* const command = ForwardedCommand(words)) return Start(*command, argv);
  const std::vector<std::string> program = TakeProgram(&words);
  const auto add = [&](const char* group, std::initializer_list<CLI::App*> commands) {
    for (CLI::App* command : commands) command->group(group);
  };
  const auto forwarded = [&](const char* name) {
    return AddForwarded(app, name, argv, &exit_code);
  };
  add("Drivers and their numbers",
      {AddValidate(app, words, &exit_code), AddReport(app, &exit_code), AddMerge(app, &exit_code),
       AddSweep(app, program, &exit_code), AddDevices(app, &exit_code), AddList(app, &exit_code),
       AddEval(app, &exit_code), forwarded("golden"), forwarded("hunt"),
       AddCertify(app, &exit_code), AddMatrix(app, &exit_code)});
  add("Kernels", {forwarded("run"), forwarded("debug"), forwarded("dap"), forwarded("exec"),
                  forwarded("judge"), forwarded("explain")});
  AddServe(app, &exit_code, nullptr);
  add("Help", {AddHelp(app, &exit_code, CompleteHelp)});
  return RunCommand(app, words, &exit_code);
}

}  // namespace
}  // namespace assay::tools

int main(int argc, char** argv) { return assay::tools::Main(argc, argv, assay::tools::Run); }
