// assay: one file a command; this one only puts them together.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "numerics/memory.h"
#include "tools/assay/command_line.h"
#include "tools/assay/commands.h"
#include "tools/assay/version.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"

namespace assay::tools {

namespace {

// A file that is opened must not become stdout or stderr because the caller closed those: /dev/null
// takes their places, in a way in which writing to stdout fails.
void FillStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void PrepareProcess() {
  FillStandardDescriptors();
  numerics::ThrowWhereMemoryEnds();
  // A file larger than `ulimit -f` is reported as an error, like a full disk.  This needs a
  // handler: if the signal were ignored, it would be ignored in every started program, too.
  std::signal(SIGXFSZ, [](int) {});
}

int Run(int argc, char** argv) {
  CLI::App app{"Bit-accurate oracle for OpenCL numerical conformance, and interpreter of kernels",
               "assay"};
  app.formatter(HelpFormatter());
  app.require_subcommand(1);
  app.footer(
      "`assay help COMMAND` has a command's options and an example.\n"
      "Exit codes: 0 conforming, 1 nonconforming, 2 usage or bad input, 3 only unsupported\n"
      "things asked for, 4 device or machine failed, 5 internal error, 130 interrupted.\n"
      "Example: assay validate --opencl Portable --level smoke");
  int exit_code = kExitConforming;
  AddVersion(app, &exit_code);
  std::vector<std::string> words = WordsOf(argc, argv);
  const std::vector<std::string> program = TakeProgram(&words);
  const auto add = [&](const char* group, std::initializer_list<CLI::App*> commands) {
    for (CLI::App* command : commands) command->group(group);
  };
  add("Drivers and their numbers",
      {AddValidate(app, words, &exit_code), AddReport(app, &exit_code), AddMerge(app, &exit_code),
       AddSweep(app, program, &exit_code), AddDevices(app, &exit_code), AddList(app, &exit_code),
       AddEval(app, &exit_code), AddGolden(app, &exit_code), AddCertify(app, &exit_code)});
  add("Kernels",
      {AddRun(app, &exit_code), AddDebug(app, &exit_code), AddDap(app, &exit_code),
       AddExec(app, program, &exit_code), AddJudge(app, &exit_code), AddExplain(app, &exit_code)});
  AddServe(app, &exit_code);
  AddBuildServer(app, &exit_code);
  AddGenerateDocs(app, &exit_code);
  add("Help", {AddHelp(app, &exit_code)});
  return RunCommand(app, words, &exit_code);
}

}  // namespace
}  // namespace assay::tools

int main(int argc, char** argv) {
  assay::tools::PrepareProcess();
  try {
    return assay::tools::CloseStdout(assay::tools::Run(argc, argv));
  } catch (const std::bad_alloc&) {
    // Output that was written before is complete; this is no internal error of assay.
    std::fprintf(stderr,
                 "assay: error: out of memory; free some, or give fewer --threads or a "
                 "smaller --max-memory where the command has them\n");
    return assay::tools::kExitDevice;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "assay: error: the machine failed: %s\n", error.what());
    return assay::tools::kExitDevice;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "assay: internal error: %s\nThis is a defect of assay; please report it with the "
                 "command line.\n",
                 error.what());
    return assay::tools::kExitInternal;
  }
}
