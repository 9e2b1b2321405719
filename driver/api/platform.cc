// The platform and its devices (OpenCL API, 4.1 to 4.3).
#include <fmt/format.h>

#include <chrono>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/dispatch.h"
#include "driver/core/driver.h"
#include "driver/core/info.h"
#include "driver/core/settings.h"
#include "driver/objects/event.h"

namespace assay::driver::api {

namespace {

cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id* platforms,
                                    cl_uint* num_platforms) {
  return GetPlatformIds(num_entries, platforms, num_platforms);
}

cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t size,
                                     void* value, size_t* size_ret) {
  return Enter("clGetPlatformInfo", [&](Call& call) {
    if (platform != nullptr) call.Find<Platform>(platform);
    QueryPlatform(name, Info(size, value, size_ret));
  });
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint num_entries,
                                  cl_device_id* devices, cl_uint* num_devices) {
  return Enter("clGetDeviceIDs", [&](Call& call) {
    if (platform != nullptr) call.Find<Platform>(platform);
    constexpr cl_device_type kKnown = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                      CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM |
                                      CL_DEVICE_TYPE_DEFAULT;
    RefuseIf(type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~kKnown) != 0),
             CL_INVALID_DEVICE_TYPE, "device_type is none of the API's");
    RefuseIf(num_entries == 0 && devices != nullptr, CL_INVALID_VALUE, "num_entries is 0");
    RefuseIf(devices == nullptr && num_devices == nullptr, CL_INVALID_VALUE,
             "devices and num_devices are null");
    const bool has = (type & (DeviceTypeSetting() | CL_DEVICE_TYPE_DEFAULT)) != 0;
    if (num_devices != nullptr) *num_devices = has ? 1 : 0;
    if (!has) {
      ++Driver::Get().other_types;
      throw ApiError{CL_DEVICE_NOT_FOUND, "assay's device is of another type", true, {}};
    }
    if (devices != nullptr) devices[0] = ToApi<cl_device_id>(Driver::Get().device);
  });
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size,
                                   void* value, size_t* size_ret) {
  return Enter("clGetDeviceInfo", [&](Call& call) {
    QueryDevice(call.Find<Device>(device), name, Info(size, value, size_ret));
  });
}

// The sizes of the parts; throws what the text demands.
std::vector<int> PartsOf(const Device& device, const cl_device_partition_property* how) {
  std::vector<int> parts;
  if (how[0] == CL_DEVICE_PARTITION_EQUALLY) {
    RefuseIf(how[1] <= 0 || how[2] != 0, CL_INVALID_VALUE,
             "CL_DEVICE_PARTITION_EQUALLY needs a count above 0, and a 0 after it");
    if (how[1] > device.compute_units) {
      Refuse(CL_INVALID_DEVICE_PARTITION_COUNT,
             fmt::format("the device has {} compute units, not {}", device.compute_units, how[1]));
    }
    if (how[1] == device.compute_units) {
      Refuse(CL_DEVICE_PARTITION_FAILED,
             fmt::format("the device has {} compute units: it cannot be divided into parts of {}",
                         device.compute_units, how[1]));
    }
    parts.assign(static_cast<std::size_t>(device.compute_units / how[1]), static_cast<int>(how[1]));
  } else if (how[0] == CL_DEVICE_PARTITION_BY_COUNTS) {
    std::int64_t all = 0;
    for (const auto* count = how + 1; *count != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; ++count) {
      RefuseIf(*count < 0, CL_INVALID_DEVICE_PARTITION_COUNT, "a count is negative");
      all += *count;
      parts.push_back(static_cast<int>(*count));
      RefuseIf(all > device.compute_units, CL_INVALID_DEVICE_PARTITION_COUNT,
               "the counts are more than the device's compute units");
    }
    RefuseIf(parts.empty(), CL_INVALID_DEVICE_PARTITION_COUNT, "there are no counts");
  } else {
    Refuse(CL_INVALID_VALUE, "the device is partitioned equally or by counts only");
  }
  return parts;
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id in_device,
                                      const cl_device_partition_property* how, cl_uint num_devices,
                                      cl_device_id* out, cl_uint* num_ret) {
  return Enter("clCreateSubDevices", [&](Call& call) {
    auto& device = call.Find<Device>(in_device);
    RefuseIf(how == nullptr, CL_INVALID_VALUE, "properties is null");
    RefuseIf(out == nullptr && num_ret == nullptr, CL_INVALID_VALUE,
             "out_devices and num_devices_ret are null");
    const std::vector<int> parts = PartsOf(device, how);
    RefuseIf(out != nullptr && num_devices < parts.size(), CL_INVALID_VALUE,
             "num_devices is less than the number of sub-devices");
    if (num_ret != nullptr) *num_ret = static_cast<cl_uint>(parts.size());
    if (out == nullptr) return;
    std::vector<cl_device_partition_property> given(how, how + 3);
    if (how[0] == CL_DEVICE_PARTITION_BY_COUNTS) given.assign(how, how + parts.size() + 3);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      out[i] = ToApi<cl_device_id>(new Device(&device, parts[i], given));
    }
  });
}

cl_int CL_API_CALL clRetainDevice(cl_device_id handle) {
  return Enter("clRetainDevice", [&](Call& call) {
    auto& device = call.Find<Device>(handle);
    if (device.parent) device.Retain();
  });
}
cl_int CL_API_CALL clReleaseDevice(cl_device_id handle) {
  return Enter("clReleaseDevice", [&](Call& call) {
    // The root device has no count of references.
    if (handle == ToApi<cl_device_id>(Driver::Get().device)) return;
    call.Release<Device>(handle);
  });
}

cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong* device_timestamp,
                                           cl_ulong* host_timestamp) {
  return Enter("clGetDeviceAndHostTimer", [&](Call& call) {
    call.Find<Device>(device);
    RefuseIf(device_timestamp == nullptr || host_timestamp == nullptr, CL_INVALID_VALUE,
             "a timestamp's pointer is null");
    *device_timestamp = *host_timestamp = Now();
  });
}
cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong* host_timestamp) {
  return Enter("clGetHostTimer", [&](Call& call) {
    call.Find<Device>(device);
    RefuseIf(host_timestamp == nullptr, CL_INVALID_VALUE, "host_timestamp is null");
    *host_timestamp = Now();
  });
}

cl_int CL_API_CALL clUnloadCompiler() { return CL_SUCCESS; }
cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id platform) {
  return Enter("clUnloadPlatformCompiler", [&](Call& call) { call.Find<Platform>(platform); });
}

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) { return LookUpFunction(name); }
void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char* name) {
  return LookUpFunction(name);
}

}  // namespace

void AddPlatform(Entries* entries) {
  ASSAY_ENTRY(clGetPlatformIDs);
  ASSAY_ENTRY(clGetPlatformInfo);
  ASSAY_ENTRY(clGetDeviceIDs);
  ASSAY_ENTRY(clGetDeviceInfo);
  ASSAY_ENTRY(clCreateSubDevices);
  ASSAY_ENTRY(clRetainDevice);
  ASSAY_ENTRY(clReleaseDevice);
  ASSAY_ENTRY(clGetDeviceAndHostTimer);
  ASSAY_ENTRY(clGetHostTimer);
  ASSAY_ENTRY(clUnloadCompiler);
  ASSAY_ENTRY(clUnloadPlatformCompiler);
  ASSAY_ENTRY(clGetExtensionFunctionAddress);
  ASSAY_ENTRY(clGetExtensionFunctionAddressForPlatform);
}

}  // namespace assay::driver::api
