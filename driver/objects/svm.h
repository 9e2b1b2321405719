// Shared virtual memory (OpenCL API, 5.6).
#pragma once

#include <cstdint>
#include <memory>

#include "driver/objects/context.h"
#include "driver/objects/storage.h"

namespace assay::driver {

// Bytes of an allocation.
struct SvmRange {
  SvmAllocation* allocation = nullptr;  // null: the pointer is not into shared virtual memory
  std::shared_ptr<Storage> storage;
  std::uint64_t offset = 0;  // of the pointer

  explicit operator bool() const { return allocation != nullptr; }
  std::uint64_t left() const { return storage->size() - offset; }  // bytes from the pointer on
  std::byte* bytes() const { return storage->bytes() + offset; }   // where the driver has them
};

// With the lock held.  The end of an allocation is in it, so that it may be given, but not read.
SvmRange FindSvm(Context* context, const void* pointer);

// The same, for `size` bytes that a command uses.  Throws CL_INVALID_VALUE where the range begins
// in an allocation and ends behind it.
SvmRange FindSvmRange(Context* context, const void* pointer, std::uint64_t size);

// Whether the pointer is into an allocation that was freed, where there is no other one now.
bool IsFreedSvm(const Context& context, const void* pointer);

// For a pointer that a command is given: tells of one of another context than that of the queue.
// Throws CL_INVALID_VALUE for one into memory that was freed.
void CheckSvmPointer(const char* call, const Context& context, const void* pointer);

// Throws what clSVMAlloc tells as null.
void* AllocateSvm(Context* context, cl_svm_mem_flags flags, std::uint64_t size,
                  std::uint64_t alignment);
// An allocation like this one, of that many bytes; null if the size is 0.
void* AllocateSvm(Context* context, SvmAllocation how, std::uint64_t size, std::uint64_t alignment);
// Whether the host has it only while it is mapped, or never.
inline bool IsCoarse(const SvmAllocation& allocation) {
  return (allocation.flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) == 0;
}
// A device that may use it; null: each of the context's.
bool IsFor(const SvmAllocation& allocation, const Device* device);
// Throws CL_INVALID_VALUE for what clSVMAlloc did not return.  `call`: clEnqueueSVMFree, or one
// that the host makes; clMem* free USM, and others do not.
void FreeSvm(const char* call, Context* context, void* pointer);

}  // namespace assay::driver
