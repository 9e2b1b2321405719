// Unified shared memory (cl_intel_unified_shared_memory 1.2.0): allocations of the types that
// cl_khr_unified_svm has, too, with the extension's own properties and queries.
#pragma once

#include <CL/cl_ext.h>

#include <cstdint>

#include "driver/core/call.h"
#include "driver/core/info.h"
#include "driver/objects/context.h"
#include "driver/objects/unified_svm.h"

namespace assay::driver {

// CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL and its like.
cl_bitfield UsmCapabilities(cl_device_info name);

// What clHostMemAllocINTEL and its like are given.
struct UsmRequest {
  SvmType type = kHostSvm;
  Device* device = nullptr;                       // that it is associated with; null: none
  const cl_mem_properties_intel* list = nullptr;  // null, or up to a zero
  std::uint64_t size = 0;
  std::uint64_t alignment = 0;  // 0: the largest
};
// Throws CL_INVALID_DEVICE, _VALUE, _PROPERTY, _BUFFER_SIZE and CL_OUT_OF_RESOURCES.
void* AllocateUsm(Context* context, const UsmRequest& request);

// clGetMemAllocInfoINTEL; `allocation` is null where the pointer is in none of USM.
void QueryUsm(const SvmAllocation* allocation, cl_mem_info_intel name, const Info& info);

// Waits for the commands of the context that may use the allocation that begins at the pointer.
void WaitForUsers(Call* call, Context* context, const void* pointer);

}  // namespace assay::driver
