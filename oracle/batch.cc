#include "oracle/batch.h"

#include <cstring>

namespace assay::oracle {

using numerics::Bits;

ColumnSet::ColumnSet(const std::vector<numerics::Slot>& slots, std::size_t items) {
  for (const numerics::Slot& slot : slots) {
    const std::size_t bytes =
        items * static_cast<std::size_t>(slot.components) * numerics::SizeOf(slot.type);
    storage_.emplace_back(bytes);
    columns_.push_back({slot, storage_.back().data()});
    readable_.push_back({slot, storage_.back().data()});
  }
}

void ColumnSet::Gather(std::size_t item, std::span<Bits> scalars) const {
  std::size_t at = 0;
  for (const numerics::ConstColumn& column : readable_) {
    const auto n = static_cast<std::size_t>(column.slot.components);
    for (std::size_t c = 0; c < n; ++c) {
      scalars[at++] = numerics::LoadElement(column.slot.type, column.data, item * n + c);
    }
  }
}

void Scatter(std::span<const Column> columns, std::size_t item, std::span<const Bits> scalars) {
  std::size_t at = 0;
  for (const Column& column : columns) {
    const auto n = static_cast<std::size_t>(column.slot.components);
    for (std::size_t c = 0; c < n; ++c) {
      numerics::StoreElement(column.slot.type, column.data, item * n + c, scalars[at++]);
    }
  }
}

bool ColumnSet::SameBits(const ColumnSet& other, std::size_t begin, std::size_t end) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const numerics::Slot& slot = columns_[i].slot;
    const std::size_t size =
        static_cast<std::size_t>(slot.components) * numerics::SizeOf(slot.type);
    if (std::memcmp(storage_[i].data() + begin * size, other.storage_[i].data() + begin * size,
                    (end - begin) * size) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace assay::oracle
