// Copies from memory to memory in the detector of undefined values.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "interp/detect/definedness.h"

namespace assay::interp {
namespace {

bool AreDefined(const std::byte* record, std::uint64_t bytes) {
  return bytes == 0 ||
         (record[0] == std::byte{0} && std::memcmp(record, record + 1, bytes - 1) == 0);
}

bool AreDefined(const std::byte* record, const Spaced& elements) {
  if (elements.stride == 1) return AreDefined(record, elements.element * elements.count);
  for (std::uint64_t i = 0; i < elements.count; ++i) {
    if (!AreDefined(record + i * elements.Step(), elements.element)) return false;
  }
  return true;
}

void Define(std::byte* record, const Spaced& elements) {
  if (elements.stride == 1) {
    std::memset(record, 0, elements.element * elements.count);
    return;
  }
  for (std::uint64_t i = 0; i < elements.count; ++i) {
    std::memset(record + i * elements.Step(), 0, elements.element);
  }
}

}  // namespace

void Definedness::Copied(Batch& batch, int lane, Address target, Address source,
                         std::uint64_t bytes) {
  const std::byte* from = UndefinedAt(batch, lane, source);
  std::byte* to = UndefinedAt(batch, lane, target);
  if (from == nullptr || AreDefined(from, bytes)) {
    if (to != nullptr) std::memset(to, 0, bytes);
    return;
  }
  if (to == nullptr) to = EnsureRecord(batch, lane, target);
  if (to == nullptr) return;
  // What is stored where they come from, before the bytes are moved: they may be the same.
  const Region* const from_region = batch.FindRegion(source);
  const Region* const to_region = batch.FindRegion(target);
  std::vector<std::pair<std::uint64_t, StoredValue>> values;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    if (from[i] == std::byte{0}) continue;
    const StoredValue* value = FindStored(batch, from_region, from + i);
    values.emplace_back(
        i, StoredValue{value == nullptr ? 0 : value->origin, 1, OwnerOf(batch, *to_region)});
  }
  std::memmove(to, from, bytes);
  // Local memory in which everything is defined stays so in a program that screens.
  if (batch.program->screens && to_region->space == AddressSpace::kLocal) batch.tainted = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Neighbors of one origin together.
    StoredValue value = values[i].second;
    const std::uint64_t first = values[i].first;
    while (value.bytes < kMaxStoredBytes && i + 1 < values.size() &&
           values[i + 1].first == first + value.bytes &&
           values[i + 1].second.origin == value.origin) {
      ++value.bytes;
      ++i;
    }
    Remember(to + first, value);
  }
}

void Definedness::CopiedElements(Batch& batch, int lane, const Spaced& target,
                                 const Spaced& source) {
  if (target.stride == 1 && source.stride == 1) {
    return Copied(batch, lane, target.address, source.address, target.element * target.count);
  }
  const std::byte* const from = UndefinedAt(batch, lane, source.address);
  if (from == nullptr || AreDefined(from, source)) {
    if (std::byte* const to = UndefinedAt(batch, lane, target.address)) Define(to, target);
    return;
  }
  for (std::uint64_t i = 0; i < target.count; ++i) {
    Copied(batch, lane, target.At(i), source.At(i), target.element);
  }
}

}  // namespace assay::interp
