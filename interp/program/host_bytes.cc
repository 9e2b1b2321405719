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

// A kernel that reads such memory once from end to end waits for the tables of small pages longer
// than for the bytes.
constexpr std::size_t kLarge = std::size_t{4} << 20;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

}  // namespace

void* AllocateZeros(std::size_t bytes) {
  const std::size_t alignment = bytes >= kLarge ? kLargePage : kLine;
  const std::size_t room = alignment + sizeof(void*);
  if (bytes > std::numeric_limits<std::size_t>::max() - room) return nullptr;
  void* const memory = std::calloc(bytes + room, 1);
  if (memory == nullptr) return nullptr;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  auto* const first = reinterpret_cast<void**>((begin + room) / alignment * alignment);
  // Only advice: without it nothing but time is lost.
  if (bytes >= kLarge) (void)madvise(first, bytes, MADV_HUGEPAGE);
  first[-1] = memory;
  return first;
}

void FreeZeros(void* memory) {
  if (memory != nullptr) std::free(static_cast<void**>(memory)[-1]);
}

}  // namespace assay::interp
