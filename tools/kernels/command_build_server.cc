// assay build-server: builds programs for the OpenCL driver, which starts it so that no compiler
// runs in the application.  Standard input is a socket; the requests and answers on it are those of
// frontend/build/requests.h.  It ends with the application: at the end of the socket.

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <thread>

#include "base/leftovers.h"
#include "base/limits.h"
#include "frontend/build/perform.h"
#include "frontend/build/requests.h"
#include "tools/kernels/commands.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/program_commands.h"

namespace assay::tools {
namespace {

// Ends the process when the application has ended or closed the socket, also in the middle of a
// request; compilers end with it.
void EndWithTheOtherSide(int socket) {
  for (;;) {
    pollfd waiting = {socket, POLLRDHUP, 0};
    if (poll(&waiting, 1, -1) <= 0) continue;
    if ((waiting.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) == 0) continue;
    base::RemoveLeftovers();
    _exit(kExitConforming);
  }
}

bool IsSocket(int descriptor) {
  struct stat facts = {};
  return fstat(descriptor, &facts) == 0 && S_ISSOCK(facts.st_mode);
}

int ServeBuilds() {
  if (!IsSocket(STDIN_FILENO)) {
    return ReportError({ErrorKind::kUsage,
                        "build-server is started by the OpenCL driver libassay-opencl.so, on a "
                        "socket as its standard input"});
  }
  // The application must not find a child that it did not start: not in wait(), and not among those
  // whose end it is told of.  The driver waits for this process, and init for the next one.
  const pid_t server = fork();
  if (server < 0) return ReportError({ErrorKind::kDevice, "build-server: no process can be made"});
  if (server > 0) _exit(kExitConforming);
  setsid();  // Ctrl-C is the application's to handle
  // Debug information names this folder, so that the cache is that of all applications; and the
  // application's may be unmounted.
  if (chdir("/") != 0) return kExitDevice;
  umask(S_IRWXG | S_IRWXO);
  std::thread(EndWithTheOtherSide, STDIN_FILENO).detach();
  frontend::PerformOptions options;
  options.limits.memory_bytes = base::DefaultMemoryLimit();
  for (;;) {
    auto bytes = frontend::ReceiveMessage(STDIN_FILENO, 0);
    if (!bytes) return kExitConforming;
    frontend::BuildAnswer answer;
    auto request = frontend::UnpackRequest(std::move(*bytes));
    if (request) {
      answer = frontend::Perform(*request, options);
    } else {
      answer.log = request.error().message + "\n";
    }
    if (!frontend::SendMessage(STDIN_FILENO, frontend::Pack(answer), 0)) return kExitConforming;
  }
}

}  // namespace

CLI::App* AddBuildServer(CLI::App& app, int* exit_code) {
  CLI::App* command = AddProgramCommand(app, "build-server");
  command->callback([exit_code] { *exit_code = ServeBuilds(); });
  return command;
}

}  // namespace assay::tools
