// Which memory of this process was ever written or read.
#pragma once

#include <cstddef>
#include <functional>

namespace assay::base {

// By /proc/self/pagemap (proc_pid_pagemap(5)): pages that nothing touched have no entry there.
class TouchedPages {
 public:
  TouchedPages();
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  // Calls `look` with each run of pages of [begin, begin + bytes) that are in memory or were
  // swapped out, in order, until it returns false.  Where the system does not tell, all pages are
  // one run.  Runs are cut at the range's ends.
  void ForEachRun(const void* begin, std::size_t bytes,
                  const std::function<bool(std::byte* first, std::size_t size)>& look) const;

  // Whether there is such a page.
  bool Any(const void* begin, std::size_t bytes) const;

 private:
  const int descriptor_;
  const std::size_t page_;
};

}  // namespace assay::base
