// Ranges of items for threads, and the columns of operands in such a range.  Internal to the
// library.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "assay/numerics.h"
#include "base/threads.h"
#include "numerics/evaluate.h"

namespace assay::api {

// Reference values of a chunk stay in the second-level cache until they are used.
inline constexpr std::size_t kChunk = 1024;

// Calls body(begin, end) for all items, at most kChunk at a time; false: stopped.
template <typename Body>
bool ForChunks(const Work& work, std::size_t count, const Body& body) {
  // A thread costs as much as some thousand items.
  constexpr std::size_t kAlone = 8 * kChunk;
  const std::size_t threads =
      std::min(static_cast<std::size_t>(base::ThreadCount(work.threads)), count / kAlone + 1);
  std::atomic<std::size_t> next{0};
  const auto is_stopped = [&] { return work.stop != nullptr && work.stop->load(); };
  base::RunOnThreads(static_cast<int>(threads), [&](int) {
    while (!is_stopped()) {
      const std::size_t begin = next.fetch_add(kChunk);
      if (begin >= count) return;
      body(begin, std::min(count, begin + kChunk));
    }
  });
  return next.load() >= count;
}

// The columns of operands, from any item on.
class Operands {
 public:
  Operands(std::span<const numerics::Slot> slots, std::span<const Column> columns)
      : slots_(slots), columns_(columns), repeated_(slots.size()) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!columns[i].repeats) continue;
      const auto* item = static_cast<const std::byte*>(columns[i].data);
      for (std::size_t n = 0; n < kChunk; ++n) {
        repeated_[i].insert(repeated_[i].end(), item, item + ItemBytes(i));
      }
    }
  }

  std::size_t size() const { return slots_.size(); }
  const void* From(std::size_t operand, std::size_t begin) const {
    if (columns_[operand].repeats) return repeated_[operand].data();
    return static_cast<const std::byte*>(columns_[operand].data) + begin * ItemBytes(operand);
  }
  std::array<numerics::ConstColumn, 3> ColumnsFrom(std::size_t begin) const {
    std::array<numerics::ConstColumn, 3> columns{};
    for (std::size_t i = 0; i < slots_.size(); ++i) columns[i] = {slots_[i], From(i, begin)};
    return columns;
  }

 private:
  std::size_t ItemBytes(std::size_t operand) const {
    return numerics::SizeOf(slots_[operand].type) *
           static_cast<std::size_t>(slots_[operand].components);
  }

  std::span<const numerics::Slot> slots_;
  std::span<const Column> columns_;
  std::vector<std::vector<std::byte>> repeated_;
};

}  // namespace assay::api
