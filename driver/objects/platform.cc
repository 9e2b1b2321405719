#include "driver/objects/platform.h"

#include <CL/cl_ext.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/threads.h"
#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/core/settings.h"
#include "driver/objects/event.h"
#include "driver/objects/features.h"
#include "driver/objects/leaks.h"
#include "driver/objects/newer.h"
#include "driver/objects/program.h"
#include "driver/objects/scheduler.h"
#include "driver/objects/storage.h"
#include "driver/objects/unified_svm.h"
#include "driver/objects/usm.h"
#include "driver/report/log.h"
#include "interp/execute/launch_options.h"
#include "interp/program/image.h"

namespace assay::driver {

namespace {

constexpr cl_version kVersion = CL_MAKE_VERSION(3, 0, 0);
constexpr std::uint64_t kMaxGroupItems = 1024;
constexpr cl_uint kMaxComputeUnits = 4096;

using Uuid = std::array<cl_uchar, CL_UUID_SIZE_KHR>;
constexpr Uuid kDeviceUuid = {'a', 's', 's', 'a', 'y', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr Uuid kDriverUuid = {'a', 's', 's', 'a', 'y', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0};

std::uint64_t MachineBytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}
// The limit that a user set, else half of the machine's memory.
std::uint64_t GlobalBytes() {
  const std::uint64_t limit = Log::Get().settings().max_memory;
  return limit != 0 ? limit : std::max<std::uint64_t>(MachineBytes() / 2, 1 << 28);
}
std::uint64_t LargestObject() {
  return std::min(GlobalBytes(), std::max<std::uint64_t>(GlobalBytes() / 4, 1 << 27));
}

// Limits and numbers that are the same for every device.
bool QueryCounts(cl_device_info name, const Info& info) {
  const auto count = [&info](cl_uint value) {
    info.Put(value);
    return true;
  };
  const auto bytes = [&info](cl_ulong value) {
    info.Put(value);
    return true;
  };
  const auto size = [&info](std::size_t value) {
    info.Put(value);
    return true;
  };
  switch (name) {
    case CL_DEVICE_VENDOR_ID:
      return count(0x10000);  // no vendor of PCI devices
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      return count(3);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return size(kMaxGroupItems);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
      return count(1);  // a batch of work-items is the vector
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return count(1000);
    case CL_DEVICE_ADDRESS_BITS:
      return count(64);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return bytes(LargestObject());
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
      return count(128);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
      return count(64);
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
      return count(64);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
      return size(16384);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
      return size(2048);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
      return size(std::size_t{1} << 27);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
      return size(2048);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
      return count(1);
    case CL_DEVICE_MAX_SAMPLERS:
      return count(16);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return size(254 * 8);  // functions of SPIR-V have at most 255 parameters (2.17)
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      return count(interp::kBufferAlignment * 8);  // in bits
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
      return count(interp::kBufferAlignment);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
      return count(64);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
      return bytes(1 << 20);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return bytes(GlobalBytes());
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
      return bytes(1 << 20);
    case CL_DEVICE_MAX_CONSTANT_ARGS:
      return count(128);
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return bytes(1 << 16);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
      return size(std::size_t{1} << 26);
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
      return size(std::size_t{1} << 26);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return size(1);
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
      return size(std::size_t{1} << 24);
    case CL_DEVICE_MAX_PIPE_ARGS:
      return count(16);
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
      return count(1024);
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
      return count(1024);
    // The size costs nothing until commands are enqueued.
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
      return count(256 * 1024);
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
      return count(128);  // a kernel may take all of them (CL_DEVICE_MAX_PARAMETER_SIZE)
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
      return count(65536);
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
      return count(0);
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
      return count(kMaxGroupItems);
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return size(64);
    default:
      return false;
  }
}

// A kernel may require any size from 1 to 128; these are the ones that programs look for, and the
// one that kernels have which require none.
std::vector<std::size_t> SubgroupSizes() {
  std::vector<std::size_t> sizes = {4, 8, 16, 32, 64};
  const std::size_t own = SessionSettings().subgroup_size;
  if (own != 0 && std::ranges::find(sizes, own) == sizes.end()) sizes.push_back(own);
  std::ranges::sort(sizes);
  return sizes;
}

// Of extensions.
bool QueryExtensions(cl_device_info name, const Info& info) {
  constexpr cl_device_integer_dot_product_acceleration_properties_khr kNotAccelerated = {};
  switch (name) {
    case CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
      info.Put<cl_device_integer_dot_product_capabilities_khr>(
          CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR |
          CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR);
      return true;
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR:
    case CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
      info.Put(kNotAccelerated);
      return true;
    case kDeviceSpirvExtendedInstructionSets:
      info.PutAll(SpirvInstructionSets());
      return true;
    case kDeviceSpirvExtensions:
      info.PutAll(SpirvExtensions());
      return true;
    case kDeviceSpirvCapabilities:
      info.PutAll(SpirvCapabilities());
      return true;
    case kDeviceKernelClockCapabilities:
      info.Put(kKernelClockScopes);
      return true;
    case kDeviceCooperativeMatrixPointerAlignment:  // that of an element is enough
    case kDeviceCooperativeMatrixStrideMultiple:
      info.Put<cl_uint>(1);
      return true;
    case kDeviceSingleFpAtomicCapabilities:
    case kDeviceDoubleFpAtomicCapabilities:
      info.Put(kFpAtomicLoadStore | kFpAtomicAdd | kFpAtomicMinMax);
      return true;
    case kDeviceHalfFpAtomicCapabilities:
      info.Put(kFpAtomicLoadStore | kFpAtomicAdd);
      return true;
    case CL_DEVICE_SUB_GROUP_SIZES_INTEL:
      info.PutAll<std::size_t>(SubgroupSizes());
      return true;
    case kDeviceSvmTypeCapabilities:
      info.PutAll(SvmTypes());
      return true;
    case CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
      info.Put(UsmCapabilities(name));
      return true;
    case CL_DEVICE_SEMAPHORE_TYPES_KHR:
      info.Put<cl_semaphore_type_khr>(CL_SEMAPHORE_TYPE_BINARY_KHR);
      return true;
    case kDeviceCommandBufferCapabilities:
      info.Put(kCommandBufferKernelPrintf | kCommandBufferDeviceSideEnqueue |
               kCommandBufferSimultaneousUse);
      return true;
    case kDeviceMutableDispatchCapabilities:
      info.Put(kMutableAll);
      return true;
    case kDeviceCommandBufferSupportedQueueProperties:
      info.Put<cl_command_queue_properties>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                            CL_QUEUE_PROFILING_ENABLE);
      return true;
    case kDeviceCommandBufferRequiredQueueProperties:
      info.Put<cl_command_queue_properties>(0);
      return true;
    default:
      return false;
  }
}

bool QueryFlags(cl_device_info name, const Info& info) {
  const auto yes = [&info](cl_bool value) {
    info.Put(value);
    return true;
  };
  constexpr cl_device_fp_config kIeee = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                        CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
  switch (name) {
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
    case CL_DEVICE_PIPE_SUPPORT:
      return yes(CL_TRUE);
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
      return yes(CL_FALSE);
    case CL_DEVICE_SINGLE_FP_CONFIG:
      info.Put(kIeee | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
      return true;
    case CL_DEVICE_DOUBLE_FP_CONFIG:
    case CL_DEVICE_HALF_FP_CONFIG:
      info.Put(kIeee);
      return true;
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
      info.Put<cl_device_mem_cache_type>(CL_READ_WRITE_CACHE);
      return true;
    case CL_DEVICE_LOCAL_MEM_TYPE:
      info.Put<cl_device_local_mem_type>(CL_LOCAL);
      return true;
    case CL_DEVICE_EXECUTION_CAPABILITIES:
      info.Put<cl_device_exec_capabilities>(CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL);
      return true;
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
      info.Put<cl_command_queue_properties>(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                            CL_QUEUE_PROFILING_ENABLE);
      return true;
    case CL_DEVICE_SVM_CAPABILITIES:
      info.Put<cl_device_svm_capabilities>(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER |
                                           CL_DEVICE_SVM_FINE_GRAIN_BUFFER | CL_DEVICE_SVM_ATOMICS);
      return true;
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
      info.Put<cl_device_atomic_capabilities>(
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL |
          CL_DEVICE_ATOMIC_ORDER_SEQ_CST | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM |
          CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
          CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
      return true;
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
      info.Put<cl_device_device_enqueue_capabilities>(CL_DEVICE_QUEUE_SUPPORTED |
                                                      CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT);
      return true;
    default:
      return false;
  }
}

bool QueryNames(cl_device_info name, const Info& info) {
  const auto text = [&info](std::string_view value) {
    info.PutText(value);
    return true;
  };
  switch (name) {
    case CL_DEVICE_NAME:
      return text("assay reference interpreter");
    case CL_DEVICE_VENDOR:
      return text("assay");
    case CL_DRIVER_VERSION:
      return text(ASSAY_DRIVER_VERSION);
    case CL_DEVICE_PROFILE:
      return text("FULL_PROFILE");
    case CL_DEVICE_VERSION:
      return text("OpenCL 3.0 assay " ASSAY_DRIVER_VERSION);
    case CL_DEVICE_OPENCL_C_VERSION:
      return text("OpenCL C 1.2 assay " ASSAY_DRIVER_VERSION);
    case CL_DEVICE_EXTENSIONS:
      return text(ExtensionNames());
    case CL_DEVICE_BUILT_IN_KERNELS:
      return text("");
    case CL_DEVICE_IL_VERSION:
      return text(IlVersionNames());
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
      return text("");
    case CL_DEVICE_NUMERIC_VERSION:
      info.Put(kVersion);
      return true;
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
      info.PutAll(Extensions());
      return true;
    case CL_DEVICE_ILS_WITH_VERSION:
      info.PutAll(IlVersions());
      return true;
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
      info.PutAll(std::span<const cl_name_version>());
      return true;
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
      info.PutAll(OpenClCVersions());
      return true;
    case CL_DEVICE_OPENCL_C_FEATURES:
      info.PutAll(OpenClCFeatures());
      return true;
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
      info.Put(CL_MAKE_VERSION(1, 2, 0));
      return true;
    default:
      return false;
  }
}

}  // namespace

void Driver::StartAgainAfterFork() { scheduler->ForgetThreads(); }

namespace {

bool is_used = false;  // in this process

// Functions that exit() calls run in the reverse order of their registration: the application's
// destructors may come after this one, and make calls.
void AtExit() {
  std::unique_lock lock(Driver::Get().mutex);
  Driver::Get().scheduler->EndThread(&lock);
}

// The end of the shared object comes after all of that.
[[gnu::destructor]] void AtEnd() {
  if (!is_used) return;
  const std::lock_guard lock(Driver::Get().mutex);
  Driver::Get().TellPostponed();
  TellUnfinished();
  TellLeaks();
  Log::Get().TellEnd({Driver::Get().calls, LaunchCount(), Driver::Get().other_types});
}

}  // namespace

void Start(Driver* driver) {
  const std::lock_guard lock(driver->mutex);
  driver->scheduler = new Scheduler;
  driver->platform = new Platform;
  driver->device = new Device(base::ThreadCount(0));
  std::atexit(AtExit);
  is_used = true;
}

void QueryPlatform(cl_platform_info name, const Info& info) {
  switch (name) {
    case CL_PLATFORM_PROFILE:
      return info.PutText("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
      return info.PutText("OpenCL 3.0 assay " ASSAY_DRIVER_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION:
      return info.Put(kVersion);
    case CL_PLATFORM_NAME:
      return info.PutText("assay");
    case CL_PLATFORM_VENDOR:
      return info.PutText("assay");
    case CL_PLATFORM_EXTENSIONS:
      return info.PutText(ExtensionNames());
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
      return info.PutAll(Extensions());
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
      return info.Put<cl_ulong>(1);
    case CL_PLATFORM_SEMAPHORE_TYPES_KHR:
      return info.Put<cl_semaphore_type_khr>(CL_SEMAPHORE_TYPE_BINARY_KHR);
    case kPlatformSvmTypeCapabilities:
      return info.PutAll(SvmTypes());
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return info.PutText("ASSAY");
    default:
      Info::Unknown();
  }
}

void QueryDevice(const Device& device, cl_device_info name, const Info& info) {
  switch (name) {
    case CL_DEVICE_TYPE:
      return info.Put(DeviceTypeSetting());
    case CL_DEVICE_PLATFORM:
      return info.Put(ToApi<cl_platform_id>(Driver::Get().platform));
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return info.Put(static_cast<cl_uint>(device.compute_units));
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      const std::array<std::size_t, 3> sizes = {kMaxGroupItems, kMaxGroupItems, kMaxGroupItems};
      return info.Put(sizes);
    }
    case CL_DEVICE_PARENT_DEVICE:
      return info.Put(ToApi<cl_device_id>(device.parent.get()));
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
      return info.Put(static_cast<cl_uint>(device.compute_units));
    case CL_DEVICE_PARTITION_PROPERTIES: {
      const std::array<cl_device_partition_property, 2> ways = {CL_DEVICE_PARTITION_EQUALLY,
                                                                CL_DEVICE_PARTITION_BY_COUNTS};
      const std::array<cl_device_partition_property, 1> none = {0};
      if (device.compute_units > 1) return info.Put(ways);
      return info.Put(none);
    }
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
      return info.Put<cl_device_affinity_domain>(0);
    case CL_DEVICE_PARTITION_TYPE:
      return info.PutAll<cl_device_partition_property>(device.partition);
    case CL_DEVICE_REFERENCE_COUNT:
      return info.Put<cl_uint>(device.parent ? device.references() : 1);
    case CL_DEVICE_UUID_KHR:
      return info.Put(kDeviceUuid);
    case CL_DRIVER_UUID_KHR:
      return info.Put(kDriverUuid);
    case CL_DEVICE_LUID_VALID_KHR:
      return info.Put<cl_bool>(CL_FALSE);
    case CL_DEVICE_LUID_KHR:
      return info.Put(std::array<cl_uchar, CL_LUID_SIZE_KHR>{});
    case CL_DEVICE_NODE_MASK_KHR:
      return info.Put<cl_uint>(0);
    default:
      if (QueryCounts(name, info) || QueryFlags(name, info) || QueryExtensions(name, info) ||
          QueryNames(name, info))
        return;
      Info::Unknown();
  }
}

}  // namespace assay::driver
