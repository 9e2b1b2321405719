#include "driver/objects/svm.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "driver/core/error.h"
#include "driver/objects/memory_flags.h"

namespace assay::driver {

SvmRange FindSvm(Context* context, const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto after = context->svm.upper_bound(address);
  if (after == context->svm.begin()) return {};
  auto& [begin, allocation] = *std::prev(after);
  if (address - begin > allocation.storage->size()) return {};
  return {&allocation, allocation.storage, address - begin};
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
  if (size == 0 || size > MaxAllocation()) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("the size is {}; it is 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, {}", size,
                       MaxAllocation()));
  }
  RefuseIf(
      alignment != 0 && (!std::has_single_bit(alignment) || alignment > interp::kBufferAlignment),
      CL_INVALID_VALUE, "the alignment is no power of two up to the size of long16, 128");
  if (alignment == 0) alignment = interp::kBufferAlignment;
  static std::uint64_t count = 0;
  auto storage = Storage::MakeShared(context, size, alignment,
                                     fmt::format("shared virtual memory {}", ++count));
  RefuseIf(storage == nullptr, CL_OUT_OF_RESOURCES,
           "no address is left that the host and kernels can share");
  // The host writes to a coarse-grained allocation while it is mapped, to a fine-grained one at any
  // time.
  if (!is_fine) storage->MakeUndefined();
  void* pointer = storage->bytes();
  context->svm.emplace(reinterpret_cast<std::uintptr_t>(pointer),
                       SvmAllocation{std::move(storage), flags, {}});
  return pointer;
}

void FreeSvm(Context* context, void* pointer) {
  if (pointer == nullptr) return;
  if (context->svm.erase(reinterpret_cast<std::uintptr_t>(pointer)) == 0) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("{} is nothing that clSVMAlloc returned for {}, or was freed before",
                       pointer, context->Name()));
  }
}

}  // namespace assay::driver
