// Commands that execute kernels, to be enqueued or recorded.
#pragma once

#include "driver/objects/program.h"
#include "driver/objects/queue.h"

namespace assay::driver::api {

// As clEnqueueNDRangeKernel is given it.
struct KernelRange {
  cl_uint dimensions;
  const size_t* offset;
  const size_t* global;
  const size_t* local;
};

// All are set.
bool HasArguments(const Kernel& kernel);
// Throws CL_INVALID_KERNEL_ARGS where one is not.
void CheckArguments(const Kernel& kernel);

// Throws what clEnqueueNDRangeKernel returns.  Where arguments are not set and need not be, the
// command executes nothing.
Submission MakeKernelCommand(Queue* queue, Kernel* kernel, cl_command_type type,
                             const KernelRange& range, bool needs_arguments);

}  // namespace assay::driver::api
