#include "tools/shared/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "base/called_as.h"
#include "numerics/memory.h"
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

}  // namespace

int Main(int argc, char** argv, int (*run)(int argc, char** argv)) {
  if (argc > 0) base::SetCalledAs(argv[0]);
  FillStandardDescriptors();
  numerics::ThrowWhereMemoryEnds();
  // A file larger than `ulimit -f` is reported as an error, like a full disk.  This needs a
  // handler: if the signal were ignored, it would be ignored in every started program, too.
  std::signal(SIGXFSZ, [](int) {});
  try {
    return CloseStdout(run(argc, argv));
  } catch (const std::bad_alloc&) {
    // Output that was written before is complete; this is no internal error of assay.
    std::fprintf(stderr,
                 "assay: error: out of memory; free some, or give fewer --threads or a "
                 "smaller --max-memory where the command has them\n");
    return kExitDevice;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "assay: error: the machine failed: %s\n", error.what());
    return kExitDevice;
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "assay: internal error: %s\nThis is a defect of assay; please report it with the "
                 "command line.\n",
                 error.what());
    return kExitInternal;
  }
}

}  // namespace assay::tools
