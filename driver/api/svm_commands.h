// Commands on shared virtual memory that several functions of the API enqueue.
#pragma once

#include <cstddef>

#include "driver/core/call.h"
#include "driver/objects/queue.h"

namespace assay::driver::api {

// clEnqueueSVMMemcpy, clEnqueueMemcpyINTEL; `size` is not 0, and the pointers are not null.
cl_int EnqueueSvmCopy(Call* call, Queue* on, cl_command_type type, cl_bool blocking, void* to,
                      const void* from, std::size_t size, const Waits& waits);
// clEnqueueSVMMemFill, clEnqueueMemFillINTEL; throws CL_INVALID_VALUE for a wrong pattern.
cl_int EnqueueSvmFill(Call* call, Queue* on, cl_command_type type, void* to, const void* pattern,
                      std::size_t pattern_size, std::size_t size, const Waits& waits);

}  // namespace assay::driver::api
