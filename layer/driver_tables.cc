#include "layer/driver_tables.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace assay::layer {

namespace {

// The protection of the page at an address; PROT_NONE where there is none.
int ProtectionAt(std::uintptr_t address) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return PROT_NONE;
  int protection = PROT_NONE;
  char line[8192];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long long begin = 0, end = 0;
    char flags[5] = "";
    if (std::sscanf(line, "%llx-%llx %4s", &begin, &end, flags) != 3) continue;
    if (address < begin || address >= end) continue;
    protection = (flags[0] == 'r' ? PROT_READ : 0) | (flags[1] == 'w' ? PROT_WRITE : 0) |
                 (flags[2] == 'x' ? PROT_EXEC : 0);
    break;
  }
  std::fclose(maps);
  return protection;
}

// Tables are often in memory that the dynamic linker has made read-only.
bool WritePage(char* to, const char* from, std::size_t bytes, std::uintptr_t page_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  void* page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
  const int protection = ProtectionAt(address);
  if (protection == PROT_NONE) return false;
  const bool is_open = (protection & PROT_WRITE) != 0;
  if (!is_open && mprotect(page, page_bytes, protection | PROT_WRITE) != 0) return false;
  std::memcpy(to, from, bytes);
  if (!is_open) mprotect(page, page_bytes, protection);
  return true;
}

bool Write(char* to, const char* from, std::size_t bytes) {
  const auto page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  while (bytes > 0) {
    const std::uintptr_t in_page = reinterpret_cast<std::uintptr_t>(to) % page_bytes;
    const std::size_t now = std::min<std::size_t>(bytes, page_bytes - in_page);
    if (!WritePage(to, from, now, page_bytes)) return false;
    to += now;
    from += now;
    bytes -= now;
  }
  return true;
}

}  // namespace

bool DriverTables::Add(cl_icd_dispatch* live, std::size_t entries,
                       void (*follow)(cl_icd_dispatch*)) {
  const std::size_t count = count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (tables_[i].live == live) return true;
  }
  if (count == tables_.size()) return false;
  const std::size_t bytes = std::min(entries * sizeof(void*), sizeof(cl_icd_dispatch));
  Table& table = tables_[count];
  std::memcpy(static_cast<void*>(&table.own), live, bytes);
  cl_icd_dispatch followed = table.own;
  follow(&followed);
  // Before anything is called through it.
  table.live = live;
  count_.store(count + 1, std::memory_order_release);
  return Write(reinterpret_cast<char*>(live), reinterpret_cast<const char*>(&followed), bytes);
}

std::size_t EntriesOf(std::string_view version) {
  struct Since {
    int version;
    std::size_t first;  // the offset of the first entry that a later version has
  };
  constexpr Since kSince[] = {
      {10, offsetof(cl_icd_dispatch, clSetEventCallback)},
      {11, offsetof(cl_icd_dispatch, clCreateSubDevices)},
      {12, offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties)},
      {20, offsetof(cl_icd_dispatch, clCloneKernel)},
      {21, offsetof(cl_icd_dispatch, clSetProgramReleaseCallback)},
      {22, offsetof(cl_icd_dispatch, clCreateBufferWithProperties)},
  };
  // "OpenCL 1.2 ..." (OpenCL API, CL_PLATFORM_VERSION)
  constexpr std::string_view kBeginning = "OpenCL ";
  if (!version.starts_with(kBeginning) || version.size() < kBeginning.size() + 3) return 0;
  version.remove_prefix(kBeginning.size());
  const int number = (version[0] - '0') * 10 + (version[2] - '0');
  for (const Since& since : kSince) {
    if (number <= since.version) return since.first / sizeof(void*);
  }
  return sizeof(cl_icd_dispatch) / sizeof(void*);
}

}  // namespace assay::layer
