#include "driver/objects/usm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "driver/objects/memory_flags.h"
#include "driver/objects/queue.h"
#include "driver/objects/scheduler.h"
#include "driver/objects/storage.h"
#include "driver/objects/svm.h"
#include "interp/program/memory.h"

namespace assay::driver {

namespace {

// The value of CL_MEM_ALLOC_FLAGS_INTEL; 0 where it is not given.
cl_mem_alloc_flags_intel ReadFlags(SvmType type, const cl_mem_properties_intel* list) {
  constexpr cl_mem_alloc_flags_intel kPlacement =
      CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
  cl_mem_alloc_flags_intel flags = 0;
  bool is_given = false;
  for (const auto* at = list; at != nullptr && *at != 0; at += 2) {
    if (at[0] != CL_MEM_ALLOC_FLAGS_INTEL) {
      Refuse(CL_INVALID_PROPERTY, fmt::format("{:#x} is no property of USM", at[0]));
    }
    RefuseIf(is_given, CL_INVALID_PROPERTY, "CL_MEM_ALLOC_FLAGS_INTEL is given twice");
    is_given = true;
    flags = at[1];
  }
  RefuseIf((flags & ~(CL_MEM_ALLOC_WRITE_COMBINED_INTEL | kPlacement)) != 0, CL_INVALID_PROPERTY,
           "CL_MEM_ALLOC_FLAGS_INTEL has bits that the extension does not");
  RefuseIf(type != kSharedSvm && (flags & kPlacement) != 0, CL_INVALID_PROPERTY,
           "CL_MEM_ALLOC_INITIAL_PLACEMENT_* are for shared allocations only");
  RefuseIf((flags & kPlacement) == kPlacement, CL_INVALID_PROPERTY,
           "CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL and _HOST_INTEL exclude each other");
  return flags;
}

cl_unified_shared_memory_type_intel TypeOf(const SvmAllocation* allocation) {
  if (allocation == nullptr) return CL_MEM_TYPE_UNKNOWN_INTEL;
  return allocation->type == kHostSvm     ? CL_MEM_TYPE_HOST_INTEL
         : allocation->type == kDeviceSvm ? CL_MEM_TYPE_DEVICE_INTEL
                                          : CL_MEM_TYPE_SHARED_INTEL;
}

}  // namespace

cl_bitfield UsmCapabilities(cl_device_info name) {
  constexpr cl_bitfield kOfDevice =
      CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
  switch (name) {
    case CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
      return 0;
    case CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL:
      return kOfDevice;
    default:
      return kOfDevice | CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
  }
}

void* AllocateUsm(Context* context, const UsmRequest& request) {
  RefuseIf(request.device != nullptr && !context->Has(request.device), CL_INVALID_DEVICE,
           "the device is not in the context");
  RefuseIf(request.alignment != 0 && (!std::has_single_bit(request.alignment) ||
                                      request.alignment > interp::kBufferAlignment),
           CL_INVALID_VALUE,
           "the alignment is no power of two up to 128, the size of the largest type, long16");
  const cl_mem_alloc_flags_intel flags = ReadFlags(request.type, request.list);
  if (request.size == 0 || request.size > MaxAllocation()) {
    Refuse(CL_INVALID_BUFFER_SIZE,
           fmt::format("the size is {}, and may be 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, {}",
                       request.size, MaxAllocation()));
  }
  return AllocateSvm(context,
                     {.storage = nullptr,
                      .flags = request.type == kDeviceSvm ? 0U : CL_MEM_SVM_FINE_GRAIN_BUFFER,
                      .type = request.type,
                      .device = request.device,
                      .is_usm = true,
                      .usm_flags = flags},
                     request.size, request.alignment);
}

void QueryUsm(const SvmAllocation* allocation, cl_mem_info_intel name, const Info& info) {
  switch (name) {
    case CL_MEM_ALLOC_TYPE_INTEL:
      return info.Put(TypeOf(allocation));
    case CL_MEM_ALLOC_BASE_PTR_INTEL:
      return info.Put<void*>(allocation == nullptr ? nullptr : allocation->storage->shared());
    case CL_MEM_ALLOC_SIZE_INTEL:
      return info.Put<std::size_t>(allocation == nullptr ? 0 : allocation->storage->size());
    case CL_MEM_ALLOC_DEVICE_INTEL:
      return info.Put(
          ToApi<cl_device_id>(allocation == nullptr ? nullptr : allocation->device.get()));
    case CL_MEM_ALLOC_FLAGS_INTEL:
      return info.Put<cl_mem_alloc_flags_intel>(allocation == nullptr ? 0 : allocation->usm_flags);
    default:
      Info::Unknown();
  }
}

void WaitForUsers(Call* call, Context* context, const void* pointer) {
  const auto found = context->svm.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == context->svm.end()) return;
  const Clock users = found->second.storage->users;
  std::vector<Ref<Event>> events;
  Driver::Get().handles.ForEachOf(Kind::kQueue, [&](Object& object) {
    auto& queue = static_cast<Queue&>(object);
    if (queue.context.get() != context) return;
    for (Event* event : queue.pending) {
      // Without checks nobody knows what commands use.
      const bool may_use =
          event->order == nullptr || users.Has(event->order->chain, event->order->place);
      if (may_use) events.emplace_back(event);
    }
  });
  if (events.empty()) return context->order.Saw(users);
  for (const Ref<Event>& event : events) Driver::Get().scheduler->Flush(event->queue.get());
  Driver::Get().scheduler->RunUntil(&call->lock(), [&] {
    return std::ranges::all_of(events, [](const Ref<Event>& event) { return event->IsDone(); });
  });
  context->order.Saw(users);
}

}  // namespace assay::driver
