#include "layer/loaders.h"

#include <CL/cl.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "layer/follow.h"

namespace assay::layer {

namespace {

struct TextSearch {
  std::uintptr_t address;
  std::string_view text;
  bool has_text = false;
};

int LookInto(dl_phdr_info* object, std::size_t /*bytes*/, void* data) {
  auto* search = static_cast<TextSearch*>(data);
  const auto covers = [&](const ElfW(Phdr) & part) {
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    return part.p_type == PT_LOAD && search->address >= begin &&
           search->address < begin + part.p_memsz;
  };
  const ElfW(Phdr)* parts = object->dlpi_phdr;
  bool is_it = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) is_it |= covers(parts[i]);
  if (!is_it) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (parts[i].p_type != PT_LOAD || (parts[i].p_flags & PF_R) == 0) continue;
    const auto* begin = reinterpret_cast<const char*>(object->dlpi_addr + parts[i].p_vaddr);
    search->has_text |=
        memmem(begin, parts[i].p_filesz, search->text.data(), search->text.size()) != nullptr;
  }
  return 1;
}

int CountOpened(dl_phdr_info* object, std::size_t /*bytes*/, void* data) {
  *static_cast<unsigned long long*>(data) = object->dlpi_adds;
  return 1;
}

int AddLoader(dl_phdr_info* object, std::size_t /*bytes*/, void* data) {
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  const std::string_view name = path.substr(path.rfind('/') + 1);
  // libOpenCL.so.1, libOpenCL-HASH.so.1.0.0
  if (name.starts_with("libOpenCL") && name.find(".so") != std::string_view::npos) {
    static_cast<std::vector<std::string>*>(data)->emplace_back(path);
  }
  return 0;
}

// False where it is a loader that takes no layers.
bool LetTakeLayers(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return true;
  const auto platforms = reinterpret_cast<decltype(&clGetPlatformIDs)>(  //
      dlsym(library, "clGetPlatformIDs"));
  const auto* address = reinterpret_cast<const void*>(platforms);
  // Some drivers have a loader's name.
  bool is_seen = platforms == nullptr || !ObjectHasText(address, "OpenCL/vendors");
  if (!is_seen && ObjectHasText(address, kLayersVariable)) {
    cl_uint count = 0;
    platforms(0, nullptr, &count);
    is_seen = true;
  }
  dlclose(library);
  return is_seen;
}

}  // namespace

bool ObjectHasText(const void* address, std::string_view text) {
  TextSearch search{.address = reinterpret_cast<std::uintptr_t>(address), .text = text};
  dl_iterate_phdr(&LookInto, &search);
  return search.has_text;
}

bool OtherLoaders::Ask() {
  unsigned long long opened = 0;
  dl_iterate_phdr(&CountOpened, &opened);
  if (opened_.exchange(opened) == opened) return false;
  std::vector<std::string> loaders;
  dl_iterate_phdr(&AddLoader, &loaders);
  bool is_any = false;
  for (const std::string& path : loaders) {
    {
      const std::lock_guard lock(mutex_);
      if (!asked_.insert(path).second) continue;
    }
    is_any = true;
    // Not under the lock: the loader calls the layer.
    if (LetTakeLayers(path)) continue;
    const std::lock_guard lock(mutex_);
    unseen_ = path;
  }
  return is_any;
}

std::string OtherLoaders::Unseen() const {
  const std::lock_guard lock(mutex_);
  return unseen_;
}

void AskOtherLoaders() {
  Layer& layer = Layer::Get();
  // In the drivers' tables the layer sees every loader's calls.
  if (!layer.is_loaded) return;
  if (layer.other_loaders.Ask()) {
    // What was called through them until now was not seen.
    for (const auto& [handle, memory] : layer.memories.All()) Written(*memory);
  }
  const std::string unseen = layer.other_loaders.Unseen();
  if (!unseen.empty()) layer.process.Happened(Fact::kUnseenLoader, unseen);
}

}  // namespace assay::layer
