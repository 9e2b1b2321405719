// `assay run --list-kernels`: the kernels of a module, and whether each can be executed.
#pragma once

#include "interp/job/job.h"

namespace assay::tools {

struct RunOptions;

// Prints the list, or writes it as JSON (--json).  Exit code 0 if a kernel can be executed, 3 if
// none can; an error's where the module cannot be loaded.
int ListKernels(const RunOptions& options);

}  // namespace assay::tools
