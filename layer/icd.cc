// The second way in, for loaders that do not know layers.
//
// `assay exec --judge` names the layer in OCL_ICD_FILENAMES, too.  So a loader opens it as if it
// were a driver, before it opens the drivers.  It has no platform.  Where the loader cannot load it
// as a layer, it opens the drivers that the loader is about to open and puts its functions into
// their tables.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/environment.h"
#include "layer/layer.h"
#include "layer/loaders.h"

// Of the interface of drivers (cl_khr_icd).
extern "C" [[gnu::visibility("default")]] CL_API_ENTRY void* CL_API_CALL
clGetExtensionFunctionAddress(const char* name);

namespace assay::layer {

namespace {

namespace fs = std::filesystem;

using GetAddress = void*(CL_API_CALL*)(const char*);
using GetPlatforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);

// The drivers that Khronos' loader opens: those of OCL_ICD_FILENAMES, and those of the files of the
// vendors' folder.
std::vector<std::string> Drivers() {
  std::vector<std::string> drivers;
  const std::string named = base::EnvironmentText("OCL_ICD_FILENAMES");
  for (std::size_t begin = 0; begin < named.size();) {
    const std::size_t end = std::min(named.find(':', begin), named.size());
    if (end != begin) drivers.push_back(named.substr(begin, end - begin));
    begin = end + 1;
  }
  std::string folder = base::EnvironmentText("OCL_ICD_VENDORS");
  if (folder.empty()) folder = "/etc/OpenCL/vendors";
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".icd") continue;
    std::ifstream file(entry->path());
    std::string driver;
    if (std::getline(file, driver) && !driver.empty()) drivers.push_back(driver);
  }
  return drivers;
}

void EnterPlatform(cl_platform_id platform) {
  auto* table = *reinterpret_cast<cl_icd_dispatch**>(platform);
  if (table == nullptr) return;
  char version[256] = "";
  table->clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version - 1, version, nullptr);
  Layer::Get().drivers.Add(table, EntriesOf(version), &FollowAll);
}

// The driver stays open: its table is written to.
void EnterDriver(const std::string& name) {
  void* driver = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (driver == nullptr) return;
  const auto address = reinterpret_cast<GetAddress>(dlsym(driver, "clGetExtensionFunctionAddress"));
  if (address == nullptr || address == &clGetExtensionFunctionAddress) return;  // this library
  const auto get = reinterpret_cast<GetPlatforms>(address("clIcdGetPlatformIDsKHR"));
  cl_uint count = 0;
  if (get == nullptr || get(0, nullptr, &count) != CL_SUCCESS || count == 0) return;
  std::vector<cl_platform_id> platforms(count);
  if (get(count, platforms.data(), nullptr) != CL_SUCCESS) return;
  for (const cl_platform_id platform : platforms) {
    if (platform != nullptr) EnterPlatform(platform);
  }
}

cl_int CL_API_CALL NoPlatforms(cl_uint /*room*/, cl_platform_id* /*platforms*/, cl_uint* count) {
  if (count != nullptr) *count = 0;
  return CL_PLATFORM_NOT_FOUND_KHR;
}

// `loader` is an address in the loader's code.
void Enter(const void* loader) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static bool has_entered = false;
  if (has_entered) return;
  Layer& layer = Layer::Get();
  if (layer.is_loaded || ObjectHasText(loader, kLayersVariable)) return;
  if (!layer.Start("tables of drivers")) return;
  has_entered = true;
  for (const std::string& driver : Drivers()) EnterDriver(driver);
}

}  // namespace
}  // namespace assay::layer

CL_API_ENTRY void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  if (name == nullptr || std::strcmp(name, "clIcdGetPlatformIDsKHR") != 0) return nullptr;
  assay::layer::Enter(__builtin_return_address(0));
  return reinterpret_cast<void*>(&assay::layer::NoPlatforms);
}
