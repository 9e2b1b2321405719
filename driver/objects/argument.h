// Arguments of kernels: what clSetKernelArg takes, and what clGetKernelArgInfo says of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "driver/core/call.h"
#include "driver/core/info.h"
#include "driver/objects/program.h"

namespace assay::driver {

// Throws CL_INVALID_ARG_SIZE, _ARG_VALUE, CL_INVALID_MEM_OBJECT, _SAMPLER or _DEVICE_QUEUE.
KernelArgument ReadArgument(Call* call, const Kernel& kernel, cl_uint index, std::size_t size,
                            const void* value);

// What clSetKernelArgSVMPointer takes; throws CL_INVALID_ARG_INDEX, and CL_INVALID_ARG_VALUE for a
// pointer into memory that was freed.
KernelArgument ReadSvmArgument(const Kernel& kernel, cl_uint index, const void* value);
// Whether the parameter is a pointer to global or constant memory.
bool TakesPointer(const Kernel& kernel, cl_uint index);
// Of a call that changes the kernel: tells of one that another thread makes at the same time.
void TellConcurrent(const char* call, const ObjectChange& change, const Kernel& kernel);
// Throws CL_INVALID_ARG_INDEX.
void CheckIndex(const Kernel& kernel, cl_uint index);
// clSetKernelExecInfo; throws CL_INVALID_VALUE and CL_INVALID_OPERATION.
void SetExecInfo(KernelState* state, cl_kernel_exec_info name, std::size_t size, const void* value);

void QueryArgument(const Kernel& kernel, cl_uint index, cl_kernel_arg_info name, const Info& info);

// Throws CL_OUT_OF_RESOURCES for more images or samplers than the device takes
// (CL_DEVICE_MAX_READ_IMAGE_ARGS, _WRITE_, _READ_WRITE_, CL_DEVICE_MAX_SAMPLERS).
void CheckArgumentCounts(const Kernel& kernel);

// CL_KERNEL_ATTRIBUTES.
std::string AttributesOf(const Kernel& kernel);

// Local memory that the kernel declares or was given, in bytes.
std::uint64_t LocalBytesOf(const Kernel& kernel);

// CL_DEVICE_MAX_WORK_GROUP_SIZE, and CL_KERNEL_WORK_GROUP_SIZE.
std::size_t MaxGroupItems();
std::size_t MaxGroupItems(const Kernel& kernel);

}  // namespace assay::driver
