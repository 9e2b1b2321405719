// The detectors of an execution, and their findings about a launch before it begins.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "interp/execute/accessed_bytes.h"
#include "interp/execute/execute.h"
#include "interp/execute/watch.h"
#include "interp/rules/finding.h"

namespace assay::interp {

// For LaunchState::watches.
const Watches& AllWatches();

// Whether groups on different threads accessed the same bytes, at least one with a store.
bool HaveConflicts(std::span<const std::unique_ptr<Worker>> workers);

// Which bytes of global memory the groups accessed, if races are watched.  What takes long to look
// through, and makes long lists, is left out.
std::vector<AccessedBytes> AccessedBy(const LaunchState& launch,
                                      std::span<const std::unique_ptr<Worker>> workers);

// Fills LaunchState::pointers for the arguments of a kernel's function (restrict.cc).
void FindRestrict(const frontend::Function& function, LaunchState* launch);

// Findings about arguments that are not aligned to the type that their parameter points to (OpenCL
// C 6.2.5), if the detector is on (pointers.cc).
std::vector<Finding> MisalignedArguments(const LaunchState& launch,
                                         const frontend::Function& function);

}  // namespace assay::interp
