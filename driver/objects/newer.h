// Names of the API that are newer than the header of Debian 12 (2023-02): extensions as OpenCL 3.1
// has them.  What the header has in an older version has other names here.
#pragma once

#include <CL/cl_ext.h>

#include <cstddef>

#ifndef CL_INVALID_COMMAND_BUFFER_KHR
#define CL_INVALID_COMMAND_BUFFER_KHR -1138
#endif
#ifndef CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
#define CL_INVALID_SYNC_POINT_WAIT_LIST_KHR -1139
#endif
#ifndef CL_INCOMPATIBLE_COMMAND_QUEUE_KHR
#define CL_INCOMPATIBLE_COMMAND_QUEUE_KHR -1140
#endif

namespace assay::driver {

// cl_khr_spirv_queries
inline constexpr cl_device_info kDeviceSpirvExtendedInstructionSets = 0x12B9;
inline constexpr cl_device_info kDeviceSpirvExtensions = 0x12BA;
inline constexpr cl_device_info kDeviceSpirvCapabilities = 0x12BB;

// cl_khr_kernel_clock
inline constexpr cl_device_info kDeviceKernelClockCapabilities = 0x1076;
inline constexpr cl_bitfield kKernelClockScopes = 7;  // device, work-group, sub-group

// cl_khr_cooperative_matrix, the draft of 2026-01-23; its numbers are those of the conformance
// suite.
inline constexpr cl_uint kCooperativeMatrixDefaultSubGroupVariants = 0x1078;
inline constexpr cl_uint kCooperativeMatrixSubGroupVariants = 0x1079;
inline constexpr cl_device_info kDeviceCooperativeMatrixPointerAlignment = 0x107A;
inline constexpr cl_device_info kDeviceCooperativeMatrixStrideMultiple = 0x107B;

// cl_ext_float_atomics
inline constexpr cl_device_info kDeviceSingleFpAtomicCapabilities = 0x4231;
inline constexpr cl_device_info kDeviceDoubleFpAtomicCapabilities = 0x4232;
inline constexpr cl_device_info kDeviceHalfFpAtomicCapabilities = 0x4233;
inline constexpr cl_bitfield kFpAtomicLoadStore = 0x10001;  // global and local
inline constexpr cl_bitfield kFpAtomicAdd = 0x20002;
inline constexpr cl_bitfield kFpAtomicMinMax = 0x40004;

// cl_khr_command_buffer 0.9.8
inline constexpr cl_device_info kDeviceCommandBufferCapabilities = 0x12A9;
inline constexpr cl_device_info kDeviceCommandBufferSupportedQueueProperties = 0x129A;
inline constexpr cl_device_info kDeviceCommandBufferRequiredQueueProperties = 0x12AA;
inline constexpr cl_properties kCommandBufferFlags = 0x1293;
inline constexpr cl_uint kCommandBufferQueues = 0x1294;
inline constexpr cl_uint kCommandBufferNumQueues = 0x1295;
inline constexpr cl_uint kCommandBufferReferenceCount = 0x1296;
inline constexpr cl_uint kCommandBufferState = 0x1297;
inline constexpr cl_uint kCommandBufferProperties = 0x1298;
inline constexpr cl_uint kCommandBufferContext = 0x1299;
inline constexpr cl_command_type kCommandCommandBuffer = 0x12A8;
// Bits of kCommandBufferFlags that belong to extensions: simultaneous use, mutable, device-side
// synchronization.
inline constexpr cl_properties kCommandBufferExtensionFlags = 7;
// Bits of kDeviceCommandBufferCapabilities.
inline constexpr cl_bitfield kCommandBufferKernelPrintf = 1;
inline constexpr cl_bitfield kCommandBufferDeviceSideEnqueue = 2;
inline constexpr cl_bitfield kCommandBufferSimultaneousUse = 4;

// cl_khr_command_buffer_mutable_dispatch 0.9.5
inline constexpr cl_device_info kDeviceMutableDispatchCapabilities = 0x12B0;
// Bits of kCommandBufferFlags.
inline constexpr cl_properties kCommandBufferFlagSimultaneousUse = 1;
inline constexpr cl_properties kCommandBufferFlagMutable = 2;
inline constexpr cl_properties kCommandBufferMutableDispatchAsserts = 0x12B7;
inline constexpr cl_properties kMutableDispatchAsserts = 0x12B8;
inline constexpr cl_bitfield kMutableDispatchNoAdditionalWorkGroups = 1;
inline constexpr cl_properties kMutableDispatchUpdatableFields = 0x12B1;
inline constexpr cl_bitfield kMutableGlobalOffset = 1;
inline constexpr cl_bitfield kMutableGlobalSize = 2;
inline constexpr cl_bitfield kMutableLocalSize = 4;
inline constexpr cl_bitfield kMutableArguments = 8;
inline constexpr cl_bitfield kMutableExecInfo = 16;
inline constexpr cl_bitfield kMutableAll = 31;
inline constexpr cl_uint kMutableCommandQueue = 0x12A0;
inline constexpr cl_uint kMutableCommandBuffer = 0x12A1;
inline constexpr cl_uint kMutableCommandProperties = 0x12A2;
inline constexpr cl_uint kMutableDispatchKernel = 0x12A3;
inline constexpr cl_uint kMutableDispatchDimensions = 0x12A4;
inline constexpr cl_uint kMutableDispatchGlobalOffset = 0x12A5;
inline constexpr cl_uint kMutableDispatchGlobalSize = 0x12A6;
inline constexpr cl_uint kMutableDispatchLocalSize = 0x12A7;
inline constexpr cl_uint kMutableCommandType = 0x12AD;
inline constexpr cl_uint kStructureMutableDispatchConfig = 0;
inline constexpr cl_uint kCommandBufferExecutable = 1;
inline constexpr cl_uint kCommandBufferFinalized = 2;
struct MutableDispatchArgument {
  cl_uint index;
  std::size_t size;
  const void* value;
};
struct MutableDispatchExecInfo {
  cl_uint name;
  std::size_t size;
  const void* value;
};
struct MutableDispatchConfig {
  void* command;
  cl_uint num_arguments;
  cl_uint num_svm_arguments;
  cl_uint num_exec_infos;
  cl_uint dimensions;
  const MutableDispatchArgument* arguments;
  const MutableDispatchArgument* svm_arguments;
  const MutableDispatchExecInfo* exec_infos;
  const std::size_t* global_offset;
  const std::size_t* global_size;
  const std::size_t* local_size;
};

// cl_ext_buffer_device_address 1.0.2
inline constexpr cl_mem_properties kMemDevicePrivateAddress = 0x5000;
inline constexpr cl_mem_info kMemDeviceAddress = 0x5001;
inline constexpr cl_kernel_exec_info kKernelExecInfoDevicePointers = 0x5002;

// cl_khr_unified_svm 0.9.0
inline constexpr cl_platform_info kPlatformSvmTypeCapabilities = 0x0909;
inline constexpr cl_device_info kDeviceSvmTypeCapabilities = 0x1077;
using SvmCapabilities = cl_bitfield;
inline constexpr SvmCapabilities kSvmSingleAddressSpace = 1 << 0;
inline constexpr SvmCapabilities kSvmDeviceOwned = 1 << 2;
inline constexpr SvmCapabilities kSvmDeviceUnassociated = 1 << 3;
inline constexpr SvmCapabilities kSvmContextAccess = 1 << 4;
inline constexpr SvmCapabilities kSvmHostOwned = 1 << 5;
inline constexpr SvmCapabilities kSvmHostRead = 1 << 6;
inline constexpr SvmCapabilities kSvmHostWrite = 1 << 7;
inline constexpr SvmCapabilities kSvmHostMap = 1 << 8;
inline constexpr SvmCapabilities kSvmDeviceRead = 1 << 9;
inline constexpr SvmCapabilities kSvmDeviceWrite = 1 << 10;
inline constexpr SvmCapabilities kSvmDeviceAtomicAccess = 1 << 11;
inline constexpr SvmCapabilities kSvmConcurrentAccess = 1 << 12;
inline constexpr SvmCapabilities kSvmConcurrentAtomicAccess = 1 << 13;
inline constexpr SvmCapabilities kSvmIndirectAccess = 1 << 14;
inline constexpr cl_properties kSvmAllocAssociatedDevice = 0x2078;
inline constexpr cl_properties kSvmAllocAccessFlags = 0x2079;
inline constexpr cl_properties kSvmAllocAlignment = 0x207A;
inline constexpr cl_bitfield kSvmHostNoRead = 1 << 0;
inline constexpr cl_bitfield kSvmHostNoWrite = 1 << 1;
inline constexpr cl_bitfield kSvmDeviceNoRead = 1 << 8;
inline constexpr cl_bitfield kSvmDeviceNoWrite = 1 << 9;
inline constexpr cl_uint kSvmInfoTypeIndex = 0x2088;
inline constexpr cl_uint kSvmInfoCapabilities = 0x2089;
inline constexpr cl_uint kSvmInfoProperties = 0x208A;
inline constexpr cl_uint kSvmInfoAccessFlags = 0x208B;
inline constexpr cl_uint kSvmInfoBasePtr = 0x419B;
inline constexpr cl_uint kSvmInfoSize = 0x419C;
inline constexpr cl_uint kSvmInfoAssociatedDevice = 0x419D;
inline constexpr cl_kernel_exec_info kKernelExecInfoSvmIndirectAccess = 0x11BB;

}  // namespace assay::driver
