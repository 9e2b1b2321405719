// Names of the API that are newer than the header of Debian 12 (2023-02): extensions as OpenCL 3.1
// has them.  What the header has in an older version has other names here.
#pragma once

#include <CL/cl_ext.h>

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

// cl_ext_buffer_device_address 1.0.2
inline constexpr cl_mem_properties kMemDevicePrivateAddress = 0x5000;
inline constexpr cl_mem_info kMemDeviceAddress = 0x5001;
inline constexpr cl_kernel_exec_info kKernelExecInfoDevicePointers = 0x5002;

}  // namespace assay::driver
