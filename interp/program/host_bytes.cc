#include "interp/program/host_bytes.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

namespace assay::interp {
namespace {

// Vectors that lie in two lines cost twice as much to load, and calloc's pages begin 16 bytes
// behind a line. What calloc returned stands before the first one.
constexpr std::size_t kLine = 64;
constexpr std::size_t kRoom = kLine + sizeof(void*);

// A kernel that reads such memory once from end to end waits for the tables of small pages longer
// than for the bytes.
constexpr std::size_t kLarge = std::size_t{4} << 20;
constexpr std::uintptr_t kPage = 4096;

}  // namespace

void* AllocateZeros(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - kRoom) return nullptr;
  void* const memory = std::calloc(bytes + kRoom, 1);
  if (memory == nullptr) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes >= kLarge) {
    // Only advice: without it nothing but time is lost.
    const std::uintptr_t page = (begin + kPage - 1) / kPage * kPage;
    (void)madvise(reinterpret_cast<void*>(page), begin + bytes - page, MADV_HUGEPAGE);
  }
  auto* const line = reinterpret_cast<void**>((begin + kRoom) / kLine * kLine);
  line[-1] = memory;
  return line;
}

void FreeZeros(void* memory) {
  if (memory != nullptr) std::free(static_cast<void**>(memory)[-1]);
}

}  // namespace assay::interp
