// Which memory of this process was ever written or read.
#pragma once

#include <cstddef>

namespace assay::base {

// By /proc/self/pagemap (proc_pid_pagemap(5)): pages that nothing touched have no entry there.
class TouchedPages {
 public:
  TouchedPages();
  ~TouchedPages();
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

  // Whether a page of [begin, begin + bytes) is in memory or was swapped out.  True where the
  // system does not tell.
  bool Any(const void* begin, std::size_t bytes) const;

 private:
  const int descriptor_;
  const std::size_t page_;
};

}  // namespace assay::base
