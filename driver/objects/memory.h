// Memory objects: buffers, images, pipes.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "driver/objects/rectangle.h"
#include "driver/objects/storage.h"
#include "interp/program/image.h"

namespace assay::driver {

// An image beside its bytes.
struct ImageShapeAndFormat {
  interp::ImageDescriptor descriptor;
  cl_image_format format = {};
  cl_image_desc desc = {};  // as given
};

// What clEnqueueMap* returned and was not unmapped.
struct Mapping {
  void* pointer = nullptr;
  cl_map_flags flags = 0;
  std::uint64_t offset = 0;  // of a buffer, in bytes
  std::uint64_t size = 0;
  std::optional<Rectangle> rectangle = std::nullopt;  // of an image; then offset and size are 0
};

class Memory : public Object {
 public:
  static constexpr Kind kKind = Kind::kMemory;
  Memory(Context* in, cl_mem_object_type of, cl_mem_flags how, std::uint64_t bytes);
  ~Memory() override;

  bool IsImage() const { return image.has_value(); }
  bool IsBuffer() const { return type == CL_MEM_OBJECT_BUFFER; }
  // For kernels, where the host has the bytes at the same address (Storage::IsShared).
  std::uint64_t DeviceAddress() const { return reinterpret_cast<std::uint64_t>(bytes()); }
  // Where its bytes begin.
  std::byte* bytes() const { return storage->bytes() + offset; }

  Ref<Context> context;
  cl_mem_object_type type;
  cl_mem_flags flags;
  std::uint64_t size;
  void* host_ptr = nullptr;  // as given with CL_MEM_USE_HOST_PTR
  Ref<Memory> parent;        // of a sub-buffer, or of an image from a buffer
  std::uint64_t offset = 0;  // in the storage, which is the parent's
  std::shared_ptr<Storage> storage;
  std::optional<ImageShapeAndFormat> image;
  std::uint32_t packet_size = 0;  // of a pipe
  std::uint32_t max_packets = 0;
  std::vector<cl_mem_properties> properties;  // as given, with the terminating zero
  bool is_addressed = false;                  // of a buffer: it is in Context::addressed
  std::list<Mapping> mappings;
  std::vector<std::function<void()>>
      destructors;  // the application's; the last one is called first

 protected:
  std::string_view Noun() const override;
};

// The mappings of an object, and of its storage, go together.
void AddMapping(Memory* memory, const Mapping& mapping);
void EraseMapping(Memory* memory, std::list<Mapping>::iterator mapping);

// What unmapping does: the host's bytes are defined now.  For the thread that executes a command.
cl_int EndMapping(Memory* memory, const Mapping& mapping);

// The host has written these rows, which begin at Memory::bytes().  For the thread that executes a
// command.
void DefineRows(Memory* memory, const Rectangle& rows);

class Sampler : public Object {
 public:
  static constexpr Kind kKind = Kind::kSampler;
  Sampler(Context* in, interp::SamplerDescriptor how) : Object(kKind), context(in), sampler(how) {}

  Ref<Context> context;
  interp::SamplerDescriptor sampler;
  std::vector<cl_sampler_properties> properties;  // as given, with the terminating zero
};

}  // namespace assay::driver
