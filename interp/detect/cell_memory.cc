#include "interp/detect/cell_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "base/touched_pages.h"

namespace assay::interp {
namespace {

constexpr std::uint64_t kPage = std::uint64_t{1} << 12;
constexpr std::uint64_t kLargePage = std::uint64_t{1} << 21;
constexpr std::uint64_t kLeastMapped = 16 * kPage;  // less comes from the heap

// Mappings that were given back.
class Pool {
 public:
  // Null: there is none of this kind.  The bytes are as they were left.
  std::byte* Take(std::uint64_t bytes, const CellUse& use) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(free_, [&](const Mapping& mapping) {
      return mapping.bytes == bytes && mapping.use == use;
    });
    if (found == free_.end()) return nullptr;
    std::byte* const begin = found->begin;
    *found = free_.back();
    free_.pop_back();
    kept_ -= bytes;
    return begin;
  }

  // False: enough is kept.
  bool Give(std::byte* begin, std::uint64_t bytes, const CellUse& use) {
    constexpr std::uint64_t kMost = std::uint64_t{128} << 20;
    const std::lock_guard lock(mutex_);
    if (kept_ + bytes > kMost) return false;
    free_.push_back({begin, bytes, use});
    kept_ += bytes;
    return true;
  }

 private:
  struct Mapping {
    std::byte* begin;
    std::uint64_t bytes;
    CellUse use;
  };
  std::mutex mutex_;
  std::vector<Mapping> free_;
  std::uint64_t kept_ = 0;
};

// Cells may be released while the process ends.
Pool& ThePool() {
  static Pool& pool = *new Pool;
  return pool;
}

// Only pages that were touched can hold something else than zeros.
void Clear(std::byte* begin, std::uint64_t bytes) {
  base::TouchedPages().ForEachRun(begin, bytes, [](std::byte* first, std::size_t size) {
    std::memset(first, 0, size);
    return true;
  });
}

std::byte* Map(std::uint64_t bytes, std::uint64_t alignment, int kind) {
  void* const mapped =
      mmap(nullptr, bytes + alignment, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::uint64_t before = -reinterpret_cast<std::uintptr_t>(begin) & (alignment - 1);
  if (before != 0) (void)munmap(begin, before);
  if (before != alignment) (void)munmap(begin + before + bytes, alignment - before);
  return begin + before;
}

}  // namespace

void ReleaseCells::operator()(std::uint32_t* cells) const {
  if (mapped == 0) {
    std::free(cells);
  } else if (!ThePool().Give(reinterpret_cast<std::byte*>(cells), mapped, use)) {
    (void)munmap(cells, mapped);
  }
}

CellMemory AllocateCells(std::uint64_t number, const CellUse& use) {
  if (number > (std::uint64_t{1} << 48)) return nullptr;
  const std::uint64_t page = use.large_pages ? kLargePage : kPage;
  const std::uint64_t bytes = (number * sizeof(std::uint32_t) + page - 1) & ~(page - 1);
  if (bytes < kLeastMapped) {
    return {static_cast<std::uint32_t*>(std::calloc(number, sizeof(std::uint32_t))),
            ReleaseCells{}};
  }
  std::byte* begin = ThePool().Take(bytes, use);
  const bool is_kept = begin != nullptr;
  if (!is_kept) {
    // A cell is read before it is written.  In private memory the read would map the system's page
    // of zeros, and the write would replace it, which interrupts each processor that runs a thread
    // of this process.
    begin = Map(bytes, page, use.large_pages ? MAP_PRIVATE : MAP_SHARED | MAP_NORESERVE);
    if (begin != nullptr && use.large_pages) (void)madvise(begin, bytes, MADV_HUGEPAGE);
  }
  return {reinterpret_cast<std::uint32_t*>(begin), ReleaseCells{bytes, use, is_kept}};
}

void PrepareCells(CellMemory* cells) {
  ReleaseCells& release = cells->get_deleter();
  if (release.is_kept && !release.is_prepared) {
    Clear(reinterpret_cast<std::byte*>(cells->get()), release.mapped);
  }
  release.is_prepared = true;
}

}  // namespace assay::interp
