// Pointers that others must not use: those to private and local objects (OpenCL API 3.3.1).
//
// Known deviation: such a pointer counts as used by others when they load it from where it was
// stored.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/execute/execute.h"
#include "interp/rules/rule.h"

namespace assay::interp {

namespace {

bool IsOwned(AddressSpace space) {
  return space == AddressSpace::kPrivate || space == AddressSpace::kLocal;
}

std::uint64_t ValueIn(const Batch& batch, std::uint32_t offset, std::uint32_t bytes, int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, batch.registers + offset + static_cast<std::size_t>(lane) * bytes, bytes);
  return bits;
}

}  // namespace

void Worker::WatchPointers() {
  if (!program_.detectors.Has(Detector::kPointers)) return;
  const int bits = launch_.memory->layout().place_bits;
  Address first = ~Address{0};
  Address last = 0;
  for (std::size_t place = 1; place < regions_.size(); ++place) {
    const Region& region = regions_[place];
    if (!IsOwned(region.space) || region.ended) continue;
    first = std::min(first, static_cast<Address>(place) << bits);
    last = std::max(last, static_cast<Address>(place + 1) << bits);
  }
  pointer_view_.address_bytes = static_cast<std::uint32_t>(launch_.module->PointerBytes());
  pointer_view_.parameter_bits = launch_.pointers.parameter_bits;
  // Where the kernel stores no address there is none to load.
  if (!program_.stores_addresses) last = 0;
  if (last != 0) {
    pointer_view_.first = first;
    pointer_view_.range = last - first;
  }
  pointer_view_.watched_calls = launch_.pointers.watched_calls;
  pointer_view_.has_restrict =
      !pointer_view_.parameter_bits.empty() || !pointer_view_.watched_calls.empty();
  watches_pointers_ = last != 0 || pointer_view_.has_restrict;
}

void Worker::StoredPointers(Batch& batch, const FlatInstruction& in, std::uint32_t value,
                            std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t pointer = ValueIn(batch, value, bytes, lane);
    if (pointer - pointer_view_.first >= pointer_view_.range) continue;
    const Region* object = batch.FindRegion(pointer);
    const Address at = address[lane] + in.immediate + offset;
    const Region* target = batch.FindRegion(at);
    if (object == nullptr || target == nullptr || !IsOwned(object->space)) continue;
    const StoredPointer stored = {pointer, group_,
                                  batch.first_item + static_cast<std::uint64_t>(lane), in.place};
    if (target->space == AddressSpace::kLocal) {
      local_pointers_[at] = stored;
    } else if (target->space == AddressSpace::kGlobal) {
      const std::lock_guard lock(launch_.pointers.mutex);
      launch_.pointers.stored[at] = stored;
    }
  }
  Spend(64);
}

void Worker::LoadedPointers(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                            std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  constexpr Rule kRule = Rule::kPointerPrivateEscape;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t pointer = ValueIn(batch, result, bytes, lane);
    if (pointer - pointer_view_.first >= pointer_view_.range) continue;
    const Region* object = batch.FindRegion(pointer);
    const Address at = address[lane] + in.immediate + offset;
    const Region* source = batch.FindRegion(at);
    if (object == nullptr || source == nullptr || !IsOwned(object->space)) continue;
    StoredPointer stored;
    if (source->space == AddressSpace::kLocal) {
      const auto found = local_pointers_.find(at);
      if (found != local_pointers_.end()) stored = found->second;
    } else if (source->space == AddressSpace::kGlobal) {
      const std::lock_guard lock(launch_.pointers.mutex);
      const auto found = launch_.pointers.stored.find(at);
      if (found != launch_.pointers.stored.end()) stored = found->second;
    }
    const bool is_private = object->space == AddressSpace::kPrivate;
    const std::uint64_t item = batch.first_item + static_cast<std::uint64_t>(lane);
    if (stored.value != pointer ||
        (stored.group == group_ && (!is_private || stored.item == item)) ||
        CountAgain(kRule, in.place)) {
      continue;
    }
    Report(batch, in.place, lane, kRule,
           fmt::format("a pointer to {} memory '{}' of another {} is loaded",
                       AddressSpaceName(object->space), launch_.memory->NameOf(object->object),
                       is_private ? "work-item" : "work-group"),
           {fmt::format("stored by work-item {}: {}", DescribeItem(stored.group, stored.item),
                        DescribePlace(stored.place))});
  }
  Spend(64);
}

void LoadedPointers(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                    std::uint32_t bytes, std::uint64_t offset) {
  batch.worker->LoadedPointers(batch, in, result, bytes, offset);
}
void StoredPointers(Batch& batch, const FlatInstruction& in, std::uint32_t value,
                    std::uint32_t bytes, std::uint64_t offset) {
  batch.worker->StoredPointers(batch, in, value, bytes, offset);
}

}  // namespace assay::interp
