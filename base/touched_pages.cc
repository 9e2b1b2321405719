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

void TouchedPages::ForEachRun(const void* begin, std::size_t bytes,
                              const std::function<bool(std::byte*, std::size_t)>& look) const {
  const auto first = reinterpret_cast<std::uintptr_t>(begin), last = first + bytes;
  const auto tell = [&](std::uintptr_t from, std::uintptr_t to) {
    from = std::max(from, first);
    to = std::min(to, last);
    return from >= to || look(reinterpret_cast<std::byte*>(from), to - from);
  };
  std::uintptr_t page = first / page_;
  const std::uintptr_t end = (last + page_ - 1) / page_;
  std::uintptr_t run = page;  // the first page of the run that goes on at `page`
  std::array<std::uint64_t, 512> entries;
  while (page < end) {
    const std::size_t count = std::min<std::size_t>(end - page, entries.size());
    const std::size_t wanted = count * sizeof(std::uint64_t);
    const ssize_t got = descriptor_ < 0 ? -1
                                        : pread(descriptor_, entries.data(), wanted,
                                                static_cast<off_t>(page * sizeof(std::uint64_t)));
    if (got != static_cast<ssize_t>(wanted)) break;
    for (std::size_t i = 0; i < count; ++i, ++page) {
      if ((entries[i] & kPresentOrSwapped) != 0) continue;
      if (!tell(run * page_, page * page_)) return;
      run = page + 1;
    }
  }
  tell(run * page_, last);
}

bool TouchedPages::Any(const void* begin, std::size_t bytes) const {
  bool any = false;
  ForEachRun(begin, bytes, [&](std::byte*, std::size_t) {
    any = true;
    return false;
  });
  return any;
}

}  // namespace assay::base
