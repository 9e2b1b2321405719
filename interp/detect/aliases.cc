// Pointers that others must not use: those to private and local objects (OpenCL API 3.3.1).
//
// Known deviation: such a pointer counts as used by others when they load it from where it was
// stored.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "interp/detect/pointer_watch.h"

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

Pointers::Pointers(Worker* worker) : worker_(*worker) {
  const LaunchState& launch = worker_.launch();
  const std::span<const Region> regions = worker_.regions();
  const int bits = launch.memory->layout().place_bits;
  Address first = ~Address{0};
  Address last = 0;
  for (std::size_t place = 1; place < regions.size(); ++place) {
    const Region& region = regions[place];
    if (!IsOwned(region.space) || region.ended) continue;
    first = std::min(first, static_cast<Address>(place) << bits);
    last = std::max(last, static_cast<Address>(place + 1) << bits);
  }
  view_.address_bytes = static_cast<std::uint32_t>(launch.module->PointerBytes());
  view_.parameter_bits = launch.pointers.parameter_bits;
  // Where the kernel stores no address there is none to load.
  if (!program().stores_addresses) last = 0;
  if (last != 0) {
    view_.first = first;
    view_.range = last - first;
  }
  view_.watched_calls = launch.pointers.watched_calls;
  view_.has_restrict = !view_.parameter_bits.empty() || !view_.watched_calls.empty();
  can_happen_ = last != 0 || view_.has_restrict;
}

void Pointers::Attach(Batch* batch) {
  if (can_happen_) batch->pointers = &view_;
  if (view_.watched_calls.empty()) return;
  records_.push_back(std::make_unique<RestrictRecords>());
  batch->restricts = records_.back().get();
}

void Pointers::BeginBatch(const Batch& batch) {
  if (batch.restricts != nullptr) batch.restricts->Clear();
}

void Pointers::Stored(Batch& batch, const FlatInstruction& in, std::uint32_t value,
                      std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t pointer = ValueIn(batch, value, bytes, lane);
    if (pointer - view_.first >= view_.range) continue;
    const Region* object = batch.FindRegion(pointer);
    const Address at = address[lane] + in.immediate + offset;
    const Region* target = batch.FindRegion(at);
    if (object == nullptr || target == nullptr || !IsOwned(object->space)) continue;
    const StoredPointer stored = {pointer, worker_.group(),
                                  batch.first_item + static_cast<std::uint64_t>(lane), in.place};
    if (target->space == AddressSpace::kLocal) {
      local_[at] = stored;
    } else if (target->space == AddressSpace::kGlobal) {
      const std::lock_guard lock(worker_.launch().pointers.mutex);
      worker_.launch().pointers.stored[at] = stored;
    }
  }
  worker_.Spend(64);
}

void Pointers::Loaded(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                      std::uint32_t bytes, std::uint64_t offset) {
  const auto* address = batch.Register<std::uint64_t>(in.a);
  constexpr Rule kRule = Rule::kPointerPrivateEscape;
  for (std::uint64_t rest = batch.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t pointer = ValueIn(batch, result, bytes, lane);
    if (pointer - view_.first >= view_.range) continue;
    const Region* object = batch.FindRegion(pointer);
    const Address at = address[lane] + in.immediate + offset;
    const Region* source = batch.FindRegion(at);
    if (object == nullptr || source == nullptr || !IsOwned(object->space)) continue;
    StoredPointer stored;
    if (source->space == AddressSpace::kLocal) {
      const auto found = local_.find(at);
      if (found != local_.end()) stored = found->second;
    } else if (source->space == AddressSpace::kGlobal) {
      const std::lock_guard lock(worker_.launch().pointers.mutex);
      const auto found = worker_.launch().pointers.stored.find(at);
      if (found != worker_.launch().pointers.stored.end()) stored = found->second;
    }
    const bool is_private = object->space == AddressSpace::kPrivate;
    const std::uint64_t item = batch.first_item + static_cast<std::uint64_t>(lane);
    if (stored.value != pointer ||
        (stored.group == worker_.group() && (!is_private || stored.item == item)) ||
        worker_.CountAgain(kRule, in.place)) {
      continue;
    }
    worker_.Report(
        batch, in.place, lane, kRule,
        fmt::format("a pointer to {} memory '{}' of another {} is loaded",
                    AddressSpaceName(object->space),
                    worker_.launch().memory->NameOf(object->object),
                    is_private ? "work-item" : "work-group"),
        {fmt::format("stored by work-item {}: {}", worker_.DescribeItem(stored.group, stored.item),
                     worker_.DescribePlace(stored.place))});
  }
  worker_.Spend(64);
}

void LoadedPointers(Batch& batch, const FlatInstruction& in, std::uint32_t result,
                    std::uint32_t bytes, std::uint64_t offset) {
  PointersOf(*batch.worker)->Loaded(batch, in, result, bytes, offset);
}
void StoredPointers(Batch& batch, const FlatInstruction& in, std::uint32_t value,
                    std::uint32_t bytes, std::uint64_t offset) {
  PointersOf(*batch.worker)->Stored(batch, in, value, bytes, offset);
}

}  // namespace assay::interp
