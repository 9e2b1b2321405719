#include "driver/objects/accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "driver/core/call.h"
#include "driver/objects/memory.h"
#include "driver/objects/queue.h"
#include "driver/objects/svm.h"

namespace assay::driver {

namespace {

MemoryAccess AccessOf(const Memory& object, Rectangle bytes, bool writes) {
  bytes.begin += object.offset;
  return {.storage = object.storage, .object = &object, .bytes = bytes, .writes = writes};
}

bool IsLinear(const Rectangle& bytes) { return bytes.region[1] == 1 && bytes.region[2] == 1; }

bool Overlap(const AccessRecord& a, const AccessRecord& b) {
  if (a.runs == nullptr && b.runs == nullptr) return Overlap(a.bytes, 0, b.bytes, 0);
  if (a.runs == nullptr) return Overlap(b, a);
  const auto meets = [&b](std::uint64_t from, std::uint64_t to) {
    if (b.runs == nullptr) return Overlap(b.bytes, 0, LinearBytes(from, to - from), 0);
    const auto next = std::ranges::upper_bound(*b.runs, from, {}, &ByteRuns::value_type::second);
    return next != b.runs->end() && next->first < to;
  };
  return std::ranges::any_of(*a.runs,
                             [&](const auto& run) { return meets(run.first, run.second); });
}

// Whether all bytes of `a` are among those of `b`.
bool Covers(const AccessRecord& b, const AccessRecord& a) {
  const std::uint64_t begin = a.bytes.begin;
  const std::uint64_t end = begin + a.bytes.Extent();
  const bool is_dense = IsLinear(b.bytes) && (b.runs == nullptr || b.runs->size() == 1);
  return is_dense && b.bytes.begin <= begin && end <= b.bytes.begin + b.bytes.Extent();
}

std::string DescribeBytes(const Rectangle& bytes) {
  return fmt::format("bytes {} to {}", bytes.begin, bytes.begin + bytes.Extent() - 1);
}

std::vector<RelatedCall> OtherCommand(const AccessRecord& other) {
  return {{fmt::format("the other command: {} on {}, enqueued", other.by->call, other.by->queue),
           FramesOf(other.by->stack)}};
}

void TellRace(const AccessRecord& added, const AccessRecord& other, const char* call) {
  const auto verb = [](const AccessRecord& record) { return record.writes ? "writes" : "reads"; };
  if (added.is_host) {
    TellMisuse(call, interp::Rule::kHostTransferMemory,
               fmt::format("the command on {} {} {} bytes of the host's memory at {:#x}, and {} on "
                           "{} {} some of them; nothing orders the two commands",
                           added.by->queue, verb(added), added.bytes.Extent(), added.bytes.begin,
                           other.by->call, other.by->queue, verb(other)),
               {}, &added.by->stack, OtherCommand(other));
    return;
  }
  const bool shares = added.object != other.object && added.object != 0 && other.object != 0;
  TellMisuse(call, shares ? interp::Rule::kHostRaceSubBuffers : interp::Rule::kHostRaceCommands,
             fmt::format("the command on {} {} {} of {}, and {} on {} {} {} of {}; nothing orders "
                         "the two commands",
                         added.by->queue, verb(added), DescribeBytes(added.bytes), added.name,
                         other.by->call, other.by->queue, verb(other), DescribeBytes(other.bytes),
                         shares ? other.name : "it"),
             {}, &added.by->stack, OtherCommand(other));
}

std::uint64_t NumberOf(const Memory* object) {
  return object == nullptr ? 0 : object->handle()->number;
}

std::string NameOf(const MemoryAccess& access) {
  return access.object == nullptr ? access.storage->name() : access.object->Name();
}

void TellMapped(const char* call, const ActiveMapping& mapping, const MemoryAccess& access,
                const CallStack* stack) {
  TellMisuse(call, mapping.is_svm ? interp::Rule::kHostSvmMapped : interp::Rule::kHostRaceMapped,
             fmt::format("the command {} {} of {}, and {} is mapped for {}",
                         access.writes ? "writes" : "reads", DescribeBytes(access.bytes),
                         NameOf(access), mapping.name, mapping.writes ? "writing" : "reading"),
             {}, stack);
}

// Whether the access is one that a mapped object must not have (OpenCL API, "Accessing Mapped
// Regions of a Memory Object").
bool IsAgainst(const ActiveMapping& mapping, const MemoryAccess& access) {
  if (!mapping.writes && !access.writes) return false;
  if (NumberOf(access.object) == mapping.object) return true;
  // An object that shares the memory: where it overlaps the region.
  if (!mapping.is_linear || !IsLinear(access.bytes)) return false;
  const std::uint64_t begin = access.bytes.begin;
  return begin < mapping.end && mapping.begin < begin + access.bytes.Extent();
}

void CheckMappings(const char* call, cl_command_type type,
                   const std::vector<MemoryAccess>& accesses) {
  constexpr cl_command_type kMappings[] = {CL_COMMAND_MAP_BUFFER, CL_COMMAND_MAP_IMAGE,
                                           CL_COMMAND_UNMAP_MEM_OBJECT, CL_COMMAND_SVM_MAP,
                                           CL_COMMAND_SVM_UNMAP};
  if (std::ranges::find(kMappings, type) != std::end(kMappings)) return;
  for (const MemoryAccess& access : accesses) {
    for (const ActiveMapping& mapping : access.storage->mapped) {
      if (!IsAgainst(mapping, access)) continue;
      TellMapped(call, mapping, access, nullptr);
      return;
    }
  }
}

bool Meet(const std::byte* a, std::uint64_t a_size, const std::byte* b, std::uint64_t b_size) {
  const std::less<const std::byte*> before;
  return before(a, b + b_size) && before(b, a + a_size);
}

// Memory of the host behind objects, and memory of the driver that the host has by mapping it.
void CheckHostMemory(const char* call, const Context& context,
                     const std::vector<MemoryAccess>& accesses, const HostBytes& host) {
  const auto* pointer = reinterpret_cast<const std::byte*>(host.bytes.begin);  // NOLINT
  const std::uint64_t size = host.size();
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const Storage& storage = *accesses[i].storage;
    for (std::size_t j = 0; j < i; ++j) {
      const Storage& other = *accesses[j].storage;
      if (&storage == &other || !Meet(storage.bytes(), storage.size(), other.bytes(), other.size()))
        continue;
      TellMisuse(
          call, interp::Rule::kHostUseHostPtr,
          fmt::format("the command uses {} and {}, which have overlapping memory of the host",
                      NameOf(accesses[j]), NameOf(accesses[i])));
    }
    const bool uses_own = size != 0 && accesses[i].object != nullptr &&
                          accesses[i].object->host_ptr != nullptr &&
                          Meet(storage.bytes(), storage.size(), pointer, size);
    if (uses_own && !storage.mapped.empty()) {
      TellMisuse(call, interp::Rule::kHostUseHostPtr,
                 fmt::format("ptr is the memory of {}, which is mapped", NameOf(accesses[i])));
    }
  }
  if (size == 0) return;
  const Storage* owner = context.FindOwned(pointer);
  if (owner == nullptr || owner->has_unsettled_unmap) return;
  const auto is_mapped = [owner](std::uint64_t at) {
    return std::ranges::any_of(owner->mapped, [at](const ActiveMapping& mapping) {
      return mapping.begin <= at && at < mapping.end;
    });
  };
  const auto at = static_cast<std::uint64_t>(pointer - owner->bytes());
  if (is_mapped(at) && is_mapped(at + size - 1)) return;
  TellMisuse(call, interp::Rule::kHostMappedPointer,
             fmt::format("ptr is in the memory of {}, where nothing is mapped{}", owner->name(),
                         is_mapped(at) ? " at the end of what the command transfers" : ""));
}

}  // namespace

Rectangle LinearBytes(std::uint64_t begin, std::uint64_t size) {
  return {.begin = begin, .row_pitch = size, .slice_pitch = size, .region = {size, 1, 1}};
}

MemoryAccess ReadOf(const Memory& object, std::uint64_t offset, std::uint64_t size) {
  return AccessOf(object, LinearBytes(offset, size), false);
}
MemoryAccess ReadOf(const Memory& object, const Rectangle& bytes) {
  return AccessOf(object, bytes, false);
}
MemoryAccess WriteOf(const Memory& object, std::uint64_t offset, std::uint64_t size) {
  return AccessOf(object, LinearBytes(offset, size), true);
}
MemoryAccess WriteOf(const Memory& object, const Rectangle& bytes) {
  return AccessOf(object, bytes, true);
}

HostBytes HostBytesOf(const void* pointer, const Rectangle& bytes, bool writes) {
  HostBytes host{.bytes = bytes, .writes = writes};
  host.bytes.begin += reinterpret_cast<std::uintptr_t>(pointer);
  return host;
}
HostBytes HostBytesOf(const void* pointer, std::uint64_t size, bool writes) {
  return {.bytes = LinearBytes(reinterpret_cast<std::uintptr_t>(pointer), size), .writes = writes};
}

void AddSvmAccess(const SvmRange& range, std::uint64_t size, bool writes,
                  std::vector<MemoryAccess>* accesses) {
  if (!range) return;
  accesses->push_back({.storage = range.storage,
                       .object = nullptr,
                       .bytes = LinearBytes(range.offset, size),
                       .writes = writes});
}

void AccessHistory::Add(AccessRecord added, const char* call) {
  // The latest first.
  for (auto other = records_.rbegin(); other != records_.rend(); ++other) {
    if (!added.writes && !other->writes) continue;
    if (ComesBefore(*other->order, *added.order) || ComesBefore(*added.order, *other->order)) {
      continue;
    }
    if (!Overlap(added, *other)) continue;
    TellRace(added, *other, call);
    break;
  }
  EraseCovered(added);
  Keep(std::move(added));
}

void AccessHistory::EraseCovered(const AccessRecord& added) {
  std::erase_if(records_, [&added](const AccessRecord& other) {
    return (added.writes || !other.writes) && ComesBefore(*other.order, *added.order) &&
           Covers(added, other);
  });
}

void AccessHistory::Keep(AccessRecord added) {
  if (records_.size() == kMaxRecords) EraseCovered(added);
  if (records_.size() == kMaxRecords) {
    // First those that all later commands of the queue come after.
    std::erase_if(records_, [&added](const AccessRecord& other) {
      return ComesBefore(*other.order, *added.order);
    });
    if (records_.size() == kMaxRecords) records_.erase(records_.begin());
  }
  records_.push_back(std::move(added));
}

void CheckAccesses(const char* call, const Queue& queue, cl_command_type type,
                   const std::shared_ptr<const Ordering>& order,
                   const std::vector<MemoryAccess>& accesses, const HostBytes& host) {
  for (const MemoryAccess& access : accesses) {
    access.storage->users.Put(order->chain, order->place);
  }
  CommandOrder& orders = queue.context->order;
  if (order->is_unsettled || orders.has_unseen_order || accesses.empty()) return;
  CheckMappings(call, type, accesses);
  CheckHostMemory(call, *queue.context, accesses, host);
  // Also on the only queue of the context: it may get another one before the host sees their end.
  const auto by = std::make_shared<const Accessor>(Accessor{call, queue.Name(), CaptureStack()});
  const auto add = [&](AccessHistory* history, AccessRecord record) {
    if (orders.NeedsRecords()) return history->Add(std::move(record), call);
    history->Keep(std::move(record));
  };
  for (const MemoryAccess& access : accesses) {
    if (access.bytes.region[0] == 0) continue;
    add(&access.storage->history, {.order = order,
                                   .by = by,
                                   .object = NumberOf(access.object),
                                   .name = NameOf(access),
                                   .bytes = access.bytes,
                                   .runs = nullptr,
                                   .writes = access.writes});
  }
  if (host.size() == 0) return;
  add(&queue.context->host_history, {.order = order,
                                     .by = by,
                                     .name = "memory of the host",
                                     .bytes = host.bytes,
                                     .is_host = true,
                                     .writes = host.writes});
}

void CheckKernelAccess(const char* call, const std::shared_ptr<const Accessor>& by,
                       const std::shared_ptr<const Ordering>& order, const KernelAccess& kernel,
                       const std::vector<std::pair<const Storage*, ActiveMapping>>& mapped) {
  const MemoryAccess& access = kernel.access;
  for (const auto& [storage, mapping] : mapped) {
    if (storage != access.storage.get() || !IsAgainst(mapping, access)) continue;
    // The bytes between its runs are not accessed.
    const bool is_same = NumberOf(access.object) == mapping.object;
    if (!is_same && std::ranges::none_of(*kernel.runs, [&mapping](const auto& run) {
          return run.first < mapping.end && mapping.begin < run.second;
        })) {
      continue;
    }
    TellMapped(call, mapping, access, &by->stack);
    break;
  }
  access.storage->history.Add({.order = order,
                               .by = by,
                               .object = NumberOf(access.object),
                               .name = NameOf(access),
                               .bytes = access.bytes,
                               .runs = kernel.runs,
                               .writes = access.writes},
                              call);
}

}  // namespace assay::driver
