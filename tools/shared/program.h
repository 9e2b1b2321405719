// What all programs do around their commands.
#pragma once

namespace assay::tools {

// Prepares the process, keeps how it was called (base/called_as.h), calls `run`, and returns its
// exit code.  An exception becomes a message and an exit code, and so does an output that cannot be
// written.
int Main(int argc, char** argv, int (*run)(int argc, char** argv));

}  // namespace assay::tools
