#include "driver/objects/svm.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <string_view>
#include <utility>

#include "driver/core/call.h"
#include "driver/objects/memory_flags.h"
#include "driver/objects/newer.h"
#include "driver/objects/unified_svm.h"
#include "driver/report/frames.h"
#include "driver/report/log.h"

namespace assay::driver {

SvmRange FindSvm(Context* context, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto after = context->svm.upper_bound(address);
  if (after == context->svm.begin()) return {};
  auto& [begin, allocation] = *std::prev(after);
  if (address - begin > allocation.storage->size()) return {};
  return {&allocation, allocation.storage, address - begin};
}

namespace {

// Places of the process's address space where shared virtual memory is.
bool IsInSharedPlaces(std::uintptr_t address) {
  constexpr interp::AddressLayout kLayout = interp::kLayoutShared;
  const std::uint64_t place = address >> kLayout.place_bits;
  return place >= kLayout.given_begin && place < kLayout.given_end;
}

// The name of what was there and was freed; null if nothing was.
const std::string* FreedAt(const Context& context, std::uintptr_t address) {
  const auto after = context.freed_svm.upper_bound(address);
  if (after == context.freed_svm.begin()) return nullptr;
  const Context::FreedSvm& freed = std::prev(after)->second;
  return address < freed.end ? &freed.name : nullptr;
}

// The last ones are remembered.
void RememberFreed(Context* context, std::uintptr_t begin, const Storage& storage) {
  constexpr std::size_t kMost = 1024;
  if (context->freed_svm.size() == kMost) context->freed_svm.erase(context->freed_svm.begin());
  context->freed_svm[begin] = {begin + storage.size(), storage.name()};
}

// "shared virtual memory", "device allocation"
std::string_view NounOf(const SvmAllocation& allocation) {
  if (!allocation.is_usm) return "shared virtual memory";
  return allocation.type == kDeviceSvm ? "device allocation"
         : allocation.type == kHostSvm ? "host allocation"
                                       : "shared allocation";
}

// Whatever is there now is something else.
void ForgetFreed(Context* context, std::uintptr_t begin, std::uint64_t size) {
  // These ranges do not overlap each other.
  auto& freed = context->freed_svm;
  auto at = freed.upper_bound(begin);
  if (at != freed.begin() && begin < std::prev(at)->second.end) --at;
  while (at != freed.end() && at->first < begin + size) at = freed.erase(at);
}

}  // namespace

bool IsFreedSvm(const Context& context, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return IsInSharedPlaces(address) && FreedAt(context, address) != nullptr;
}

void CheckSvmPointer(const char* call, const Context& context, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!IsInSharedPlaces(address)) return;
  if (IsFreedSvm(context, pointer)) {
    RefuseAs(interp::Rule::kHostSvmFreed, CL_INVALID_VALUE,
             fmt::format("{} is in {}, which was freed", pointer, *FreedAt(context, address)));
  }
  const Context* other = nullptr;
  std::string name;
  Driver::Get().handles.ForEachOf(Kind::kContext, [&](const Object& object) {
    if (&object == &context) return;
    const auto& each = static_cast<const Context&>(object);
    const auto after = each.svm.upper_bound(address);
    if (after == each.svm.begin()) return;
    const auto& [begin, allocation] = *std::prev(after);
    if (address - begin >= allocation.storage->size()) return;
    other = &each;
    name = allocation.storage->name();
  });
  if (other == nullptr) return;
  TellMisuse(call, interp::Rule::kHostSvmContext,
             fmt::format("{} is in {} of {}, and the queue is of {}", pointer, name, other->Name(),
                         context.Name()));
}

SvmRange FindSvmRange(Context* context, const void* pointer, std::uint64_t size) {
  SvmRange range = FindSvm(context, pointer);
  if (range && range.left() < size) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("{} bytes from byte {} of {} on are more than its {} bytes", size,
                       range.offset, range.storage->name(), range.storage->size()));
  }
  return range;
}

void* AllocateSvm(Context* context, cl_svm_mem_flags flags, std::uint64_t size,
                  std::uint64_t alignment) {
  constexpr cl_svm_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  constexpr cl_svm_mem_flags kKnown = kAccess | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
  if ((flags & ~kKnown) != 0) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("{:#x} are no flags of shared virtual memory", flags & ~kKnown));
  }
  RefuseIf(std::popcount(flags & kAccess) > 1, CL_INVALID_VALUE,
           "CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY exclude each other");
  const bool is_fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  RefuseIf(!is_fine && (flags & CL_MEM_SVM_ATOMICS) != 0, CL_INVALID_VALUE,
           "CL_MEM_SVM_ATOMICS needs CL_MEM_SVM_FINE_GRAIN_BUFFER");
  const cl_uint type = !is_fine                            ? kCoarseSvm
                       : (flags & CL_MEM_SVM_ATOMICS) != 0 ? kAtomicSvm
                                                           : kFineSvm;
  return AllocateSvm(context, {.storage = nullptr, .flags = flags, .type = type}, size, alignment);
}

void* AllocateSvm(Context* context, SvmAllocation how, std::uint64_t size,
                  std::uint64_t alignment) {
  if (size > MaxAllocation()) {
    Refuse(CL_OUT_OF_RESOURCES,
           fmt::format("the size is {}, and CL_DEVICE_MAX_MEM_ALLOC_SIZE is {}", size,
                       MaxAllocation()));
  }
  RefuseIf(
      alignment != 0 && (!std::has_single_bit(alignment) || alignment > interp::kBufferAlignment),
      CL_INVALID_VALUE, "the alignment is no power of two up to the size of long16, 128");
  if (size == 0) return nullptr;  // no error (cl_khr_unified_svm)
  if (alignment == 0) alignment = interp::kBufferAlignment;
  static std::uint64_t count = 0;
  const bool is_hidden = how.type == kDeviceSvm && Log::Get().IsOn();
  how.storage = Storage::MakeShared(context, size, alignment,
                                    fmt::format("{} {}", NounOf(how), ++count), is_hidden);
  RefuseIf(how.storage == nullptr, CL_OUT_OF_RESOURCES,
           "no address is left that the host and kernels can share");
  // The host writes to a coarse-grained allocation while it is mapped, to a fine-grained one at any
  // time.
  if (IsCoarse(how)) {
    how.storage->MakeUndefined();
  } else {
    how.storage->LetHostWrite();
  }
  if (Log::Get().IsOn()) how.created = std::make_shared<const CallStack>(CaptureStack());
  context->order.has_unseen_order |= (how.flags & CL_MEM_SVM_ATOMICS) != 0;
  void* pointer = how.storage->shared();
  ForgetFreed(context, reinterpret_cast<std::uintptr_t>(pointer), size);
  context->svm.emplace(reinterpret_cast<std::uintptr_t>(pointer), std::move(how));
  return pointer;
}

bool IsFor(const SvmAllocation& allocation, const Device* device) {
  if (!allocation.device || (SvmTypes()[allocation.type] & kSvmContextAccess) != 0) return true;
  // CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
  if (allocation.is_usm && allocation.type == kSharedSvm) return true;
  // A part of the device may use what is the device's.
  for (const Device* at = device; at != nullptr; at = at->parent.get()) {
    if (allocation.device.get() == at) return true;
  }
  return false;
}

namespace {

// Of a pointer at which no allocation begins.
[[noreturn]] void RefuseFree(Context* context, const void* pointer, bool frees_usm) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (const std::string* freed = FreedAt(*context, address)) {
    RefuseAs(frees_usm ? interp::Rule::kHostUsmFree : interp::Rule::kHostSvmFreed, CL_INVALID_VALUE,
             fmt::format("{}, {}, was freed before", pointer, *freed));
  }
  const std::string where =
      fmt::format("{} is nothing that {} returned for {}", pointer,
                  frees_usm ? "an allocation of USM" : "clSVMAlloc", context->Name());
  if (!frees_usm) Refuse(CL_INVALID_VALUE, where);
  const SvmRange range = FindSvm(context, pointer);
  RefuseAs(interp::Rule::kHostUsmFree, CL_INVALID_VALUE,
           range && range.left() != 0 ? fmt::format("{} is byte {} of {}, and not its first one",
                                                    pointer, range.offset, range.storage->name())
                                      : where);
}

}  // namespace

void FreeSvm(const char* call, Context* context, void* pointer) {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto found = context->svm.find(address);
  const bool frees_usm = std::string_view(call).starts_with("clMem");
  if (found == context->svm.end()) RefuseFree(context, pointer, frees_usm);
  const Storage& storage = *found->second.storage;
  if (found->second.is_usm != frees_usm) {
    RefuseAs(interp::Rule::kHostUsmKind, CL_INVALID_VALUE,
             fmt::format("{} is the pointer of {}, which {} frees", pointer, storage.name(),
                         frees_usm ? "clSVMFree" : "clMemFreeINTEL"));
  }
  // A command that frees it is ordered by its queue; and a call that has waited comes before what
  // other threads have enqueued meanwhile.
  const bool waits = std::string_view(call) == "clEnqueueSVMFree" ||
                     std::string_view(call) == "clMemBlockingFreeINTEL";
  if (!waits && !context->order.has_unseen_order && !context->order.HasSeen(storage.users)) {
    TellMisuse(call, interp::Rule::kHostSvmFreed,
               fmt::format("{} is freed, and the end of a command that uses it was not waited for",
                           storage.name()));
  }
  RememberFreed(context, address, storage);
  context->svm.erase(found);
}

}  // namespace assay::driver
