// Commands of an OpenCL device that move memory: the requests of transfer_request.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "oracle/devices/opencl_columns.h"
#include "oracle/devices/transfer_request.h"

namespace assay::oracle {

class OpenClTransfers {
 public:
  explicit OpenClTransfers(const OpenClQueue& queue) : queue_(queue) {}

  Expected<void> Ask(const TransferRequest& request, ImageInputs inputs, ImageOutputs outputs);

 private:
  struct Object {
    TransferObject described;
    // The content of host memory, or what the object uses.  It begins a page: how a pointer of the
    // host must be aligned for sub-buffers is not clear in the text.
    std::shared_ptr<std::byte> host;
    BufferHandle buffer;  // of a buffer, a sub-buffer and a 1D buffer image
    BufferHandle image;
  };

  // What the host does with mapped memory: takes it, puts its own there, or exchanges both.
  enum class HostUse : std::uint8_t { kTake, kPut, kExchange };
  struct Mapped;

  // CL_IMAGE_FORMAT_NOT_SUPPORTED is a status, other errors are errors.
  Expected<cl_int> Make(const TransferObject& described, std::span<const std::byte> content);
  Expected<cl_int> MakeSubBuffer(Object* object) const;
  Expected<cl_int> MakeImage(Object* object) const;
  cl_int Do(const TransferStep& step);
  cl_int HostRectangle(const TransferStep& step);
  cl_int HostImage(const TransferStep& step);
  cl_int MapBuffer(const TransferStep& step, cl_map_flags flags, HostUse use);
  cl_int MapImage(const TransferStep& step, cl_map_flags flags, HostUse use);
  Expected<void> Run(const TransferRequest& request, ImageInputs inputs, ImageOutputs outputs);
  static void Use(HostUse use, const Mapped& mapped, std::byte* own);
  Expected<void> ReadBack(const Object& object, std::span<std::byte> content) const;

  const OpenClQueue& queue_;
  std::vector<Object> objects_;  // of the request in hand
};

}  // namespace assay::oracle
