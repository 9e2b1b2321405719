#include "driver/api/entries.h"

#include <cstring>

#include "driver/core/call.h"
#include "driver/core/dispatch.h"
#include "driver/objects/platform.h"

#define ASSAY_EXPORT __attribute__((visibility("default")))

namespace assay::driver {

namespace {

const api::Entries& AllEntries() {
  static const auto* const all = [] {
    auto* entries = new api::Entries;
    api::AddPlatform(entries);
    api::AddContext(entries);
    api::AddQueue(entries);
    api::AddEvent(entries);
    api::AddBuffer(entries);
    api::AddTransfer(entries);
    api::AddImage(entries);
    api::AddImageRequirements(entries);
    api::AddImageTransfer(entries);
    api::AddSampler(entries);
    api::AddProgram(entries);
    api::AddKernel(entries);
    api::AddEnqueue(entries);
    return entries;
  }();
  return *all;
}

cl_int CL_API_CALL IcdGetPlatformIds(cl_uint num_entries, cl_platform_id* platforms, cl_uint* num_platforms) {
  return Enter("clIcdGetPlatformIDsKHR", [&](Call&) {
    RefuseIf(num_entries == 0 && platforms != nullptr, CL_INVALID_VALUE, "num_entries is 0");
    RefuseIf(platforms == nullptr && num_platforms == nullptr, CL_INVALID_VALUE,
             "platforms and num_platforms are null");
    if (platforms != nullptr) {
      platforms[0] = ToApi<cl_platform_id>(Driver::Get().platform);
    }
    if (num_platforms != nullptr) *num_platforms = 1;
  });
}

}  // namespace

const void* DispatchTable() { return &AllEntries().table; }

void* FunctionAddress(const char* name) {
  if (name == nullptr) return nullptr;
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0) return reinterpret_cast<void*>(&IcdGetPlatformIds);
  const auto found = AllEntries().by_name.find(name);
  return found == AllEntries().by_name.end() ? nullptr : found->second;
}

}  // namespace assay::driver

// What an ICD loader looks for by name.
extern "C" {

ASSAY_EXPORT void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return assay::driver::FunctionAddress(name);
}
ASSAY_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id* platforms,
                                                       cl_uint* num_platforms) {
  return assay::driver::IcdGetPlatformIds(num_entries, platforms, num_platforms);
}

}  // extern "C"
