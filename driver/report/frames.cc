#include "driver/report/frames.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

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

// The interpreter may have the path as it was given.
HostFrame FrameOf(const PythonFrame& frame) {
  std::error_code gone;
  const bool is_path = !frame.file.starts_with('<') && !frame.file.starts_with('/');
  const std::string whole = is_path ? std::filesystem::absolute(frame.file, gone).string() : "";
  return {.function = frame.function,
          .file = gone || whole.empty() ? frame.file : whole,
          .line = frame.line};
}

}  // namespace

bool IsLoader(std::string_view path) {
  constexpr std::string_view kName = "libOpenCL";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with(kName)) return false;
  const std::string_view rest = name.substr(kName.size());
  return rest.starts_with(".so") ||
         (rest.starts_with('-') && rest.find(".so") != std::string_view::npos);
}

[[gnu::noinline]] CallStack CaptureStack() {
  CallStack stack;
  stack.count = backtrace(stack.addresses.data(), static_cast<int>(stack.addresses.size()));
  stack.python = CapturePythonFrames();
  return stack;
}

std::vector<HostFrame> FramesOf(const CallStack& stack) {
  const link_map* own = OwnLibrary();
  Dl_info ignored{};
  const void* inside = stack.python == nullptr ? nullptr : PythonInterpreter();
  const link_map* interpreter = inside == nullptr ? nullptr : ObjectAt(inside, &ignored);
  std::vector<HostFrame> frames;
  for (int i = 0; i < stack.count; ++i) {
    // A return address may be behind the function that made the call; the call is before it.
    const auto call =
        reinterpret_cast<std::uintptr_t>(stack.addresses[static_cast<std::size_t>(i)]) - 1;
    Dl_info info{};
    const link_map* object = ObjectAt(reinterpret_cast<const void*>(call), &info);
    if (object == nullptr) {
      frames.push_back({.offset = call});
      continue;
    }
    if (object == own) continue;
    if (object == interpreter) break;
    std::string module = object->l_name == nullptr ? "" : object->l_name;
    if (IsLoader(module)) continue;
    if (module.empty()) module = ProgramPath();
    frames.push_back({.module = std::move(module),
                      .offset = call - object->l_addr,
                      .function = info.dli_sname == nullptr ? "" : info.dli_sname});
  }
  if (stack.python == nullptr) return frames;
  for (const PythonFrame& frame : *stack.python) frames.push_back(FrameOf(frame));
  return frames;
}

std::vector<HostFrame> CaptureFrames() {
  CallStack stack = CaptureStack();
  // Where the driver is part of the program, as in tests, its own calls are the program's: those of
  // this file are left out.
  for (int i = 0; i + 2 < stack.count; ++i) stack.addresses[i] = stack.addresses[i + 2];
  stack.count = std::max(0, stack.count - 2);
  return FramesOf(stack);
}

}  // namespace assay::driver
