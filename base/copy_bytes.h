// Copies of large pieces of memory by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/threads.h"

namespace assay::base {

// memcpy; where it is much, by so many threads.
inline void CopyBytes(std::byte* to, const std::byte* from, std::size_t bytes, int threads) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  const std::size_t pieces = (bytes + kPiece - 1) / kPiece;
  std::atomic<std::size_t> next{0};
  RunOnThreads(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), pieces)),
               [&](int) {
                 for (std::size_t at = kPiece * next++; at < bytes; at = kPiece * next++) {
                   std::memcpy(to + at, from + at, std::min(kPiece, bytes - at));
                 }
               });
}

}  // namespace assay::base
