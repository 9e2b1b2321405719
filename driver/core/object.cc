#include "driver/core/object.h"

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "driver/core/dispatch.h"
#include "driver/core/driver.h"
#include "driver/report/frames.h"
#include "driver/report/log.h"

namespace assay::driver {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kPlatform:
      return "platform";
    case Kind::kDevice:
      return "device";
    case Kind::kContext:
      return "context";
    case Kind::kQueue:
      return "command queue";
    case Kind::kMemory:
      return "memory object";
    case Kind::kSampler:
      return "sampler";
    case Kind::kProgram:
      return "program";
    case Kind::kKernel:
      return "kernel";
    case Kind::kEvent:
      return "event";
    case Kind::kCommandBuffer:
      return "command buffer";
    case Kind::kSemaphore:
      return "semaphore";
    case Kind::kMutableCommand:
      return "mutable command";
  }
  return "object";
}

cl_int InvalidCode(Kind kind) {
  switch (kind) {
    case Kind::kPlatform:
      return CL_INVALID_PLATFORM;
    case Kind::kDevice:
      return CL_INVALID_DEVICE;
    case Kind::kContext:
      return CL_INVALID_CONTEXT;
    case Kind::kQueue:
      return CL_INVALID_COMMAND_QUEUE;
    case Kind::kMemory:
      return CL_INVALID_MEM_OBJECT;
    case Kind::kSampler:
      return CL_INVALID_SAMPLER;
    case Kind::kProgram:
      return CL_INVALID_PROGRAM;
    case Kind::kKernel:
      return CL_INVALID_KERNEL;
    case Kind::kEvent:
      return CL_INVALID_EVENT;
    case Kind::kCommandBuffer:
      return -1138;  // CL_INVALID_COMMAND_BUFFER_KHR
    case Kind::kSemaphore:
      return -1142;  // CL_INVALID_SEMAPHORE_KHR
    case Kind::kMutableCommand:
      return -1141;  // CL_INVALID_MUTABLE_COMMAND_KHR
  }
  return CL_INVALID_VALUE;
}

Handle* Handles::Make(Kind kind, Object* object) {
  Handle* handle = nullptr;
  if (resting_.size() > kResting) {
    handle = resting_.front();
    resting_.pop_front();
  } else {
    if (newest_ == nullptr || used_ == std::size(newest_->handles)) {
      void* memory = std::aligned_alloc(kChunkBytes, kChunkBytes);
      if (memory == nullptr) throw std::bad_alloc();
      newest_ = new (memory) Chunk;
      used_ = 0;
      chunks_.insert(reinterpret_cast<std::uintptr_t>(memory));
    }
    handle = &newest_->handles[used_++];
  }
  *handle = {DispatchTable(), Driver::Get().loader_data, object, ++numbers_[static_cast<int>(kind)],
             kind};
  if (kind != Kind::kEvent) living_[static_cast<int>(kind)].insert(object);
  return handle;
}

void Handles::End(Handle* handle) {
  if (handle->kind != Kind::kEvent) living_[static_cast<int>(handle->kind)].erase(handle->object);
  handle->object = nullptr;
  resting_.push_back(handle);
}

Handle* Handles::Find(const void* pointer) const {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t chunk = address & ~(kChunkBytes - 1);
  if (!chunks_.contains(chunk)) return nullptr;
  const std::size_t place = (address - chunk) / sizeof(Handle);
  if ((address - chunk) % sizeof(Handle) != 0 || place >= std::size(Chunk{}.handles))
    return nullptr;
  auto* begin = reinterpret_cast<Chunk*>(chunk);
  if (begin == newest_ && place >= used_) return nullptr;
  return &begin->handles[place];
}

Object::Object(Kind kind) : handle_(Driver::Get().handles.Make(kind, this)) {
  // Of events there are as many as commands.
  const bool is_asked_for =
      kind != Kind::kPlatform && kind != Kind::kDevice && kind != Kind::kEvent;
  if (is_asked_for && Log::Get().IsOn()) {
    created_ = std::make_unique<const CallStack>(CaptureStack());
  }
}
Object::~Object() { Driver::Get().handles.End(handle_); }

std::string Object::Name() const { return fmt::format("{} {}", Noun(), handle_->number); }

}  // namespace assay::driver
