// Values that a command line or a job file gives, and the types of the kernel's parameters.
#pragma once

#include <string>
#include <string_view>

#include "base/expected.h"
#include "interp/job/job.h"
#include "interp/launch/launch.h"

namespace assay::tools {

// Of an argument of a command line: "float" of "float=16"; "" where it is no number.
std::string ValueTypeOf(std::string_view argument);

// kUsage naming the first of the launch's arguments that is a number of another kind than its
// parameter, or has another number of components.  Integers of one width are one type: SPIR-V does
// not tell whether they have a sign.
Expected<void> CheckValueTypes(const interp::JobLaunch& launch, const interp::KernelInfo& kernel);

// Eight zeros for a pointer: who captures a launch of an application cannot always tell a null
// pointer from the number 0.
bool IsNullPointer(const interp::Argument& argument, interp::ParameterKind kind);

}  // namespace assay::tools
