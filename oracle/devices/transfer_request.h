// What a device is asked about commands of the host that read, write, copy, fill and map memory.
//
// OpenCL API specification, 5.2 and 5.3.  A request and its answers are bytes, so that they pass
// through the shared memory of a served device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "numerics/image/format.h"
#include "oracle/devices/image_request.h"

namespace assay::oracle {

// A memory object, or memory of the host.
struct TransferObject {
  enum class Kind : std::uint8_t { kHost, kBuffer, kSubBuffer, kImage };
  // Where a memory object keeps its elements: CL_MEM_COPY_HOST_PTR, with or without
  // CL_MEM_ALLOC_HOST_PTR, or CL_MEM_USE_HOST_PTR.
  enum class Store : std::uint8_t { kDevice, kAllocatedOnHost, kUsesHost };
  Kind kind = Kind::kHost;
  Store store = Store::kDevice;
  std::uint64_t size = 0;     // bytes
  std::uint64_t element = 1;  // bytes of an element of an image; else 1
  // kSubBuffer: its buffer, which is an earlier object, and bytes from the beginning of that.
  std::uint32_t parent = 0;
  std::uint64_t origin = 0;
  // kImage.  `extent` is in elements, as commands count them: layers of a 1D array are rows, those
  // of a 2D array are slices.
  ImageShape shape = ImageShape::k2D;
  numerics::image::ImageFormat format;
  std::array<std::uint64_t, 3> extent = {};
};

enum class TransferCommand : std::uint8_t {
  kReadBuffer,
  kWriteBuffer,
  kCopyBuffer,
  kFillBuffer,
  kReadBufferRect,
  kWriteBufferRect,
  kCopyBufferRect,
  // The host takes what it finds; exchanges what it finds with its own (CL_MAP_WRITE); or puts its
  // own there (CL_MAP_WRITE_INVALIDATE_REGION).
  kMapBufferRead,
  kMapBufferWrite,
  kMapBufferInvalidate,
  kReadImage,
  kWriteImage,
  kCopyImage,
  kFillImage,
  kCopyImageToBuffer,
  kCopyBufferToImage,
  kMapImageRead,
  kMapImageWrite,
  kMapImageInvalidate,
};
inline constexpr int kTransferCommands = 19;
std::string_view TransferCommandName(TransferCommand command);  // "clEnqueueReadBuffer"

// One side of a command.  `origin` is in elements; of rectangles of buffers, its first number is in
// bytes.  Of a buffer that an image is copied to or from it is the offset in bytes.
struct TransferPlace {
  std::uint32_t object = 0;
  std::array<std::uint64_t, 3> origin = {};
  std::uint64_t row_pitch = 0, slice_pitch = 0;  // bytes, as they are given to the command
};

struct TransferStep {
  TransferCommand command = TransferCommand::kReadBuffer;
  TransferPlace from, to;  // of fills only `to`
  std::array<std::uint64_t, 3> region = {1, 1, 1};
  std::vector<std::uint8_t> pattern;  // of fills: the pattern; the color, 16 bytes
  bool blocking = true;
};

// Commands in order, on one queue.  Inputs: what each object but sub-buffers holds before.
// Outputs: a 64-bit status a step, and what each of the same objects holds afterwards.  Where the
// device does not have the format of an image, nothing is done and each status is
// CL_IMAGE_FORMAT_NOT_SUPPORTED.
struct TransferRequest {
  std::vector<TransferObject> objects;
  std::vector<TransferStep> steps;
};
ImageOperands OperandsOf(const TransferRequest& request);

inline constexpr std::int64_t kFormatNotSupported = -10;

nlohmann::json ToJson(const TransferRequest& request);
// kInternal where it is no request, or one that assay does not make.
Expected<TransferRequest> TransferRequestFromJson(const nlohmann::json& json);

}  // namespace assay::oracle
