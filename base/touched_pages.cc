#include "base/touched_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace assay::base {
namespace {

constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;

}  // namespace

TouchedPages::TouchedPages()
    : descriptor_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)),
      page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {}

TouchedPages::~TouchedPages() {
  if (descriptor_ >= 0) (void)close(descriptor_);
}

bool TouchedPages::Any(const void* begin, std::size_t bytes) const {
  if (descriptor_ < 0) return true;
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  std::uintptr_t page = first / page_;
  const std::uintptr_t end = (first + bytes + page_ - 1) / page_;
  std::array<std::uint64_t, 512> entries;
  while (page < end) {
    const std::size_t count = std::min<std::size_t>(end - page, entries.size());
    const std::size_t wanted = count * sizeof(std::uint64_t);
    const ssize_t got = pread(descriptor_, entries.data(), wanted,
                              static_cast<off_t>(page * sizeof(std::uint64_t)));
    if (got != static_cast<ssize_t>(wanted)) return true;
    for (std::size_t i = 0; i < count; ++i) {
      if ((entries[i] & kPresentOrSwapped) != 0) return true;
    }
    page += count;
  }
  return false;
}

}  // namespace assay::base
