#include "driver/objects/memory.h"

#include <algorithm>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/objects/scheduler.h"

namespace assay::driver {

Memory::Memory(Context* in, cl_mem_object_type of, cl_mem_flags how, std::uint64_t bytes)
    : Object(kKind), context(in), type(of), flags(how), size(bytes) {}

Memory::~Memory() {
  if (is_addressed) context->addressed.erase(this);
  // OpenCL API, clSetMemObjectDestructorCallback: in the reverse order of their registration,
  // before the memory is freed.  The storage ends with the last of them.
  if (destructors.empty()) return;
  context->order.SawAllThatEnded();
  Driver::Get().scheduler->CallBack([functions = std::move(destructors), kept = storage]() mutable {
    for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
      const InCallback scope("a memory object's end");
      (*function)();
    }
    const std::lock_guard lock(Driver::Get().mutex);
    kept.reset();
  });
  storage.reset();
}

void DefineRows(Memory* memory, const Rectangle& rows) {
  ForEachRow(rows, rows, [memory](std::uint64_t at, std::uint64_t, std::uint64_t bytes) {
    memory->storage->Define(memory->offset + at, bytes);
  });
}

void AddMapping(Memory* memory, const Mapping& mapping) {
  constexpr cl_map_flags kWrite = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  const std::uint64_t begin =
      memory->offset + (mapping.rectangle ? mapping.rectangle->begin : mapping.offset);
  const std::uint64_t size = mapping.rectangle ? mapping.rectangle->Extent() : mapping.size;
  memory->mappings.push_back(mapping);
  memory->storage->mapped.push_back({.object = memory->handle()->number,
                                     .name = memory->Name(),
                                     .is_linear = !mapping.rectangle.has_value(),
                                     .pointer = mapping.pointer,
                                     .begin = begin,
                                     .end = begin + size,
                                     .writes = (mapping.flags & kWrite) != 0});
}

void EraseMapping(Memory* memory, std::list<Mapping>::iterator mapping) {
  auto& mapped = memory->storage->mapped;
  const auto same = std::ranges::find_if(mapped, [&](const ActiveMapping& other) {
    return other.object == memory->handle()->number && other.pointer == mapping->pointer;
  });
  if (same != mapped.end()) mapped.erase(same);
  memory->mappings.erase(mapping);
}

cl_int EndMapping(Memory* memory, const Mapping& mapping) {
  constexpr cl_map_flags kWrite = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if ((mapping.flags & kWrite) == 0) return CL_SUCCESS;
  if (mapping.rectangle) {
    DefineRows(memory, *mapping.rectangle);
  } else {
    memory->storage->Define(memory->offset + mapping.offset, mapping.size);
  }
  return CL_SUCCESS;
}

std::string_view Memory::Noun() const {
  if (IsImage()) return "image";
  if (type == CL_MEM_OBJECT_PIPE) return "pipe";
  return parent ? "sub-buffer" : "buffer";
}

}  // namespace assay::driver
