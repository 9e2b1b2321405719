// Shared virtual memory (OpenCL API, 5.6).
//
// The host and kernels have the same bytes at the same addresses, so mapping and migrating move
// nothing.  They say which bytes the host has written.
#include "driver/objects/svm.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "driver/api/entries.h"
#include "driver/api/svm_commands.h"
#include "driver/objects/queue.h"
#include "driver/objects/unified_svm.h"

namespace assay::driver::api {

namespace {

using FreeFunction = void(CL_CALLBACK*)(cl_command_queue, cl_uint, void**, void*);

// cl_khr_unified_svm: types that the host never maps.
void CheckMaps(const SvmRange& range) {
  if (!range || (SvmTypes()[range.allocation->type] & kSvmHostMap) != 0) return;
  if (range.allocation->is_usm) {
    RefuseAs(interp::Rule::kHostUsmKind, CL_INVALID_VALUE,
             fmt::format("{} is nothing that clSVMAlloc returned", range.storage->name()));
  }
  Refuse(CL_INVALID_VALUE, fmt::format("{} is of a type without CL_SVM_CAPABILITY_HOST_MAP_KHR",
                                       range.storage->name()));
}

void* CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                             cl_uint alignment) {
  return Create<void*>("clSVMAlloc", nullptr, [&](Call& call) {
    return AllocateSvm(&call.Find<Context>(context), flags, size, alignment);
  });
}

void CL_API_CALL clSVMFree(cl_context context, void* pointer) {
  Enter("clSVMFree",
        [&](Call& call) { FreeSvm(call.name(), &call.Find<Context>(context), pointer); });
}

cl_int CL_API_CALL clEnqueueSVMFree(cl_command_queue queue, cl_uint num_pointers, void* pointers[],
                                    FreeFunction free_function, void* user_data, cl_uint count,
                                    const cl_event* list, cl_event* event) {
  return Enter("clEnqueueSVMFree", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf((num_pointers == 0) != (pointers == nullptr), CL_INVALID_VALUE,
             "svm_pointers and num_svm_pointers do not go together");
    Context* context = on.context.get();
    std::vector<void*> all(pointers, pointers + num_pointers);
    for (void* pointer : all) {
      if (free_function != nullptr || pointer == nullptr) continue;
      RefuseIf(!context->svm.contains(reinterpret_cast<std::uintptr_t>(pointer)), CL_INVALID_VALUE,
               "a pointer is none that clSVMAlloc returned, and there is no function to free it");
    }
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_SVM_FREE,
                   .uses = {context},
                   .work = [=, all = std::move(all)]() mutable -> cl_int {
                     if (free_function != nullptr) {
                       free_function(queue, num_pointers, all.data(), user_data);
                       return CL_SUCCESS;
                     }
                     return Enter("clEnqueueSVMFree", [&](Call& call) {
                       for (void* pointer : all) FreeSvm(call.name(), context, pointer);
                     });
                   }});
  });
}

cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void* to,
                                      const void* from, size_t size, cl_uint count,
                                      const cl_event* list, cl_event* event) {
  return Enter("clEnqueueSVMMemcpy", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(size != 0 && (to == nullptr || from == nullptr), CL_INVALID_VALUE,
             "dst_ptr or src_ptr is null");
    return EnqueueSvmCopy(&call, &on, CL_COMMAND_SVM_MEMCPY, blocking, to, from, size,
                          {count, list, event});
  });
}

cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void* to, const void* pattern,
                                       size_t pattern_size, size_t size, cl_uint count,
                                       const cl_event* list, cl_event* event) {
  return Enter("clEnqueueSVMMemFill", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf((to == nullptr && size != 0) || pattern == nullptr, CL_INVALID_VALUE,
             "svm_ptr or pattern is null");
    return EnqueueSvmFill(&call, &on, CL_COMMAND_SVM_MEMFILL, to, pattern, pattern_size, size,
                          {count, list, event});
  });
}

cl_int CL_API_CALL clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags,
                                   void* pointer, size_t size, cl_uint count, const cl_event* list,
                                   cl_event* event) {
  return Enter("clEnqueueSVMMap", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(pointer == nullptr, CL_INVALID_VALUE, "svm_ptr is null");
    RefuseIf(size == 0, CL_INVALID_VALUE, "size is 0");
    constexpr cl_map_flags kKnown = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    RefuseIf((flags & ~kKnown) != 0, CL_INVALID_VALUE, "map_flags has bits that the API does not");
    RefuseIf((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
                 (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0,
             CL_INVALID_VALUE,
             "CL_MAP_WRITE_INVALIDATE_REGION excludes CL_MAP_READ and CL_MAP_WRITE");
    CheckWaits(&call, *on.context, {count, list, event});
    CheckSvmPointer(call.name(), *on.context, pointer);
    // A blocking call gives up the lock, and the application may unmap before it returns.
    const SvmRange range = FindSvmRange(on.context.get(), pointer, size);
    CheckMaps(range);
    Submission submission{
        .type = CL_COMMAND_SVM_MAP, .is_blocking = blocking != CL_FALSE, .uses = {on.context}};
    if (range) range.allocation->mappings.push_back({pointer, size, flags});
    // Fine-grained memory belongs to the host and the device at any time.
    if (range && IsCoarse(*range.allocation)) {
      constexpr cl_map_flags kWrite = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
      const bool reads = (flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0;
      if (reads) AddSvmAccess(range, size, false, &submission.accesses);
      range.storage->mapped.push_back({.name = range.storage->name(),
                                       .is_svm = true,
                                       .pointer = pointer,
                                       .begin = range.offset,
                                       .end = range.offset + size,
                                       .writes = (flags & kWrite) != 0});
    }
    return Submit(&call, &on, {count, list, event}, std::move(submission));
  });
}

cl_int CL_API_CALL clEnqueueSVMUnmap(cl_command_queue queue, void* pointer, cl_uint count,
                                     const cl_event* list, cl_event* event) {
  return Enter("clEnqueueSVMUnmap", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(pointer == nullptr, CL_INVALID_VALUE, "svm_ptr is null");
    CheckWaits(&call, *on.context, {count, list, event});
    CheckSvmPointer(call.name(), *on.context, pointer);
    const SvmRange range = FindSvm(on.context.get(), pointer);
    CheckMaps(range);
    Submission submission{.type = CL_COMMAND_SVM_UNMAP, .uses = {on.context}};
    if (range) {
      auto& mappings = range.allocation->mappings;
      const auto mapping = std::ranges::find(mappings, pointer, &SvmMapping::pointer);
      RefuseIf(mapping == mappings.end(), CL_INVALID_VALUE,
               "svm_ptr is nothing that clEnqueueSVMMap was given, or was unmapped before");
      constexpr cl_map_flags kWrite = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
      if (IsCoarse(*range.allocation)) {
        std::erase_if(range.storage->mapped, [pointer, erased = false](const auto& other) mutable {
          return !erased && other.is_svm && other.pointer == pointer && (erased = true);
        });
        if ((mapping->flags & kWrite) != 0)
          AddSvmAccess(range, mapping->size, true, &submission.accesses);
      }
      if ((mapping->flags & kWrite) != 0) {
        submission.work = [storage = range.storage, offset = range.offset,
                           size = mapping->size]() -> cl_int {
          storage->Define(offset, size);
          return CL_SUCCESS;
        };
      }
      mappings.erase(mapping);
    }
    return Submit(&call, &on, {count, list, event}, std::move(submission));
  });
}

cl_int CL_API_CALL clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint num_pointers,
                                          const void** pointers, const size_t* sizes,
                                          cl_mem_migration_flags flags, cl_uint count,
                                          const cl_event* list, cl_event* event) {
  return Enter("clEnqueueSVMMigrateMem", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(num_pointers == 0 || pointers == nullptr, CL_INVALID_VALUE, "there are no pointers");
    constexpr cl_mem_migration_flags kKnown =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    RefuseIf((flags & ~kKnown) != 0, CL_INVALID_VALUE, "flags has bits that the API does not");
    for (cl_uint i = 0; i < num_pointers; ++i) {
      const std::uint64_t size = sizes == nullptr ? 0 : sizes[i];
      if (pointers[i] == nullptr && size == 0) continue;
      const SvmRange range = FindSvmRange(on.context.get(), pointers[i], size);
      if (!range || range.left() == 0) {
        Refuse(CL_INVALID_VALUE,
               fmt::format("svm_pointers[{}] is in no allocation of clSVMAlloc", i));
      }
    }
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_SVM_MIGRATE_MEM, .uses = {on.context}});
  });
}

}  // namespace

void AddSvm(Entries* entries) {
  ASSAY_ENTRY(clSVMAlloc);
  ASSAY_ENTRY(clSVMFree);
  ASSAY_ENTRY(clEnqueueSVMFree);
  ASSAY_ENTRY(clEnqueueSVMMemcpy);
  ASSAY_ENTRY(clEnqueueSVMMemFill);
  ASSAY_ENTRY(clEnqueueSVMMap);
  ASSAY_ENTRY(clEnqueueSVMUnmap);
  ASSAY_ENTRY(clEnqueueSVMMigrateMem);
}

cl_int EnqueueSvmCopy(Call* call, Queue* on, cl_command_type type, cl_bool blocking, void* to,
                      const void* from, std::size_t size, const Waits& waits) {
  if (size == 0) {
    return Submit(call, on, waits, {.type = type, .is_blocking = blocking != CL_FALSE});
  }
  const auto target = reinterpret_cast<std::uintptr_t>(to);
  const auto source = reinterpret_cast<std::uintptr_t>(from);
  if (target < source + size && source < target + size) {
    RefuseAs(interp::Rule::kHostOverlappingCopy, CL_MEM_COPY_OVERLAP,
             "the source and the target overlap");
  }
  CheckSvmPointer(call->name(), *on->context, to);
  CheckSvmPointer(call->name(), *on->context, from);
  const SvmRange target_range = FindSvmRange(on->context.get(), to, size);
  const SvmRange source_range = FindSvmRange(on->context.get(), from, size);
  std::vector<MemoryAccess> accesses;
  AddSvmAccess(source_range, size, false, &accesses);
  AddSvmAccess(target_range, size, true, &accesses);
  return Submit(call, on, waits,
                {.type = type,
                 .is_blocking = blocking != CL_FALSE,
                 .uses = {on->context},
                 .accesses = std::move(accesses),
                 .work = [=]() -> cl_int {
                   std::memcpy(target_range ? target_range.bytes() : to,
                               source_range ? source_range.bytes() : from, size);
                   if (target_range && source_range) {
                     target_range.storage->CopyUndefined(target_range.offset, *source_range.storage,
                                                         source_range.offset, size);
                   } else if (target_range) {
                     target_range.storage->Define(target_range.offset, size);
                   }
                   return CL_SUCCESS;
                 }});
}

cl_int EnqueueSvmFill(Call* call, Queue* on, cl_command_type type, void* to, const void* pattern,
                      std::size_t pattern_size, std::size_t size, const Waits& waits) {
  RefuseIf(!std::has_single_bit(pattern_size) || pattern_size > 128, CL_INVALID_VALUE,
           "pattern_size is none of 1, 2, 4, 8, 16, 32, 64 and 128");
  RefuseIf(reinterpret_cast<std::uintptr_t>(to) % pattern_size != 0 || size % pattern_size != 0,
           CL_INVALID_VALUE, "the pointer or size is no multiple of pattern_size");
  if (size == 0) return Submit(call, on, waits, {.type = type});
  CheckSvmPointer(call->name(), *on->context, to);
  const SvmRange range = FindSvmRange(on->context.get(), to, size);
  const auto* first = static_cast<const std::byte*>(pattern);
  std::vector<MemoryAccess> accesses;
  AddSvmAccess(range, size, true, &accesses);
  return Submit(
      call, on, waits,
      {.type = type,
       .uses = {on->context},
       .accesses = std::move(accesses),
       .work = [=, bytes = std::vector<std::byte>(first, first + pattern_size)]() -> cl_int {
         FillBytes({range ? range.bytes() : static_cast<std::byte*>(to), size}, bytes);
         if (range) range.storage->Define(range.offset, size);
         return CL_SUCCESS;
       }});
}

}  // namespace assay::driver::api
