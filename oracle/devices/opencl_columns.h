// The columns of one launch in buffers of the device's own, with a guard zone before and behind
// each result.  Internal to the OpenCL device.
//
// A buffer holds: a guard of one work-group's vectors, the column, padding up to a whole
// work-group, and another guard.  The kernel is launched from the vector behind the first guard on.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/device.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/devices/poison.h"
#include "oracle/devices/range_request.h"

namespace assay::oracle {

using BufferHandle = std::shared_ptr<_cl_mem>;

// Work-items of a work-group.  A launch has whole ones, so that no bounds check stands in a kernel.
inline constexpr std::size_t kWorkGroup = 64;

inline std::size_t ElementBytes(const numerics::Slot& slot) {
  return SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

// A context and its queue, which buffers and commands need.
struct OpenClQueue {
  std::shared_ptr<const OpenClApi> api;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::string name;  // of the device and its present call, for messages

  // kDevice where the status is an error: "NAME: CALL failed with ...".
  Expected<void> Check(cl_int status, std::string_view call) const;
  // The same for a call that creates an object: without an error the object must not be null.
  Expected<void> CheckObject(cl_int status, const void* object, std::string_view call) const;
  Expected<BufferHandle> CreateBuffer(cl_mem_flags flags, std::size_t size, void* host) const;
};

class OpenClRanges;

class OpenClColumns {
 public:
  explicit OpenClColumns(const OpenClQueue& queue) : queue_(queue) {}

  // The vector at which the kernel must begin.
  static constexpr std::size_t kFirstVector = kWorkGroup;

  // Copies to the device: items [first, first + count) of the inputs, and the present content of
  // the outputs, which is read back where the kernel writes nothing.
  Expected<void> Upload(int width, std::span<const numerics::ConstColumn> inputs,
                        std::span<const Column> outputs, std::size_t first, std::size_t count);
  // The same of a range, which is made there.
  Expected<void> UploadRange(OpenClRanges* ranges, const RangeRequest& request,
                             std::span<const Column> outputs);
  // The buffers of the launch, and its number of vectors.
  std::span<const cl_mem> buffers() const { return buffers_; }
  std::size_t vectors() const { return padded_ / static_cast<std::size_t>(width_); }
  // The results come back, once the queue is finished here; kDevice where a guard zone or the
  // inputs have changed.
  Expected<void> Download();

 private:
  // A device buffer that is kept and grows.
  struct Staging {
    BufferHandle buffer;
    std::size_t capacity = 0;
  };
  // A part of a buffer that must keep its content.
  struct Watched {
    cl_mem buffer = nullptr;
    std::size_t offset = 0;
    std::vector<std::byte> expected;
    std::vector<std::byte> found;
    std::string what;
  };

  Expected<cl_mem> StagingBuffer(std::size_t size);
  Expected<void> Write(cl_mem buffer, std::size_t offset, std::span<const std::byte> bytes) const;
  void Begin(int width, std::size_t first, std::size_t count);
  Expected<void> MakeInput(OpenClRanges* ranges, const RangeRequest& request);
  Expected<void> CopyOutput(OpenClRanges* ranges, const Column& column, std::size_t shift);
  Expected<void> UploadInput(const numerics::ConstColumn& column);
  Expected<void> UploadOutput(const Column& column);
  void Watch(cl_mem buffer, std::size_t offset, std::span<const std::byte> expected,
             std::string what);
  std::size_t GuardBytes(const numerics::Slot& slot) const {
    return kWorkGroup * static_cast<std::size_t>(width_) * ElementBytes(slot);
  }

  const OpenClQueue& queue_;
  std::array<Staging, 5> staging_;  // up to three inputs and two outputs
  std::uint64_t launches_ = 0;

  // Of the launch in hand.
  int width_ = 1;
  std::size_t first_ = 0, count_ = 0, padded_ = 0;
  std::vector<cl_mem> buffers_;
  std::vector<Column> outputs_;
  std::vector<std::vector<std::byte>> zones_;  // on their way to the device
  std::vector<Watched> watched_;
};

}  // namespace assay::oracle
