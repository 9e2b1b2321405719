#include "driver/objects/kernel_accesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/objects/queue.h"
#include "driver/objects/svm.h"
#include "driver/objects/unified_svm.h"

namespace assay::driver {

namespace {

// What a kernel may reach: its arguments, and shared virtual memory.
struct Reached {
  std::shared_ptr<Storage> storage;
  const Memory* object = nullptr;
};
std::vector<Reached> ReachedBy(const Plan& plan) {
  std::vector<Reached> all;
  for (const BoundArgument& argument : plan.arguments) {
    const auto* object = std::get_if<Ref<Memory>>(&argument);
    // Packets of a pipe are ordered by its own operations.
    if (object == nullptr || !*object || (*object)->type == CL_MEM_OBJECT_PIPE) continue;
    all.push_back({(*object)->storage, object->get()});
  }
  for (const SvmAllocation& shared : plan.shared) {
    all.push_back({shared.storage});
  }
  return all;
}

// The argument that has these bytes of the storage; null: several may have, or shared memory.
const Memory* ObjectAt(const std::vector<Reached>& reached, const Storage* storage,
                       std::uint64_t offset) {
  const Memory* found = nullptr;
  for (const Reached& each : reached) {
    if (each.storage.get() != storage || each.object == nullptr) continue;
    const Memory& object = *each.object;
    if (offset < object.offset || offset >= object.offset + object.size) continue;
    if (found != nullptr && found != &object) return nullptr;
    found = &object;
  }
  return found;
}

using Key = std::tuple<const Storage*, const Memory*, bool>;

// In order, and neighbors together.
void Normalize(ByteRuns* runs) {
  std::ranges::sort(*runs);
  ByteRuns merged;
  for (const auto& [from, to] : *runs) {
    if (!merged.empty() && from <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, to);
    } else {
      merged.emplace_back(from, to);
    }
  }
  *runs = std::move(merged);
}

}  // namespace

PlannedAccesses PlanAccesses(const Event& event, const Plan& plan) {
  PlannedAccesses planned;
  if (event.order == nullptr) return planned;
  for (const auto& storage : plan.told) {
    storage->users.Put(event.order->chain, event.order->place);
  }
  planned.is_ordered = !event.order->is_unsettled && !event.context->order.has_unseen_order;
  if (!planned.is_ordered && plan.shared.empty()) return planned;
  planned.order = event.order;
  planned.on = event.queue.get();
  if (!planned.is_ordered) return planned;
  for (const Reached& each : ReachedBy(plan)) {
    for (const ActiveMapping& mapping : each.storage->mapped) {
      planned.mapped.emplace_back(each.storage.get(), mapping);
    }
  }
  return planned;
}

bool NeedsAccesses(const Plan& plan, const PlannedAccesses& planned) {
  if (planned.order == nullptr) return false;
  if (!planned.mapped.empty() || !plan.shared.empty()) return true;
  // The context may have got a second queue since this kernel was enqueued.
  return planned.on->context->order.NeedsRecords();
}

// An access to shared virtual memory that the kernel was not told of.
bool IsUntold(const Plan& plan, const Storage& storage) {
  return storage.IsShared() && std::ranges::none_of(plan.told, [&storage](const auto& told) {
           return told.get() == &storage;
         });
}

// Why it must not access it.
std::string DescribeUntold(const Plan& plan, const Queue& on, const Storage& storage) {
  const auto shared = std::ranges::find_if(
      plan.shared, [&](const SvmAllocation& each) { return each.storage.get() == &storage; });
  if (shared != plan.shared.end() && !IsFor(*shared, on.device.get()))
    return "which belongs to another device than that of the queue";
  if (storage.name().starts_with("buffer"))
    return "which is neither an argument nor in CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT";
  if (shared == plan.shared.end() || !shared->is_usm)
    return "which is neither an argument nor one of CL_KERNEL_EXEC_INFO_SVM_PTRS";
  return fmt::format(
      "which is neither an argument nor one of CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, and "
      "CL_KERNEL_EXEC_INFO_INDIRECT_{}_ACCESS_INTEL is not set",
      shared->type == kHostSvm     ? "HOST"
      : shared->type == kDeviceSvm ? "DEVICE"
                                   : "SHARED");
}

void CheckKernelAccesses(const Plan& plan, const PlannedAccesses& planned,
                         std::span<const interp::AccessedBytes> accessed) {
  if (accessed.empty()) return;
  const auto reached = ReachedBy(plan);
  std::map<Key, ByteRuns> runs;
  std::map<const Storage*, std::shared_ptr<Storage>> storages;
  for (const interp::AccessedBytes& bytes : accessed) {
    for (const Reached& each : reached) {
      const Storage& storage = *each.storage;
      const std::uint64_t offset = bytes.address - storage.address();
      if (storage.address() == 0 || bytes.address < storage.address() || offset >= storage.size()) {
        continue;
      }
      storages.emplace(&storage, each.storage);
      runs[{&storage, ObjectAt(reached, &storage, offset), bytes.writes}].emplace_back(
          offset, std::min(offset + bytes.bytes, storage.size()));
      break;
    }
  }
  const std::lock_guard lock(Driver::Get().mutex);
  const auto by =
      std::make_shared<const Accessor>(Accessor{plan.call, planned.on->Name(), plan.stack});
  for (auto& [key, list] : runs) {
    const auto& [storage, object, writes] = key;
    Normalize(&list);
    if (IsUntold(plan, *storage)) {
      TellMisuse(plan.call, interp::Rule::kHostSvmAccess,
                 fmt::format("kernel '{}' {} byte {} of {}, {}", plan.request.kernel,
                             writes ? "writes" : "reads", list.front().first, storage->name(),
                             DescribeUntold(plan, *planned.on, *storage)),
                 {}, &plan.stack);
    }
    if (!planned.is_ordered) continue;
    KernelAccess access{
        .access = {.storage = storages[storage], .object = object, .writes = writes}};
    access.access.bytes = LinearBytes(list.front().first, list.back().second - list.front().first);
    access.runs = std::make_shared<const ByteRuns>(std::move(list));
    CheckKernelAccess(plan.call, by, planned.order, access, planned.mapped);
  }
}

}  // namespace assay::driver
