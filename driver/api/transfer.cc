// Reading, writing, copying, filling and mapping buffers (OpenCL API, 5.2.2 to 5.2.4, 5.5.2).
#include <bit>
#include <cstring>

#include "driver/api/entries.h"
#include "driver/api/memory_checks.h"
#include "driver/objects/host_reads.h"
#include "driver/objects/memory.h"
#include "driver/objects/queue.h"
#include "driver/objects/rectangle.h"
#include "driver/objects/scheduler.h"

namespace assay::driver::api {

namespace {

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                       size_t offset, size_t size, void* ptr, cl_uint count,
                                       const cl_event* list, cl_event* event) {
  return Enter("clEnqueueReadBuffer", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindBuffer(&call, on, buffer);
    CheckRange(from, offset, size);
    RefuseIf(ptr == nullptr, CL_INVALID_VALUE, "ptr is null");
    CheckHostAccess(from, kNoRead);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_READ_BUFFER,
                   .is_blocking = blocking != CL_FALSE,
                   .uses = {&from},
                   .accesses = {ReadOf(from, offset, size)},
                   .host = HostBytesOf(ptr, size, true),
                   .work = [&from, offset, size, ptr, read = HostRead(call.name())]() -> cl_int {
                     read.Tell(from, LinearBytes(offset, size));
                     std::memmove(ptr, from.bytes() + offset, size);
                     return CL_SUCCESS;
                   }});
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t size, const void* ptr, cl_uint count,
                                        const cl_event* list, cl_event* event) {
  return Enter("clEnqueueWriteBuffer", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& to = FindBuffer(&call, on, buffer);
    CheckRange(to, offset, size);
    RefuseIf(ptr == nullptr, CL_INVALID_VALUE, "ptr is null");
    CheckHostAccess(to, kNoWrite);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_WRITE_BUFFER,
                   .is_blocking = blocking != CL_FALSE,
                   .uses = {&to},
                   .accesses = {WriteOf(to, offset, size)},
                   .host = HostBytesOf(ptr, size, false),
                   .work = [&to, offset, size, ptr]() -> cl_int {
                     std::memmove(to.bytes() + offset, ptr, size);
                     to.storage->Define(to.offset + offset, size);
                     return CL_SUCCESS;
                   }});
  });
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                       size_t from_offset, size_t to_offset, size_t size,
                                       cl_uint count, const cl_event* list, cl_event* event) {
  return Enter("clEnqueueCopyBuffer", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindBuffer(&call, on, source);
    auto& to = FindBuffer(&call, on, target);
    CheckRange(from, from_offset, size);
    CheckRange(to, to_offset, size);
    if (from.storage == to.storage) {
      const std::uint64_t a = from.offset + from_offset;
      const std::uint64_t b = to.offset + to_offset;
      if (a < b + size && b < a + size) {
        RefuseAs(interp::Rule::kHostOverlappingCopy, CL_MEM_COPY_OVERLAP,
                 "the source and the target overlap");
      }
    }
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_COPY_BUFFER,
                   .uses = {&from, &to},
                   .accesses = {ReadOf(from, from_offset, size), WriteOf(to, to_offset, size)},
                   .work = [&from, &to, from_offset, to_offset, size]() -> cl_int {
                     std::memmove(to.bytes() + to_offset, from.bytes() + from_offset, size);
                     to.storage->CopyUndefined(to.offset + to_offset, *from.storage,
                                               from.offset + from_offset, size);
                     return CL_SUCCESS;
                   }});
  });
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                       size_t pattern_size, size_t offset, size_t size,
                                       cl_uint count, const cl_event* list, cl_event* event) {
  return Enter("clEnqueueFillBuffer", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& to = FindBuffer(&call, on, buffer);
    CheckRange(to, offset, size);
    RefuseIf(pattern == nullptr, CL_INVALID_VALUE, "pattern is null");
    RefuseIf(!std::has_single_bit(pattern_size) || pattern_size > 128, CL_INVALID_VALUE,
             "pattern_size is none of 1, 2, 4, 8, 16, 32, 64 and 128");
    RefuseIf(offset % pattern_size != 0 || size % pattern_size != 0, CL_INVALID_VALUE,
             "offset or size is no multiple of pattern_size");
    std::vector<std::byte> bytes(static_cast<const std::byte*>(pattern),
                                 static_cast<const std::byte*>(pattern) + pattern_size);
    return Submit(&call, &on, {count, list, event},
                  {.type = CL_COMMAND_FILL_BUFFER,
                   .uses = {&to},
                   .accesses = {WriteOf(to, offset, size)},
                   .work = [&to, offset, size, bytes = std::move(bytes)]() -> cl_int {
                     FillBytes({to.bytes() + offset, size}, bytes);
                     to.storage->Define(to.offset + offset, size);
                     return CL_SUCCESS;
                   }});
  });
}

// --- rectangles -------------------------------------------------------------------------------

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t* buffer_origin, const size_t* host_origin,
                                           const size_t* region, size_t buffer_row,
                                           size_t buffer_slice, size_t host_row, size_t host_slice,
                                           void* ptr, cl_uint count, const cl_event* list,
                                           cl_event* event) {
  return Enter("clEnqueueReadBufferRect", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindBuffer(&call, on, buffer);
    RefuseIf(ptr == nullptr, CL_INVALID_VALUE, "ptr is null");
    const Rectangle source = MakeRectangle(buffer_origin, region, buffer_row, buffer_slice);
    const Rectangle target = MakeRectangle(host_origin, region, host_row, host_slice);
    CheckRange(from, source.begin, source.Extent());
    CheckHostAccess(from, kNoRead);
    return Submit(
        &call, &on, {count, list, event},
        {.type = CL_COMMAND_READ_BUFFER_RECT,
         .is_blocking = blocking != CL_FALSE,
         .uses = {&from},
         .accesses = {ReadOf(from, source)},
         .host = HostBytesOf(ptr, target, true),
         .work = [&from, source, target, ptr, read = HostRead(call.name())]() -> cl_int {
           read.Tell(from, source);
           ForEachRow(source, target, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
             std::memmove(static_cast<std::byte*>(ptr) + b, from.bytes() + a, bytes);
           });
           return CL_SUCCESS;
         }});
  });
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t* buffer_origin, const size_t* host_origin,
                                            const size_t* region, size_t buffer_row,
                                            size_t buffer_slice, size_t host_row, size_t host_slice,
                                            const void* ptr, cl_uint count, const cl_event* list,
                                            cl_event* event) {
  return Enter("clEnqueueWriteBufferRect", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& to = FindBuffer(&call, on, buffer);
    RefuseIf(ptr == nullptr, CL_INVALID_VALUE, "ptr is null");
    const Rectangle target = MakeRectangle(buffer_origin, region, buffer_row, buffer_slice);
    const Rectangle source = MakeRectangle(host_origin, region, host_row, host_slice);
    CheckRange(to, target.begin, target.Extent());
    CheckHostAccess(to, kNoWrite);
    return Submit(
        &call, &on, {count, list, event},
        {.type = CL_COMMAND_WRITE_BUFFER_RECT,
         .is_blocking = blocking != CL_FALSE,
         .uses = {&to},
         .accesses = {WriteOf(to, target)},
         .host = HostBytesOf(ptr, source, false),
         .work = [&to, source, target, ptr]() -> cl_int {
           ForEachRow(source, target, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
             std::memmove(to.bytes() + b, static_cast<const std::byte*>(ptr) + a, bytes);
             to.storage->Define(to.offset + b, bytes);
           });
           return CL_SUCCESS;
         }});
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source_buffer,
                                           cl_mem target_buffer, const size_t* source_origin,
                                           const size_t* target_origin, const size_t* region,
                                           size_t source_row, size_t source_slice,
                                           size_t target_row, size_t target_slice, cl_uint count,
                                           const cl_event* list, cl_event* event) {
  return Enter("clEnqueueCopyBufferRect", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& from = FindBuffer(&call, on, source_buffer);
    auto& to = FindBuffer(&call, on, target_buffer);
    const Rectangle source = MakeRectangle(source_origin, region, source_row, source_slice);
    const Rectangle target = MakeRectangle(target_origin, region, target_row, target_slice);
    CheckRange(from, source.begin, source.Extent());
    CheckRange(to, target.begin, target.Extent());
    if (&from == &to) {
      RefuseIf(source.row_pitch != target.row_pitch || source.slice_pitch != target.slice_pitch,
               CL_INVALID_VALUE, "the pitches differ, and source and target are one buffer");
    }
    if (from.storage == to.storage) {
      if (Overlap(source, from.offset, target, to.offset)) {
        RefuseAs(interp::Rule::kHostOverlappingCopy, CL_MEM_COPY_OVERLAP,
                 "the source and the target overlap");
      }
    }
    return Submit(
        &call, &on, {count, list, event},
        {.type = CL_COMMAND_COPY_BUFFER_RECT,
         .uses = {&from, &to},
         .accesses = {ReadOf(from, source), WriteOf(to, target)},
         .work = [&from, &to, source, target]() -> cl_int {
           ForEachRow(source, target, [&](std::uint64_t a, std::uint64_t b, std::uint64_t bytes) {
             std::memmove(to.bytes() + b, from.bytes() + a, bytes);
             to.storage->CopyUndefined(to.offset + b, *from.storage, from.offset + a, bytes);
           });
           return CL_SUCCESS;
         }});
  });
}

// --- mapping ----------------------------------------------------------------------------------

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                     const cl_event* list, cl_event* event, cl_int* errcode_ret) {
  return Create<void*>("clEnqueueMapBuffer", errcode_ret, [&](Call& call) -> void* {
    auto& on = FindHostQueue(&call, queue);
    auto& memory = FindBuffer(&call, on, buffer);
    CheckRange(memory, offset, size);
    RefuseIf(size == 0, CL_INVALID_VALUE, "size is 0");
    CheckMapFlags(memory, flags);
    CheckOverlapOfMappings(memory, flags, offset, size);
    void* pointer = memory.bytes() + offset;
    Submission submission{
        .type = CL_COMMAND_MAP_BUFFER, .is_blocking = blocking != CL_FALSE, .uses = {&memory}};
    if (ReadsToMap(flags)) submission.accesses = {ReadOf(memory, offset, size)};
    if (flags == CL_MAP_READ) {
      submission.work = [&memory, offset, size, read = HostRead(call.name())]() -> cl_int {
        read.Tell(memory, LinearBytes(offset, size));
        return CL_SUCCESS;
      };
    }
    const cl_int code = Submit(&call, &on, {count, list, event}, std::move(submission));
    if (code != CL_SUCCESS) Refuse(code, "the command, or one before it, failed");
    AddMapping(&memory, {.pointer = pointer, .flags = flags, .offset = offset, .size = size});
    return pointer;
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem handle, void* pointer,
                                           cl_uint count, const cl_event* list, cl_event* event) {
  return Enter("clEnqueueUnmapMemObject", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    auto& memory = call.Find<Memory>(handle);
    RefuseIf(memory.type == CL_MEM_OBJECT_PIPE, CL_INVALID_MEM_OBJECT, "a pipe is never mapped");
    RefuseIf(memory.context.get() != on.context.get(), CL_INVALID_CONTEXT,
             "the memory object and the queue are of different contexts");
    auto mapping = memory.mappings.begin();
    while (mapping != memory.mappings.end() && mapping->pointer != pointer) ++mapping;
    RefuseIf(mapping == memory.mappings.end(), CL_INVALID_VALUE,
             "mapped_ptr is nothing that clEnqueueMap* returned for this object");
    CheckWaits(&call, *on.context, {count, list, event});
    const Mapping ended = *mapping;
    EraseMapping(&memory, mapping);
    Submission submission{
        .type = CL_COMMAND_UNMAP_MEM_OBJECT,
        .uses = {&memory},
        .work = [&memory, ended]() -> cl_int { return EndMapping(&memory, ended); }};
    if ((ended.flags & kMapsForWriting) != 0) {
      submission.accesses = {ended.rectangle ? WriteOf(memory, *ended.rectangle)
                                             : WriteOf(memory, ended.offset, ended.size)};
    }
    submission.on_enqueued = [&memory](const Event* unmap) {
      memory.storage->has_unsettled_unmap |= unmap->order != nullptr && unmap->order->is_unsettled;
    };
    return Submit(&call, &on, {count, list, event}, std::move(submission));
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint num,
                                              const cl_mem* objects, cl_mem_migration_flags flags,
                                              cl_uint count, const cl_event* list,
                                              cl_event* event) {
  return Enter("clEnqueueMigrateMemObjects", [&](Call& call) {
    auto& on = FindHostQueue(&call, queue);
    RefuseIf(num == 0 || objects == nullptr, CL_INVALID_VALUE, "there are no memory objects");
    constexpr cl_mem_migration_flags kKnown =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    RefuseIf((flags & ~kKnown) != 0, CL_INVALID_VALUE, "flags has bits that the API does not");
    Submission submission{.type = CL_COMMAND_MIGRATE_MEM_OBJECTS};
    for (cl_uint i = 0; i < num; ++i) {
      auto& memory = call.Find<Memory>(objects[i]);
      RefuseIf(memory.context.get() != on.context.get(), CL_INVALID_CONTEXT,
               "a memory object is of another context");
      submission.uses.emplace_back(&memory);
    }
    return Submit(&call, &on, {count, list, event}, std::move(submission));
  });
}

}  // namespace

void AddTransfer(Entries* entries) {
  ASSAY_ENTRY(clEnqueueReadBuffer);
  ASSAY_ENTRY(clEnqueueWriteBuffer);
  ASSAY_ENTRY(clEnqueueCopyBuffer);
  ASSAY_ENTRY(clEnqueueFillBuffer);
  ASSAY_ENTRY(clEnqueueReadBufferRect);
  ASSAY_ENTRY(clEnqueueWriteBufferRect);
  ASSAY_ENTRY(clEnqueueCopyBufferRect);
  ASSAY_ENTRY(clEnqueueMapBuffer);
  ASSAY_ENTRY(clEnqueueUnmapMemObject);
  ASSAY_ENTRY(clEnqueueMigrateMemObjects);
}

}  // namespace assay::driver::api
