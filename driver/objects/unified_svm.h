// The types of shared virtual memory that the device declares (cl_khr_unified_svm 0.9.0).
//
// The extension's text is the draft of OpenCL-Docs pull request 1282; version 0.9.0 has its names
// in the API's registry.
#pragma once

#include <cstdint>
#include <span>

#include "driver/core/call.h"
#include "driver/objects/context.h"
#include "driver/objects/newer.h"

namespace assay::driver {

// Places in SvmTypes().
enum SvmType : cl_uint {
  kCoarseSvm,
  kFineSvm,
  kAtomicSvm,  // fine-grained with atomics
  kDeviceSvm,
  kHostSvm,
  kSharedSvm,  // of one device and the host
};
// CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, and CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR of each device.
std::span<const SvmCapabilities> SvmTypes();

// What a list of cl_svm_alloc_properties_khr says; throws CL_INVALID_PROPERTY.
struct SvmProperties {
  std::vector<cl_properties> given;  // with the terminating zero
  Device* device = nullptr;
  cl_bitfield access_flags = 0;
  std::uint64_t alignment = 0;
};
SvmProperties ReadSvmProperties(Call* call, const Context& context, const cl_properties* list);

// Allocates; throws CL_INVALID_VALUE for no type, and CL_INVALID_PROPERTY where it needs a device.
void* AllocateUnifiedSvm(Context* context, cl_uint type, SvmProperties properties,
                         std::uint64_t size);

// The place of the type that has all that is required and most of what is desired, or CL_UINT_MAX.
cl_uint SuggestSvmType(SvmCapabilities required, SvmCapabilities desired,
                       const SvmProperties& properties);

// Where the pointer is in no allocation, each query has an answer that says so.
void QuerySvmPointer(const SvmAllocation* allocation, const Device* device, cl_uint name,
                     const Info& info);

}  // namespace assay::driver
