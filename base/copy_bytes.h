// Copies of large pieces of memory by several threads.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/parallel_chunks.h"

namespace assay::base {

// memcpy; where it is much, by so many threads.
inline void CopyBytes(std::byte* to, const std::byte* from, std::size_t bytes, int threads) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  ParallelChunks(threads, bytes, kPiece, [&](int, std::size_t begin, std::size_t end) {
    std::memcpy(to + begin, from + begin, end - begin);
  });
}

}  // namespace assay::base
