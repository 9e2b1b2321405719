// What an ICD loader needs (cl_khr_icd 2.0; OpenCL API, 4.1).
#include <cstdint>

#include "driver/api/entries.h"
#include "driver/core/call.h"
#include "driver/core/dispatch.h"
#include "driver/objects/platform.h"

namespace assay::driver::api {

namespace {

// CL_ICD2_TAG_KHR, "OPENCL31", in the places of two functions that no loader dispatches: it says
// that the platform has the functions below.
constexpr std::intptr_t kIcd2Tag = 0x4F50454E434C3331;

}  // namespace

cl_int CL_API_CALL GetPlatformIds(cl_uint num_entries, cl_platform_id* platforms,
                                  cl_uint* num_platforms) {
  return Enter("clIcdGetPlatformIDsKHR", [&](Call&) {
    RefuseIf(num_entries == 0 && platforms != nullptr, CL_INVALID_VALUE, "num_entries is 0");
    RefuseIf(platforms == nullptr && num_platforms == nullptr, CL_INVALID_VALUE,
             "platforms and num_platforms are null");
    if (platforms != nullptr) platforms[0] = ToApi<cl_platform_id>(Driver::Get().platform);
    if (num_platforms != nullptr) *num_platforms = 1;
  });
}

void* CL_API_CALL AddressForPlatform(cl_platform_id platform, const char* name) {
  const bool is_known = Enter("clIcdGetFunctionAddressForPlatformKHR",
                              [&](Call& call) { call.Find<Platform>(platform); }) == CL_SUCCESS;
  return is_known ? FunctionAddress(name) : nullptr;
}

cl_int CL_API_CALL SetDispatchData(cl_platform_id platform, void* data) {
  return Enter("clIcdSetPlatformDispatchDataKHR", [&](Call& call) {
    call.Find<Platform>(platform).handle()->loader_data = data;
    // New objects get it, too; the device is there already.
    Driver::Get().loader_data = data;
    Driver::Get().device->handle()->loader_data = data;
  });
}

void AddIcd(Entries* entries) {
  entries->by_name["clIcdGetPlatformIDsKHR"] = reinterpret_cast<void*>(&GetPlatformIds);
  entries->by_name["clIcdGetFunctionAddressForPlatformKHR"] =
      reinterpret_cast<void*>(&AddressForPlatform);
  entries->by_name["clIcdSetPlatformDispatchDataKHR"] = reinterpret_cast<void*>(&SetDispatchData);
  entries->table.clGetPlatformIDs =
      reinterpret_cast<decltype(entries->table.clGetPlatformIDs)>(kIcd2Tag);
  entries->table.clUnloadCompiler =
      reinterpret_cast<decltype(entries->table.clUnloadCompiler)>(kIcd2Tag);
}

}  // namespace assay::driver::api
