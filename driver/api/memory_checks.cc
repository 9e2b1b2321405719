#include "driver/api/memory_checks.h"

#include <fmt/format.h>

namespace assay::driver::api {

namespace {

void CheckContext(const Memory& memory, const Queue& queue) {
  if (memory.context.get() == queue.context.get()) return;
  Refuse(CL_INVALID_CONTEXT,
         fmt::format("{} and {} are of different contexts", memory.Name(), queue.Name()));
}

}  // namespace

Memory& FindBuffer(Call* call, const Queue& queue, cl_mem handle) {
  auto& memory = call->Find<Memory>(handle);
  if (!memory.IsBuffer())
    Refuse(CL_INVALID_MEM_OBJECT, fmt::format("{} is no buffer", memory.Name()));
  CheckContext(memory, queue);
  return memory;
}

Memory& FindImage(Call* call, const Queue& queue, cl_mem handle) {
  auto& memory = call->Find<Memory>(handle);
  if (!memory.IsImage())
    Refuse(CL_INVALID_MEM_OBJECT, fmt::format("{} is no image", memory.Name()));
  CheckContext(memory, queue);
  return memory;
}

void CheckRange(const Memory& buffer, std::size_t offset, std::size_t size) {
  if (offset > buffer.size || size > buffer.size - offset) {
    Refuse(CL_INVALID_VALUE,
           fmt::format("the bytes from {}, {} of them, are outside of {}, which has {} bytes",
                       offset, size, buffer.Name(), buffer.size));
  }
}

void CheckHostAccess(const Memory& memory, cl_mem_flags forbidden) {
  if ((memory.flags & forbidden) != 0) {
    Refuse(CL_INVALID_OPERATION,
           fmt::format("the flags of {} forbid this access of the host", memory.Name()));
  }
}

void CheckMapFlags(const Memory& memory, cl_map_flags flags) {
  RefuseIf((flags & ~(CL_MAP_READ | kMapsForWriting)) != 0, CL_INVALID_VALUE,
           "map_flags has bits that the API does not");
  RefuseIf(
      (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0,
      CL_INVALID_VALUE, "CL_MAP_WRITE_INVALIDATE_REGION excludes CL_MAP_READ and CL_MAP_WRITE");
  if ((flags & CL_MAP_READ) != 0) CheckHostAccess(memory, kNoRead);
  if ((flags & kMapsForWriting) != 0) CheckHostAccess(memory, kNoWrite);
}

void CheckOverlapOfMappings(const Memory& buffer, cl_map_flags flags, std::size_t offset,
                            std::size_t size) {
  if ((flags & kMapsForWriting) == 0) return;
  const std::uint64_t begin = buffer.offset + offset;
  for (const ActiveMapping& other : buffer.storage->mapped) {
    if (other.is_svm || !other.writes || other.end <= begin || begin + size <= other.begin)
      continue;
    Refuse(
        CL_INVALID_OPERATION,
        fmt::format("{} is mapped for writing in a region that overlaps this one; unmap it first",
                    other.name));
  }
}

}  // namespace assay::driver::api
