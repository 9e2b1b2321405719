// Contexts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver/objects/accesses.h"
#include "driver/objects/order.h"
#include "driver/objects/platform.h"
#include "interp/program/memory.h"

namespace assay::driver {

class Storage;
class Queue;
class Memory;

// What clEnqueueSVMMap was given and clEnqueueSVMUnmap was not.
struct SvmMapping {
  void* pointer = nullptr;
  std::uint64_t size = 0;
  cl_map_flags flags = 0;
};

// An allocation of shared virtual memory (clSVMAlloc, clSVMAllocWithPropertiesKHR,
// clHostMemAllocINTEL and its like).
struct SvmAllocation {
  std::shared_ptr<Storage> storage;
  // Of clSVMAlloc; what means the same for the types of cl_khr_unified_svm.
  cl_svm_mem_flags flags = 0;
  std::vector<SvmMapping> mappings = {};
  cl_uint type = 0;                            // driver/objects/unified_svm.h
  std::vector<cl_properties> properties = {};  // as given, with the terminating zero
  cl_bitfield access_flags = 0;                // CL_SVM_ALLOC_ACCESS_FLAGS_KHR
  Ref<Device> device = {};                     // that it is associated with
  bool is_usm = false;                         // of cl_intel_unified_shared_memory
  cl_bitfield usm_flags = 0;                   // CL_MEM_ALLOC_FLAGS_INTEL
  // The calls that allocated it; null: nobody asks.
  std::shared_ptr<const CallStack> created = {};
};

class Context : public Object {
 public:
  static constexpr Kind kKind = Kind::kContext;
  Context(std::vector<Device*> of, std::vector<cl_context_properties> how);
  ~Context() override;

  bool Has(const Device* device) const;

  std::vector<Ref<Device>> devices;
  std::vector<cl_context_properties> properties;  // as given, with the terminating zero
  void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*) = nullptr;
  void* notify_data = nullptr;
  std::vector<std::function<void()>> destructors;  // the application's, the last one first

  // What kernels see.  Only the thread that executes a command may use it
  // (driver/objects/scheduler.h).
  std::shared_ptr<interp::Memory> memory;
  // Allocations of shared virtual memory, by address.  Guarded by the lock.
  std::map<std::uintptr_t, SvmAllocation> svm;
  // Buffers with an address that the application knows (cl_ext_buffer_device_address).
  std::set<const Memory*> addressed;
  // The default queue on each device; a queue leaves when it ends.
  std::map<const Device*, Queue*> default_queues;
  CommandOrder order;
  AccessHistory host_history;  // memory of the host that commands transfer
  // Storages with pages of their own, by address: the host has such an address by mapping only.
  // They may end after the context.
  using Owned = std::map<const std::byte*, const Storage*>;
  std::shared_ptr<Owned> owned = std::make_shared<Owned>();
  const Storage* FindOwned(const void* pointer) const;
  // Ranges that were shared virtual memory, the last ones, by where they begin.
  struct FreedSvm {
    std::uintptr_t end = 0;
    std::string name;
  };
  std::map<std::uintptr_t, FreedSvm> freed_svm;

 private:
  void TellLostSvm() const;
};

}  // namespace assay::driver
