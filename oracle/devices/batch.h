// A batch of items in the sweep: inputs, and the answers in every width.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "numerics/evaluate.h"
#include "numerics/operation.h"
#include "oracle/devices/device.h"
#include "oracle/devices/poison.h"

namespace assay::oracle {

// Writes the scalars of one item, all columns one after the other.
void Scatter(std::span<const Column> columns, std::size_t item,
             std::span<const numerics::Bits> scalars);

// A result of an item that the device left as it was.
struct Unwritten {
  std::size_t item = 0;
  std::size_t result = 0;
  auto operator<=>(const Unwritten&) const = default;
};

// Columns of a fixed number of items, with the storage that they point into, and a guard zone
// before and behind each.
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
  // An item of other columns that are laid out alike.
  void CopyItem(std::size_t item, const ColumnSet& from, std::size_t from_item) const;

  // Are items [begin, end) of both, laid out alike, the same bits?
  bool SameBits(const ColumnSet& other, std::size_t begin, std::size_t end) const;

  // Fills the first `count` items with poison, or with its complement, and the guards around them.
  // If `items` is false, only the guards are filled, because the caller fills the items elsewhere.
  void FillPoison(const Poison::Key& key, std::size_t count, bool complement, bool items = true);
  std::span<const Poison> LastPoison() const { return poison_; }
  // The items that still have the value of FillPoison, in order.
  std::vector<Unwritten> FindUnwritten(std::size_t count) const;
  // Where a guard was written: a sentence's end, such as "4 bytes behind result 0".
  std::optional<std::string> FindTrespass(std::size_t count) const;

 private:
  struct Zones {
    std::span<std::byte> before, items, behind;
  };
  Zones ZonesOf(std::size_t column, std::size_t count) const;

  std::vector<std::vector<std::byte>> storage_;
  std::vector<Column> columns_;
  std::vector<numerics::ConstColumn> readable_;
  std::vector<Poison> poison_, guard_poison_;  // of the last FillPoison, a column each
};

// An item that was asked a second time, in another place, and got other answers.
struct Difference {
  std::size_t item = 0;   // of the batch, where the first answers stand
  std::size_t width = 0;  // number of the width
  int lane = 0;           // the second time
  std::array<numerics::Bits, numerics::kMaxResults> answers{};
  std::array<bool, numerics::kMaxResults> written{};
  std::vector<std::vector<numerics::Bits>> lanes;  // the operands of the vector it stood in
};

struct Batch {
  std::uint64_t first_item = 0;
  std::size_t count = 0;
  ColumnSet inputs;
  std::vector<ColumnSet> outputs;  // one per width
  std::vector<bool> asked;         // per width
  std::vector<bool> answered;      // per width: are the outputs the device's?
  bool repeats = false;            // these inputs have been counted, asked in another width
  std::size_t period = 0;          // not 0: item i has the inputs of item i % period

  // The results of the runner.
  std::vector<std::vector<Unwritten>> unwritten;  // per width, in order
  std::uint64_t asked_again = 0;                  // answers that were requested twice
  std::vector<Difference> differences;
};

// The operands of the whole vector of `width` that `item` stands in; the last one may be partial.
std::vector<std::vector<numerics::Bits>> VectorOf(const ColumnSet& inputs, std::size_t arguments,
                                                  std::size_t count, std::size_t item, int width);

}  // namespace assay::oracle
