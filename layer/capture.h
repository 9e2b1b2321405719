// Captures one launch: the memory that its arguments name before and after it, as a job and a
// description beside it (docs/judge-layer.md).
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>

#include "layer/records.h"

namespace assay::layer {

// A call of clEnqueueNDRangeKernel or clEnqueueTask.
struct LaunchCall {
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  cl_uint dimensions = 0;
  const size_t* offset = nullptr;
  const size_t* global = nullptr;
  const size_t* local = nullptr;
  cl_uint waits = 0;
  const cl_event* wait_list = nullptr;
  cl_event* event = nullptr;
  bool is_task = false;

  cl_int Enqueue() const;  // by the driver's function
};

// Enqueues the launch exactly once and returns what the driver returned.  Whatever fails around it
// is told in the capture's description only.  `number`: which launch of the kernel it is, from 1.
cl_int CaptureLaunch(const LaunchCall& call, KernelRecord& kernel, std::uint64_t number);

}  // namespace assay::layer
