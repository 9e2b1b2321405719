#include "oracle/devices/batch.h"

#include <fmt/format.h>

#include <cstring>

namespace assay::oracle {
namespace {

using numerics::Bits;

constexpr std::size_t kGuard = 256;  // bytes; a whole vector of sixteen doubles fits twice

std::size_t ItemBytes(const numerics::Slot& slot) {
  return static_cast<std::size_t>(slot.components) * numerics::SizeOf(slot.type);
}

}  // namespace

ColumnSet::ColumnSet(const std::vector<numerics::Slot>& slots, std::size_t items) {
  for (const numerics::Slot& slot : slots) {
    storage_.emplace_back(kGuard + items * ItemBytes(slot) + kGuard);
    columns_.push_back({slot, storage_.back().data() + kGuard});
    readable_.push_back({slot, storage_.back().data() + kGuard});
  }
  poison_.resize(slots.size());
  guard_poison_.resize(slots.size());
}

ColumnSet::Zones ColumnSet::ZonesOf(std::size_t column, std::size_t count) const {
  const std::size_t bytes = count * ItemBytes(columns_[column].slot);
  auto* data = static_cast<std::byte*>(columns_[column].data);
  return {
      .before = {data - kGuard, kGuard}, .items = {data, bytes}, .behind = {data + bytes, kGuard}};
}

void ColumnSet::FillPoison(const Poison::Key& key, std::size_t count, bool complement, bool items) {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    Poison::Key own = key;
    own.result = k;
    const Poison poison(own);
    poison_[k] = complement ? poison.Other() : poison;
    own.result = columns_.size() + k;
    guard_poison_[k] = Poison(own);
    const Zones zones = ZonesOf(k, count);
    if (items) poison_[k].Fill(zones.items);
    guard_poison_[k].Fill(zones.before);
    guard_poison_[k].Other().Fill(zones.behind);
  }
}

std::vector<Unwritten> ColumnSet::FindUnwritten(std::size_t count) const {
  std::vector<Unwritten> found;
  std::size_t first_result = 0;
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const auto components = static_cast<std::size_t>(columns_[k].slot.components);
    for (std::size_t element : poison_[k].FindUnwritten(ZonesOf(k, count).items,
                                                        numerics::SizeOf(columns_[k].slot.type))) {
      found.push_back(
          {.item = element / components, .result = first_result + element % components});
    }
    first_result += components;
  }
  if (columns_.size() > 1) std::sort(found.begin(), found.end());
  return found;
}

std::optional<std::string> ColumnSet::FindTrespass(std::size_t count) const {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Zones zones = ZonesOf(k, count);
    if (const auto written = guard_poison_[k].Other().FindWritten(zones.behind)) {
      return fmt::format("bytes {} to {} behind the answers of result {}", written->first,
                         written->last, k);
    }
    if (const auto written = guard_poison_[k].FindWritten(zones.before)) {
      return fmt::format("bytes {} to {} before the answers of result {}", kGuard - written->last,
                         kGuard - written->first, k);
    }
  }
  return std::nullopt;
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

void ColumnSet::CopyItem(std::size_t item, const ColumnSet& from, std::size_t from_item) const {
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const std::size_t size = ItemBytes(columns_[k].slot);
    std::memcpy(static_cast<std::byte*>(columns_[k].data) + item * size,
                static_cast<const std::byte*>(from.readable_[k].data) + from_item * size, size);
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
    const std::size_t size = ItemBytes(columns_[i].slot);
    if (std::memcmp(static_cast<const std::byte*>(readable_[i].data) + begin * size,
                    static_cast<const std::byte*>(other.readable_[i].data) + begin * size,
                    (end - begin) * size) != 0) {
      return false;
    }
  }
  return true;
}

std::vector<std::vector<Bits>> VectorOf(const ColumnSet& inputs, std::size_t arguments,
                                        std::size_t count, std::size_t item, int width) {
  const auto lanes = static_cast<std::size_t>(width);
  const std::size_t first = item - item % lanes;
  std::vector<std::vector<Bits>> operands;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::array<Bits, numerics::kMaxArguments> args{};
    inputs.Gather(std::min(first + lane, count - 1), args);
    operands.emplace_back(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(arguments));
  }
  return operands;
}

}  // namespace assay::oracle
