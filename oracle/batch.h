// A batch of items on its way through the sweep: inputs, and the answers in every width.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "oracle/device.h"

namespace assay::oracle {

// Columns of a fixed number of items, with the storage that they point into.
// Writes the scalars of one item, all columns one after the other.
void Scatter(std::span<const Column> columns, std::size_t item,
             std::span<const numerics::Bits> scalars);

class ColumnSet {
 public:
  ColumnSet() = default;
  ColumnSet(const std::vector<numerics::Slot>& slots, std::size_t items);

  std::span<const Column> Writable() const { return columns_; }
  std::span<const numerics::ConstColumn> Readable() const { return readable_; }

  // The scalars of one item, all columns one after the other.
  void Gather(std::size_t item, std::span<numerics::Bits> scalars) const;
  void Scatter(std::size_t item, std::span<const numerics::Bits> scalars) const {
    oracle::Scatter(columns_, item, scalars);
  }

  // Are items [begin, end) of both, laid out alike, the same bits?
  bool SameBits(const ColumnSet& other, std::size_t begin, std::size_t end) const;

 private:
  std::vector<std::vector<std::byte>> storage_;
  std::vector<Column> columns_;
  std::vector<numerics::ConstColumn> readable_;
};

struct Batch {
  std::uint64_t first_item = 0;
  std::size_t count = 0;
  ColumnSet inputs;
  std::vector<ColumnSet> outputs;  // one per width
  std::vector<bool> asked;         // per width
  std::vector<bool> answered;      // per width: are the outputs the device's?
  bool repeats = false;            // these inputs have been counted, asked in another width
};

// Calls body(thread, begin, end) for pieces of [0, count), on `threads` threads.
template <typename Body>
void ParallelChunks(int threads, std::size_t count, std::size_t chunk, const Body& body) {
  std::atomic<std::size_t> next{0};
  const auto work = [&](int thread) {
    for (;;) {
      const std::size_t begin = next.fetch_add(chunk);
      if (begin >= count) return;
      body(thread, begin, std::min(begin + chunk, count));
    }
  };
  const std::size_t pieces = (count + chunk - 1) / chunk;
  const int helpers = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(std::max(threads, 1)), std::max<std::size_t>(pieces, 1)));
  std::vector<std::jthread> pool;
  for (int t = 1; t < helpers; ++t) pool.emplace_back(work, t);
  work(0);
}

}  // namespace assay::oracle
