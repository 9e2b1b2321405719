// Launches as job files, which `assay run`, `assay debug` and `assay golden` take (docs/cli.md,
// Jobs).
#pragma once

#include <string>

#include "driver/objects/plan.h"

namespace assay::driver {

// With ASSAY_DEBUG, at the launch that it names: saves the job, and runs `assay debug` on it before
// the launch goes on; in a folder of its own below the temporary one if no other is asked for.
//
// With ASSAY_SAVE_JOBS: writes the job with the memory before the launch, and returns its path.
// Otherwise "", and where it cannot be written, which is told once on stderr.  For the thread that
// executes commands.
std::string SaveIfAsked(const Plan& plan);

}  // namespace assay::driver
