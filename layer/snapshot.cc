#include "layer/snapshot.h"

#include <fmt/format.h>

#include <algorithm>

#include "layer/follow.h"
#include "layer/image_words.h"

namespace assay::layer {

namespace {

using nlohmann::ordered_json;

tl::unexpected<Error> NotCaptured(std::string why) {
  return Fail(ErrorKind::kUnsupported, std::move(why));
}

template <typename T>
bool Ask(cl_mem memory, cl_mem_info name, T* to) {
  return Target(memory).clGetMemObjectInfo(memory, name, sizeof *to, to, nullptr) == CL_SUCCESS;
}

template <typename T>
bool AskImage(cl_mem image, cl_image_info name, T* to) {
  return Target(image).clGetImageInfo(image, name, sizeof *to, to, nullptr) == CL_SUCCESS;
}

bool IsNull(const std::vector<std::byte>& bytes) {
  return bytes.size() == sizeof(void*) &&
         std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

ordered_json BytesJson(const std::vector<std::byte>& bytes) {
  std::string digits;
  for (const std::byte byte : bytes) digits += fmt::format("{:02x}", static_cast<int>(byte));
  return {{"bytes", digits}};
}

}  // namespace

Expected<void> Snapshot::Describe(std::uint64_t max_bytes) {
  for (cl_uint i = 0; i < kernel_.arguments.size(); ++i) {
    auto described = Describe(i, kernel_.arguments[i]);
    if (!described) return tl::unexpected(described.error());
    arguments_.push_back(std::move(*described));
  }
  std::uint64_t bytes = 0;
  for (const Captured& one : memory_) bytes += one.bytes;
  if (bytes > max_bytes) {
    return NotCaptured(fmt::format(
        "its arguments name {} MiB, and the limit for one launch is {} MiB (ASSAY_CAPTURE_BYTES)",
        bytes >> 20, max_bytes >> 20));
  }
  return {};
}

// Whether the parameter points to global or constant memory, as far as the driver says.
bool Snapshot::IsPointer(cl_uint index) const {
  cl_kernel_arg_address_qualifier space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  if (Target(handle_).clGetKernelArgInfo == nullptr) return false;
  const cl_int status = Target(handle_).clGetKernelArgInfo(
      handle_, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr);
  return status == CL_SUCCESS &&
         (space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT);
}

Expected<ordered_json> Snapshot::Describe(cl_uint index, const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::kUnset:
    case Argument::Kind::kUnseen:
      return NotCaptured(fmt::format("argument {} was set in a way that is not followed", index));
    case Argument::Kind::kLocal:
      if (IsPointer(index)) return ordered_json{{"null", true}};
      return ordered_json{{"local", argument.local_bytes}};
    case Argument::Kind::kSvm:
      return DescribeSvm(index, argument.svm);
    case Argument::Kind::kValue:
      break;
  }
  if (argument.memory) return DescribeBuffer(index, argument.memory);
  if (argument.sampler) {
    if (!argument.sampler->is_alive) {
      return NotCaptured(fmt::format("the sampler of argument {} was released", index));
    }
    ordered_json sampler = SamplerDescription(argument.sampler->handle);
    if (sampler.is_null()) {
      return NotCaptured(fmt::format("the driver does not describe the sampler {}", index));
    }
    return ordered_json{{"sampler", std::move(sampler)}};
  }
  if (IsNull(argument.bytes) && IsPointer(index)) return ordered_json{{"null", true}};
  return BytesJson(argument.bytes);
}

Expected<ordered_json> Snapshot::DescribeBuffer(cl_uint index,
                                                std::shared_ptr<MemoryRecord> memory) {
  if (!memory->is_alive) {
    return NotCaptured(
        fmt::format("the application has released the object of argument {}", index));
  }
  cl_mem_object_type type = 0;
  cl_uint maps = 0;
  Captured one;
  if (!Ask(memory->handle, CL_MEM_TYPE, &type) || !Ask(memory->handle, CL_MEM_FLAGS, &one.flags) ||
      !Ask(memory->handle, CL_MEM_MAP_COUNT, &maps)) {
    return NotCaptured(
        fmt::format("the driver does not describe the object of argument {}", index));
  }
  if (maps != 0)
    doubts_.push_back(fmt::format("the host has mapped the object of argument {}", index));
  if (type != CL_MEM_OBJECT_BUFFER) {
    one.memory = std::move(memory);
    one.is_image = true;
    return DescribeImage(index, one);
  }
  std::size_t offset = 0;
  if (memory->parent) {
    // The driver may be wrong; the application's own words count.
    if (memory->bytes) {
      offset = memory->offset;
    } else if (!Ask(memory->handle, CL_MEM_OFFSET, &offset)) {
      return NotCaptured(fmt::format("the driver does not say where sub-buffer {} lies", index));
    }
    memory = memory->parent;
    // The driver keeps the buffer for as long as there is a sub-buffer.
    if (!Ask(memory->handle, CL_MEM_FLAGS, &one.flags)) {
      return NotCaptured(fmt::format("the driver does not describe the buffer of {}", index));
    }
  }
  auto name = NameOfBuffer(index, memory, one.flags);
  if (!name) return tl::unexpected(name.error());
  ordered_json json = {{"buffer", *name}};
  if (offset != 0) json["offset"] = offset;
  return json;
}

Expected<std::string> Snapshot::NameOfBuffer(cl_uint index,
                                             const std::shared_ptr<MemoryRecord>& memory,
                                             cl_mem_flags flags) {
  const auto known =
      std::ranges::find_if(memory_, [&](const Captured& of) { return of.memory == memory; });
  if (known != memory_.end()) return known->name;
  std::size_t told = 0;
  const bool is_told = Ask(memory->handle, CL_MEM_SIZE, &told);
  if (!is_told && !memory->bytes) {
    return NotCaptured(fmt::format("the driver does not say how large buffer {} is", index));
  }
  Captured one;
  one.flags = flags;
  one.bytes = memory->bytes.value_or(told);
  if (is_told && told != one.bytes) {
    doubts_.push_back(
        fmt::format("the driver says that buffer {} has {} bytes, and the "
                    "application made it with {}",
                    index, told, one.bytes));
  }
  one.name = fmt::format("b{}", memory_.size());
  one.is_written = memory->is_written;
  one.memory = memory;
  memory_.push_back(std::move(one));
  return memory_.back().name;
}

// The image is in the job as a view of the buffer, which another argument may name, too.
Expected<ordered_json> Snapshot::DescribeImageOfBuffer(cl_uint index, const Captured& described) {
  const cl_mem image = described.memory->handle;
  const std::shared_ptr<MemoryRecord> parent = described.memory->parent;
  const auto refused = [&](const char* what) {
    return NotCaptured(fmt::format("argument {} is {}", index, what));
  };
  cl_mem_object_type type = 0, of = 0;
  cl_mem_flags flags = 0;
  cl_image_format format{};
  std::size_t width = 0, height = 0, pitch = 0;
  Ask(image, CL_MEM_TYPE, &type);
  if (parent->parent || !Ask(parent->handle, CL_MEM_TYPE, &of) || of != CL_MEM_OBJECT_BUFFER ||
      !Ask(parent->handle, CL_MEM_FLAGS, &flags)) {
    return refused("an image of a part of a buffer, or of another image");
  }
  const bool is_2d = type == CL_MEM_OBJECT_IMAGE2D;
  if (!is_2d && type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
    return refused("an image of a kind that no job has");
  if (!AskImage(image, CL_IMAGE_FORMAT, &format) || !AskImage(image, CL_IMAGE_WIDTH, &width) ||
      (is_2d && (!AskImage(image, CL_IMAGE_HEIGHT, &height) ||
                 !AskImage(image, CL_IMAGE_ROW_PITCH, &pitch)))) {
    return refused("an image that the driver does not describe");
  }
  const std::string_view order = OrderName(format.image_channel_order);
  const std::string_view channels = TypeName(format.image_channel_data_type);
  if (order.empty() || channels.empty()) return refused("an image of a format that no job has");
  auto name = NameOfBuffer(index, parent, flags);
  if (!name) return tl::unexpected(name.error());
  ordered_json json = {{"buffer", *name}, {"shape", is_2d ? "2d" : "1d_buffer"}, {"size", {width}}};
  if (is_2d) json["size"].push_back(height);
  if (is_2d) json["row_pitch"] = pitch;
  json["order"] = order;
  json["type"] = channels;
  return ordered_json{{"image", std::move(json)}};
}

Expected<ordered_json> Snapshot::DescribeImage(cl_uint index, const Captured& described) {
  if (described.memory->parent) return DescribeImageOfBuffer(index, described);
  const cl_mem image = described.memory->handle;
  const auto refused = [&](const char* what) {
    return NotCaptured(fmt::format("argument {} is {}", index, what));
  };
  Captured one = described;
  cl_mem_object_type type = 0;
  cl_image_format format{};
  std::size_t element = 0, layers = 0;
  cl_uint levels = 0, samples = 0;
  Ask(image, CL_MEM_TYPE, &type);
  const std::string_view shape = ShapeName(type);
  if (shape.empty()) return refused("a pipe or an image of a kind that no job has");
  if ((one.flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)) != 0) {
    return refused("an image that the host may not read");
  }
  std::size_t* size = one.region;
  if (!AskImage(image, CL_IMAGE_FORMAT, &format) || !AskImage(image, CL_IMAGE_WIDTH, &size[0]) ||
      !AskImage(image, CL_IMAGE_HEIGHT, &size[1]) || !AskImage(image, CL_IMAGE_DEPTH, &size[2]) ||
      !AskImage(image, CL_IMAGE_ELEMENT_SIZE, &element)) {
    return refused("an image that the driver does not describe");
  }
  AskImage(image, CL_IMAGE_ARRAY_SIZE, &layers);
  AskImage(image, CL_IMAGE_NUM_MIP_LEVELS, &levels);
  AskImage(image, CL_IMAGE_NUM_SAMPLES, &samples);
  const std::string_view order = OrderName(format.image_channel_order);
  const std::string_view channels = TypeName(format.image_channel_data_type);
  if (order.empty() || channels.empty()) return refused("an image of a format that no job has");
  if (levels > 1 || samples > 1) return refused("a mipmap or a multisample image");
  const int dimensions = DimensionsOf(type);
  one.description = {{"shape", shape}};
  for (int d = 0; d < dimensions; ++d) one.description["size"].push_back(size[d]);
  if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY) {
    one.description["layers"] = layers;
    size[dimensions] = layers;
  }
  one.description["order"] = order;
  one.description["type"] = channels;
  one.description["access"] = AccessName(one.flags);
  for (int d = 0; d < 3; ++d) size[d] = std::max<std::size_t>(size[d], 1);
  one.bytes = element * size[0] * size[1] * size[2];
  one.name = fmt::format("image{}", index);
  one.is_written = one.memory->is_written;
  memory_.push_back(std::move(one));
  return ordered_json{{"image", memory_.back().name}};
}

Expected<ordered_json> Snapshot::DescribeSvm(cl_uint index, const void* pointer) {
  if (pointer == nullptr) return ordered_json{{"null", true}};
  Layer& layer = Layer::Get();
  const std::shared_lock lock(layer.svm_mutex);
  auto after = layer.svm.upper_bound(pointer);
  if (after != layer.svm.begin()) --after;
  const auto* begin = after == layer.svm.end() ? nullptr : static_cast<const char*>(after->first);
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(pointer) - begin);
  if (begin == nullptr || begin > pointer || offset >= after->second.bytes) {
    return NotCaptured(
        fmt::format("argument {} is a pointer that is in no allocation of clSVMAlloc", index));
  }
  if ((after->second.flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0) {
    doubts_.push_back(fmt::format("the host may write to the fine-grained memory {}", index));
  }
  auto* const address = const_cast<char*>(begin);
  auto known = std::ranges::find_if(memory_, [&](const Captured& of) { return of.svm == address; });
  if (known == memory_.end()) {
    Captured one;
    one.name = fmt::format("b{}", memory_.size());
    one.svm = address;
    one.bytes = after->second.bytes;
    one.flags = after->second.flags;
    known = memory_.insert(memory_.end(), std::move(one));
  }
  ordered_json json = {{"buffer", known->name}};
  if (offset != 0) json["offset"] = offset;
  return json;
}

Expected<void> Snapshot::Read(std::vector<std::byte> Captured::*to) {
  for (Captured& one : memory_) {
    (one.*to).resize(one.bytes);
    const cl_int status = ReadOne(one, (one.*to).data());
    if (status != CL_SUCCESS) {
      return NotCaptured(fmt::format("reading {} failed with error {}", one.name, status));
    }
  }
  return {};
}

cl_int Snapshot::ReadOne(const Captured& one, std::byte* to) const {
  if (one.bytes == 0) return CL_SUCCESS;
  if (one.svm != nullptr) {
    return Target(queue_).clEnqueueSVMMemcpy(queue_, CL_TRUE, to, one.svm, one.bytes, 0, nullptr,
                                             nullptr);
  }
  const cl_mem handle = one.memory->handle;
  if (one.is_image) {
    const std::size_t origin[3] = {0, 0, 0};
    return Target(queue_).clEnqueueReadImage(queue_, handle, CL_TRUE, origin, one.region, 0, 0, to,
                                             0, nullptr, nullptr);
  }
  if ((one.flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)) != 0) {
    return ReadByCopy(one, to);
  }
  return Target(queue_).clEnqueueReadBuffer(queue_, handle, CL_TRUE, 0, one.bytes, to, 0, nullptr,
                                            nullptr);
}

// Of a buffer that the host may not read: by a buffer that it may.
cl_int Snapshot::ReadByCopy(const Captured& one, std::byte* to) const {
  cl_int status = CL_SUCCESS;
  const cl_mem copy =
      Target(context_).clCreateBuffer(context_, CL_MEM_READ_WRITE, one.bytes, nullptr, &status);
  if (copy == nullptr) return status;
  cl_event copied = nullptr;
  status = Target(queue_).clEnqueueCopyBuffer(queue_, one.memory->handle, copy, 0, 0, one.bytes, 0,
                                              nullptr, &copied);
  if (status == CL_SUCCESS) {
    status = Target(queue_).clEnqueueReadBuffer(queue_, copy, CL_TRUE, 0, one.bytes, to, 1, &copied,
                                                nullptr);
    Target(copied).clReleaseEvent(copied);
  }
  Target(copy).clReleaseMemObject(copy);
  return status;
}

}  // namespace assay::layer
