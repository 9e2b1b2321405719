#include "driver/api/entries.h"

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
    api::AddSvm(entries);
    api::AddUnifiedSvm(entries);
    api::AddUsm(entries);
    api::AddGlobalVariable(entries);
    api::AddPipe(entries);
    api::AddSemaphore(entries);
    api::AddCommandBuffer(entries);
    api::AddMutableDispatch(entries);
    api::AddCooperativeMatrix(entries);
    api::AddSharing(entries);
    api::AddIcd(entries);
    return entries;
  }();
  return *all;
}

}  // namespace

const void* DispatchTable() { return &AllEntries().table; }

void* FunctionAddress(const char* name) {
  if (name == nullptr) return nullptr;
  const auto found = AllEntries().by_name.find(name);
  return found == AllEntries().by_name.end() ? nullptr : found->second;
}

void* LookUpFunction(const char* name) {
  void* found = FunctionAddress(name);
  // What begins so, loaders look for.
  const bool is_missing =
      found == nullptr && name != nullptr && !std::string_view(name).starts_with("clIcd");
  if (is_missing) TellMissingFunction(name);
  return found;
}

}  // namespace assay::driver

// What an ICD loader looks for by name.
extern "C" {

ASSAY_EXPORT void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  return assay::driver::LookUpFunction(name);
}
ASSAY_EXPORT cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                       cl_platform_id* platforms,
                                                       cl_uint* num_platforms) {
  return assay::driver::api::GetPlatformIds(num_entries, platforms, num_platforms);
}
ASSAY_EXPORT void* CL_API_CALL clIcdGetFunctionAddressForPlatformKHR(cl_platform_id platform,
                                                                     const char* name) {
  return assay::driver::api::AddressForPlatform(platform, name);
}
ASSAY_EXPORT cl_int CL_API_CALL clIcdSetPlatformDispatchDataKHR(cl_platform_id platform,
                                                                void* data) {
  return assay::driver::api::SetDispatchData(platform, data);
}

}  // extern "C"
