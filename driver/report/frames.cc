#include "driver/report/frames.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace assay::driver {
namespace {

// The path of the program, which the dynamic linker has no name for.
std::string ProgramPath() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  return size <= 0 ? "" : std::string(path.data(), static_cast<std::size_t>(size));
}

// The entry of a loaded object; null for an address that is in none.
const link_map* ObjectAt(const void* address, Dl_info* info) {
  link_map* object = nullptr;
  const int found = dladdr1(address, info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP);
  return found == 0 ? nullptr : object;
}

// The shared object that this function is in; null where it is part of the program.
const link_map* OwnLibrary() {
  Dl_info info{};
  const link_map* own = ObjectAt(reinterpret_cast<const void*>(&CaptureFrames), &info);
  return own != nullptr && own->l_name != nullptr && *own->l_name != '\0' ? own : nullptr;
}

bool IsLoader(std::string_view path) {
  return path.substr(path.rfind('/') + 1).starts_with("libOpenCL.so");
}

}  // namespace

std::vector<HostFrame> CaptureFrames() {
  std::array<void*, kMaxFrames + 32> addresses{};
  const int count = backtrace(addresses.data(), static_cast<int>(addresses.size()));
  const link_map* own = OwnLibrary();
  std::vector<HostFrame> frames;
  // The first address is of this function itself.
  for (int i = 1; i < count && frames.size() < kMaxFrames; ++i) {
    // A return address may be behind the function that made the call; the call is before it.
    const auto call = reinterpret_cast<std::uintptr_t>(addresses[static_cast<std::size_t>(i)]) - 1;
    Dl_info info{};
    const link_map* object = ObjectAt(reinterpret_cast<const void*>(call), &info);
    if (object == nullptr) {
      frames.push_back({.offset = call});
      continue;
    }
    if (object == own) continue;
    std::string module = object->l_name == nullptr ? "" : object->l_name;
    if (IsLoader(module)) continue;
    if (module.empty()) module = ProgramPath();
    frames.push_back({.module = std::move(module),
                      .offset = call - object->l_addr,
                      .function = info.dli_sname == nullptr ? "" : info.dli_sname});
  }
  return frames;
}

}  // namespace assay::driver
