#include "oracle/devices/opencl_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "oracle/devices/opencl_ranges.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Slot;

// So much of an input's beginning and end is looked at again after a launch.
constexpr std::size_t kSample = 2048;

}  // namespace

Expected<void> OpenClQueue::Check(cl_int status, std::string_view call) const {
  if (status == CL_SUCCESS) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: {} failed with {}", name, call, OpenClErrorName(status)));
}

Expected<void> OpenClQueue::CheckObject(cl_int status, const void* object,
                                        std::string_view call) const {
  if (status != CL_SUCCESS || object != nullptr) return Check(status, call);
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: {} gave neither an object nor an error", name, call));
}

Expected<BufferHandle> OpenClQueue::CreateBuffer(cl_mem_flags flags, std::size_t size,
                                                 void* host) const {
  cl_int status = CL_SUCCESS;
  BufferHandle buffer(api->clCreateBuffer(context, flags, size, host, &status),
                      [api = api](cl_mem b) {
                        if (b != nullptr) api->clReleaseMemObject(b);
                      });
  if (auto made = CheckObject(status, buffer.get(), "clCreateBuffer"); !made) {
    return tl::unexpected<Error>(made.error());
  }
  return buffer;
}

Expected<cl_mem> OpenClColumns::StagingBuffer(std::size_t size) {
  Staging& staging = staging_.at(buffers_.size());
  if (staging.capacity < size) {
    staging = {};
    auto buffer = queue_.CreateBuffer(CL_MEM_READ_WRITE, size, nullptr);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    staging = {std::move(*buffer), size};
  }
  buffers_.push_back(staging.buffer.get());
  return buffers_.back();
}

Expected<void> OpenClColumns::Write(cl_mem buffer, std::size_t offset,
                                    std::span<const std::byte> bytes) const {
  return queue_.Check(
      queue_.api->clEnqueueWriteBuffer(queue_.queue, buffer, CL_FALSE, offset, bytes.size(),
                                       bytes.data(), 0, nullptr, nullptr),
      "clEnqueueWriteBuffer");
}

void OpenClColumns::Watch(cl_mem buffer, std::size_t offset, std::span<const std::byte> expected,
                          std::string what) {
  Watched watched{buffer, offset, {expected.begin(), expected.end()}, {}, std::move(what)};
  // Something else than what has to come, for a read that does nothing.
  for (std::byte byte : expected) watched.found.push_back(~byte);
  watched_.push_back(std::move(watched));
}

Expected<void> OpenClColumns::UploadInput(const ConstColumn& column) {
  const std::size_t bytes = ElementBytes(column.slot), guard = GuardBytes(column.slot);
  const auto buffer = StagingBuffer(2 * guard + padded_ * bytes);
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  const std::span<const std::byte> data(static_cast<const std::byte*>(column.data) + first_ * bytes,
                                        count_ * bytes);
  const std::size_t sample = std::min(kSample, data.size());
  const std::string what = fmt::format("operand {}", buffers_.size());
  Watch(*buffer, guard, data.first(sample), what);
  if (data.size() > sample) Watch(*buffer, guard + data.size() - sample, data.last(sample), what);
  return Write(*buffer, guard, data);
}

Expected<void> OpenClColumns::UploadOutput(const Column& column) {
  const std::size_t bytes = ElementBytes(column.slot), guard = GuardBytes(column.slot);
  const auto buffer = StagingBuffer(2 * guard + padded_ * bytes);
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  const Poison poison({.seed = launches_, .width = width_, .result = outputs_.size()});
  // The kernel writes the padding and nothing reads it; old answers must not stay there.
  const std::size_t padding = (padded_ - count_) * bytes;
  std::vector<std::byte>& before = zones_.emplace_back(guard);
  std::vector<std::byte>& behind = zones_.emplace_back(padding + guard);
  poison.Fill(before);
  poison.Other().Fill(behind);
  outputs_.push_back(column);
  Watch(*buffer, 0, before, fmt::format("the memory before result {}", outputs_.size()));
  Watch(*buffer, guard + padded_ * bytes, std::span(behind).subspan(padding),
        fmt::format("the memory behind result {}", outputs_.size()));
  const std::span<const std::byte> data(static_cast<std::byte*>(column.data) + first_ * bytes,
                                        count_ * bytes);
  auto written = Write(*buffer, 0, before);
  if (written) written = Write(*buffer, guard, data);
  if (written) written = Write(*buffer, guard + data.size(), behind);
  return written;
}

void OpenClColumns::Begin(int width, std::size_t first, std::size_t count) {
  const std::size_t granule = kWorkGroup * static_cast<std::size_t>(width);
  ++launches_;
  width_ = width;
  first_ = first;
  count_ = count;
  padded_ = (count + granule - 1) / granule * granule;
  buffers_.clear();
  outputs_.clear();
  watched_.clear();
  zones_.clear();
}

Expected<void> OpenClColumns::Upload(int width, std::span<const ConstColumn> inputs,
                                     std::span<const Column> outputs, std::size_t first,
                                     std::size_t count) {
  Begin(width, first, count);
  zones_.reserve(2 * outputs.size());  // commands in flight point into them
  for (const ConstColumn& column : inputs) {
    if (auto uploaded = UploadInput(column); !uploaded) return uploaded;
  }
  for (const Column& column : outputs) {
    if (auto uploaded = UploadOutput(column); !uploaded) return uploaded;
  }
  return {};
}

// Looked at again are the beginning, the end, and a place between them that moves.
Expected<void> OpenClColumns::MakeInput(OpenClRanges* ranges, const RangeRequest& request) {
  constexpr std::size_t kBytes = sizeof(std::uint32_t);
  const std::size_t guard = kFirstVector * static_cast<std::size_t>(width_) * kBytes;
  const auto buffer = StagingBuffer(2 * guard + padded_ * kBytes);
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  if (auto made = ranges->MakeOperands(*buffer, guard / kBytes, request.first, padded_); !made) {
    return made;
  }
  const std::size_t sample = std::min(kSample / kBytes, count_);
  const std::size_t left = count_ - sample;
  for (const std::size_t at :
       {std::size_t{0}, launches_ * 0x9e3779b97f4a7c15u % (left + 1), left}) {
    std::vector<std::uint32_t> expected(sample);
    for (std::size_t i = 0; i < sample; ++i) {
      expected[i] = request.first + static_cast<std::uint32_t>(at + i);
    }
    Watch(*buffer, guard + at * kBytes, std::as_bytes(std::span(expected)), "operand 1");
  }
  return {};
}

Expected<void> OpenClColumns::CopyOutput(OpenClRanges* ranges, const Column& column,
                                         std::size_t shift) {
  const std::size_t bytes = ElementBytes(column.slot), guard = GuardBytes(column.slot);
  const std::size_t size = 2 * guard + padded_ * bytes;
  const auto buffer = StagingBuffer(size);
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  if (auto copied = ranges->CopyPoison(*buffer, shift, guard, size); !copied) return copied;
  outputs_.push_back(column);
  std::vector<std::byte> zone(guard);
  const Poison items = RangePoison(shift);
  items.From(std::size_t{0} - guard / sizeof(std::uint64_t)).Fill(zone);
  Watch(*buffer, 0, zone, fmt::format("the memory before result {}", outputs_.size()));
  items.From(padded_ * bytes / sizeof(std::uint64_t)).Fill(zone);
  Watch(*buffer, guard + padded_ * bytes, zone,
        fmt::format("the memory behind result {}", outputs_.size()));
  return {};
}

Expected<void> OpenClColumns::UploadRange(OpenClRanges* ranges, const RangeRequest& request,
                                          std::span<const Column> outputs) {
  Begin(request.width, 0, request.count);
  if (auto made = MakeInput(ranges, request); !made) return made;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (auto copied = CopyOutput(ranges, outputs[k], request.shifts[k]); !copied) return copied;
  }
  return {};
}

Expected<void> OpenClColumns::Download() {
  auto read = [&](cl_mem buffer, std::size_t offset, std::size_t size, void* to) {
    return queue_.Check(queue_.api->clEnqueueReadBuffer(queue_.queue, buffer, CL_FALSE, offset,
                                                        size, to, 0, nullptr, nullptr),
                        "clEnqueueReadBuffer");
  };
  const std::size_t inputs = buffers_.size() - outputs_.size();
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const std::size_t bytes = ElementBytes(outputs_[k].slot);
    auto got = read(buffers_[inputs + k], GuardBytes(outputs_[k].slot), count_ * bytes,
                    static_cast<std::byte*>(outputs_[k].data) + first_ * bytes);
    if (!got) return got;
  }
  for (Watched& watched : watched_) {
    auto got = read(watched.buffer, watched.offset, watched.found.size(), watched.found.data());
    if (!got) return got;
  }
  if (auto done = queue_.Check(queue_.api->clFinish(queue_.queue), "clFinish"); !done) return done;
  for (const Watched& watched : watched_) {
    const auto [expected, found] =
        std::mismatch(watched.expected.begin(), watched.expected.end(), watched.found.begin());
    if (expected == watched.expected.end()) continue;
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: {} does not hold what was written there, from byte {} of {} on: "
                            "the kernel stored where it must not, or a write or a read was lost "
                            "(width {}, {} items)",
                            queue_.name, watched.what, expected - watched.expected.begin(),
                            watched.expected.size(), width_, count_));
  }
  return {};
}

}  // namespace assay::oracle
