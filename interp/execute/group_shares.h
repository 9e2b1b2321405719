// Deals the work-groups of a launch to threads.
//
// Each thread has a contiguous share, because groups that follow each other mostly access memory
// that lies together.  So few pages of what a thread keeps beside memory are touched by two
// threads.  A thread whose share is used up takes groups from the shares after it, and from the
// first one after the last.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace assay::interp {

class GroupShares {
 public:
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t count = 0;  // 0: no group is left
  };

  // Shares of the groups [0, groups); all but the last begin at multiples of `at_once`.
  void Deal(std::uint64_t groups, std::uint64_t threads, std::uint64_t at_once) {
    const std::uint64_t pieces = (groups + at_once - 1) / at_once;
    const std::uint64_t each = (pieces + threads - 1) / threads * at_once;
    threads_ = threads;
    shares_ = std::make_unique<Share[]>(threads);
    for (std::uint64_t i = 0; i < threads; ++i) {
      shares_[i].begin = std::min(groups, i * each);
      shares_[i].next = shares_[i].begin;
      shares_[i].end = std::min(groups, (i + 1) * each);
    }
  }

  std::uint64_t threads() const { return threads_; }  // 0: nothing was dealt

  // At most `most` groups for a thread.
  Run Take(std::uint64_t thread, std::uint64_t most) {
    for (std::uint64_t i = 0; i < threads_; ++i) {
      Share& share = shares_[(thread + i) % threads_];
      if (share.next >= share.end) continue;
      const std::uint64_t first = share.next.fetch_add(most);
      if (first < share.end) return {first, std::min(most, share.end - first)};
    }
    return {};
  }

  // How many were taken.
  std::uint64_t Taken() const {
    std::uint64_t taken = 0;
    for (std::uint64_t i = 0; i < threads_; ++i) {
      const Share& share = shares_[i];
      taken += std::min(share.next.load(), share.end) - share.begin;
    }
    return taken;
  }

 private:
  // A cache line each.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::unique_ptr<Share[]> shares_;
  std::uint64_t threads_ = 0;
};

}  // namespace assay::interp
