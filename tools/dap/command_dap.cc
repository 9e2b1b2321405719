// assay dap: the debugger for editors, by the Debug Adapter Protocol on standard input and output.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tools/dap/adapter.h"
#include "tools/debug/commands.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

int Dap() {
  // `write` reports a client that has disconnected.
  std::signal(SIGPIPE, SIG_IGN);
  // Only the adapter writes to the protocol: other output goes to standard error.
  const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return ReportError(
        {ErrorKind::kDevice, std::string("standard output: ") + std::strerror(errno)});
  }
  return dap::Adapter(STDIN_FILENO, output).Serve();
}

}  // namespace

CLI::App* AddDap(CLI::App& app, int* exit_code) {
  CLI::App* command = AddProgramCommand(app, "dap");
  command->footer(
      "Speaks the protocol on standard input and output, for one session; an editor starts it.\n"
      "Example: a launch configuration {\"type\": \"assay\", \"request\": \"launch\", \"job\": "
      "\"saxpy.json\"}\n"
      "(tools/dap/vscode, docs/debugger.md).  Exit codes: 0 the client ended it, 2 the input was\n"
      "not the protocol, 4 the machine failed, 5 internal error.");
  command->callback([exit_code] { *exit_code = Dap(); });
  return command;
}

}  // namespace assay::tools
