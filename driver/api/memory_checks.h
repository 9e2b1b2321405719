// What the commands on memory objects check, of buffers and images alike (OpenCL API, "Buffer
// Objects", "Image Objects").
#pragma once

#include <cstddef>

#include "driver/core/call.h"
#include "driver/objects/memory.h"
#include "driver/objects/queue.h"

namespace assay::driver::api {

// Flags with which the host may not read or write.
inline constexpr cl_mem_flags kNoRead = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
inline constexpr cl_mem_flags kNoWrite = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
inline constexpr cl_map_flags kMapsForWriting = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

// Throws CL_INVALID_MEM_OBJECT, or CL_INVALID_CONTEXT where it is not of the queue's context.
Memory& FindBuffer(Call* call, const Queue& queue, cl_mem handle);
Memory& FindImage(Call* call, const Queue& queue, cl_mem handle);

// Throws CL_INVALID_VALUE for bytes outside of the buffer.
void CheckRange(const Memory& buffer, std::size_t offset, std::size_t size);

// Throws CL_INVALID_OPERATION for kNoRead or kNoWrite.
void CheckHostAccess(const Memory& memory, cl_mem_flags forbidden);

// Throws CL_INVALID_VALUE for flags that exclude each other, CL_INVALID_OPERATION for what the
// object forbids.
void CheckMapFlags(const Memory& memory, cl_map_flags flags);

// Throws CL_INVALID_OPERATION where these bytes of a buffer would be mapped for writing twice.
void CheckOverlapOfMappings(const Memory& buffer, cl_map_flags flags, std::size_t offset,
                            std::size_t size);
// Whether mapping shows the host what is in the region.
inline bool ReadsToMap(cl_map_flags flags) { return (flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0; }

}  // namespace assay::driver::api
