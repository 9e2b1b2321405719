// Loops over many items in pieces, by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/thread_pool.h"
#include "base/threads.h"

namespace assay::base {

// What a thread does: it calls body(thread, begin, end) for pieces of [0, count) while any is left.
template <typename Body>
auto TakesChunks(std::atomic<std::size_t>& next, std::size_t count, std::size_t chunk,
                 const Body& body) {
  return [&next, count, chunk, &body](int thread) {
    for (;;) {
      const std::size_t begin = next.fetch_add(chunk);
      if (begin >= count) return;
      body(thread, begin, std::min(begin + chunk, count));
    }
  };
}

// Calls body(thread, begin, end) for pieces of [0, count), on at most `threads` threads.
template <typename Body>
void ParallelChunks(int threads, std::size_t count, std::size_t chunk, const Body& body) {
  std::atomic<std::size_t> next{0};
  const std::size_t pieces = (count + chunk - 1) / chunk;
  const int helpers = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(std::max(threads, 1)), std::max<std::size_t>(pieces, 1)));
  RunOnThreads(helpers, TakesChunks(next, count, chunk, body));
}

// The same on the threads of a pool.
template <typename Body>
void ParallelChunks(ThreadPool& pool, std::size_t count, std::size_t chunk, const Body& body) {
  std::atomic<std::size_t> next{0};
  const auto work = TakesChunks(next, count, chunk, body);
  if (count <= chunk) return work(0);
  pool.Run(work);
}

}  // namespace assay::base
