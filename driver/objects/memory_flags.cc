#include "driver/objects/memory_flags.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "driver/core/driver.h"
#include "driver/core/info.h"
#include "driver/objects/svm.h"
#include "driver/objects/unified_svm.h"

namespace assay::driver {

namespace {

constexpr cl_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags kHostPointer =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags kHostAccess =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

void CheckKnown(cl_mem_flags flags) {
  constexpr cl_mem_flags kKnown =
      kAccess | kHostPointer | kHostAccess | CL_MEM_KERNEL_READ_AND_WRITE;
  if ((flags & ~kKnown) != 0) {
    Refuse(CL_INVALID_VALUE, fmt::format("{:#x} are no flags of memory objects", flags & ~kKnown));
  }
}

void CheckExclusive(cl_mem_flags flags) {
  RefuseIf(std::popcount(flags & kAccess) > 1, CL_INVALID_VALUE,
           "CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY exclude each other");
  RefuseIf(
      std::popcount(flags & kHostAccess) > 1, CL_INVALID_VALUE,
      "CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY and CL_MEM_HOST_NO_ACCESS exclude each other");
}

}  // namespace

std::uint64_t MaxAllocation() {
  cl_ulong most = 0;
  QueryDevice(*Driver::Get().device, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
              Info(sizeof most, &most, nullptr));
  return most;
}

cl_mem_flags CheckMemoryFlags(cl_mem_flags flags, const void* host_ptr) {
  CheckKnown(flags);
  CheckExclusive(flags);
  RefuseIf((flags & CL_MEM_USE_HOST_PTR) != 0 &&
               (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0,
           CL_INVALID_VALUE,
           "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR");
  const bool needs_pointer = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  RefuseIf(needs_pointer && host_ptr == nullptr, CL_INVALID_HOST_PTR,
           "host_ptr is null with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR");
  RefuseIf(!needs_pointer && host_ptr != nullptr, CL_INVALID_HOST_PTR,
           "host_ptr is given without CL_MEM_USE_HOST_PTR and CL_MEM_COPY_HOST_PTR");
  return (flags & kAccess) == 0 ? flags | CL_MEM_READ_WRITE : flags;
}

cl_mem_flags CheckSubBufferFlags(cl_mem_flags flags, cl_mem_flags parent) {
  CheckKnown(flags);
  CheckExclusive(flags);
  RefuseIf((flags & kHostPointer) != 0, CL_INVALID_VALUE,
           "an object that shares the bytes of another one has its flags for host pointers, and is "
           "given none");
  RefuseIf(
      (parent & CL_MEM_WRITE_ONLY) != 0 && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0,
      CL_INVALID_VALUE, "the object whose bytes are shared is CL_MEM_WRITE_ONLY");
  RefuseIf(
      (parent & CL_MEM_READ_ONLY) != 0 && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0,
      CL_INVALID_VALUE, "the object whose bytes are shared is CL_MEM_READ_ONLY");
  RefuseIf((parent & CL_MEM_HOST_WRITE_ONLY) != 0 && (flags & CL_MEM_HOST_READ_ONLY) != 0,
           CL_INVALID_VALUE, "the object whose bytes are shared is CL_MEM_HOST_WRITE_ONLY");
  RefuseIf((parent & CL_MEM_HOST_READ_ONLY) != 0 && (flags & CL_MEM_HOST_WRITE_ONLY) != 0,
           CL_INVALID_VALUE, "the object whose bytes are shared is CL_MEM_HOST_READ_ONLY");
  RefuseIf((parent & CL_MEM_HOST_NO_ACCESS) != 0 &&
               (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0,
           CL_INVALID_VALUE, "the object whose bytes are shared is CL_MEM_HOST_NO_ACCESS");
  if ((flags & kAccess) == 0) flags |= parent & kAccess;
  if ((flags & kHostAccess) == 0) flags |= parent & kHostAccess;
  return flags | (parent & kHostPointer);
}

namespace {

// The first contents of new storage.
void Fill(Memory* memory, const void* host_ptr) {
  if ((memory->flags & CL_MEM_COPY_HOST_PTR) != 0) {
    std::memcpy(memory->storage->bytes(), host_ptr, memory->size);
  } else {
    memory->storage->MakeUndefined();
  }
}

}  // namespace

void GiveStorage(Memory* memory, void* host_ptr) {
  Context* context = memory->context.get();
  const SvmRange given = FindSvm(context, host_ptr);
  if (given && given.left() != 0 && given.allocation->type == kDeviceSvm) {
    Refuse(CL_INVALID_HOST_PTR, fmt::format("host_ptr is in {}, which only the device may access",
                                            given.storage->name()));
  }
  if ((memory->flags & CL_MEM_USE_HOST_PTR) != 0) {
    memory->host_ptr = host_ptr;
    // Shared virtual memory has its storage already, and kernels get the host's addresses.
    if (const SvmRange range = FindSvm(context, host_ptr); range && range.left() != 0) {
      if (memory->size > range.left()) {
        Refuse(CL_INVALID_BUFFER_SIZE,
               fmt::format("{} bytes are more than {} has from host_ptr on, {}", memory->size,
                           range.storage->name(), range.left()));
      }
      memory->storage = range.storage;
      memory->offset = range.offset;
      return;
    }
    memory->storage = std::make_shared<Storage>(
        context, std::span(static_cast<std::byte*>(host_ptr), memory->size), memory->Name());
    return;
  }
  memory->storage = std::make_shared<Storage>(context, memory->size, memory->Name());
  Fill(memory, host_ptr);
}

void GiveAddressedStorage(Memory* memory, void* host_ptr) {
  Context* context = memory->context.get();
  if ((memory->flags & CL_MEM_USE_HOST_PTR) != 0) {
    const SvmRange range = FindSvm(context, host_ptr);
    RefuseIf(!range || range.left() == 0, CL_MEM_OBJECT_ALLOCATION_FAILURE,
             "kernels cannot have host_ptr as an address: with CL_MEM_USE_HOST_PTR it comes from "
             "clSVMAlloc");
    GiveStorage(memory, host_ptr);
  } else {
    memory->storage =
        Storage::MakeShared(context, memory->size, interp::kBufferAlignment, memory->Name());
    RefuseIf(memory->storage == nullptr, CL_MEM_OBJECT_ALLOCATION_FAILURE,
             "no address is left that the host and kernels can share");
    Fill(memory, host_ptr);
  }
  context->addressed.insert(memory);
  memory->is_addressed = true;
}

bool UsesSvm(const Memory& memory) {
  if (memory.host_ptr == nullptr) return false;
  return memory.storage != nullptr && memory.storage->IsShared();
}

}  // namespace assay::driver
