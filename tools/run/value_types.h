// Whether values that a command line gives have the types of the kernel's parameters.
#pragma once

#include <span>
#include <string>

#include "base/expected.h"
#include "interp/launch/launch.h"

namespace assay::tools {

// kUsage naming the first of the arguments ("float=16") that is a number of another kind than its
// parameter, or has another number of components.  Integers of one width are one type: SPIR-V does
// not tell whether they have a sign.
Expected<void> CheckValueTypes(std::span<const std::string> arguments,
                               const interp::KernelInfo& kernel);

}  // namespace assay::tools
