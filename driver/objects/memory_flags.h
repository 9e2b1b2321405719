// Flags of memory objects, and the storage that they ask for (OpenCL API, 5.2.1, table "Memory
// Flags").
#pragma once

#include <cstdint>
#include <utility>

#include "driver/core/error.h"
#include "driver/objects/memory.h"

namespace assay::driver {

// CL_DEVICE_MAX_MEM_ALLOC_SIZE.
std::uint64_t MaxAllocation();

// The flags with CL_MEM_READ_WRITE where they name no access; throws CL_INVALID_VALUE for flags
// that exclude each other, and CL_INVALID_HOST_PTR where host_ptr does not go with them.
cl_mem_flags CheckMemoryFlags(cl_mem_flags flags, const void* host_ptr);
// Those of a sub-buffer, or of an image that shares the bytes of another object, with what it has
// from that object.
cl_mem_flags CheckSubBufferFlags(cl_mem_flags flags, cl_mem_flags parent);

// Bytes for a new memory object by its flags: the host's, a copy of them, or undefined ones.
void GiveStorage(Memory* memory, void* host_ptr);

// For a new buffer whose kernels have the address that the application is told: the same for both.
// Throws CL_MEM_OBJECT_ALLOCATION_FAILURE for host memory that is no shared virtual memory.
void GiveAddressedStorage(Memory* memory, void* host_ptr);

// Whether its host_ptr is shared virtual memory.
bool UsesSvm(const Memory& memory);

// An object under construction, which ends with an exception.
template <typename T>
struct NewObject {
  template <typename... Args>
  explicit NewObject(Args&&... args) : object(new T(std::forward<Args>(args)...)) {}
  NewObject(const NewObject&) = delete;
  ~NewObject() {
    if (object != nullptr) object->Release();
  }
  T* operator->() const { return object; }
  T* Keep() { return std::exchange(object, nullptr); }
  T* object;
};

}  // namespace assay::driver
