#include "oracle/devices/opencl_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "oracle/devices/kernel_module.h"

namespace assay::oracle {
namespace {

constexpr std::size_t kRangeWord = 8;
constexpr const char* kRangeKernel = "assay_range";
constexpr const char* kRangeSource =
    "kernel void assay_range(uint at, uint first, global uint* x) {\n"
    "  uint i = get_global_id(0);\n"
    "  x[at + i] = first + i;\n"
    "}\n";

}  // namespace

Expected<cl_program> OpenClRanges::Create() const {
  if (spirv_) {
    return CreateProgramOfWords(*spirv_, info_, queue_.context,
                                RangeModule(kRangeKernel, spirv_->target), kRangeKernel);
  }
  const char* text = kRangeSource;
  cl_int status = CL_SUCCESS;
  cl_program program =
      queue_.api->clCreateProgramWithSource(queue_.context, 1, &text, nullptr, &status);
  auto made = queue_.CheckObject(status, program, "clCreateProgramWithSource");
  return made ? Expected<cl_program>(program) : tl::unexpected<Error>(made.error());
}

Expected<void> OpenClRanges::Build() {
  if (kernel_ != nullptr) return {};
  const OpenClApi& api = *queue_.api;
  const auto program = Create();
  if (!program) return tl::unexpected<Error>(program.error());
  program_ = {*program, [api = queue_.api](cl_program p) { api->clReleaseProgram(p); }};
  cl_int status = api.clBuildProgram(program_.get(), 1, &info_.device, "", nullptr, nullptr);
  if (auto built = queue_.Check(status, "clBuildProgram of assay_range"); !built) return built;
  kernel_ = {api.clCreateKernel(program_.get(), kRangeKernel, &status),
             [api = queue_.api](cl_kernel k) {
               if (k != nullptr) api->clReleaseKernel(k);
             }};
  auto made = queue_.CheckObject(status, kernel_.get(), "clCreateKernel");
  if (!made) kernel_ = nullptr;
  return made;
}

Expected<void> OpenClRanges::MakeOperands(cl_mem buffer, std::size_t at, std::uint32_t first,
                                          std::size_t count) {
  if (auto built = Build(); !built) return built;
  const OpenClApi& api = *queue_.api;
  const auto place = static_cast<cl_uint>(at);
  const cl_uint bits = first;
  cl_int status = api.clSetKernelArg(kernel_.get(), 0, sizeof place, &place);
  if (status == CL_SUCCESS) status = api.clSetKernelArg(kernel_.get(), 1, sizeof bits, &bits);
  if (status == CL_SUCCESS) status = api.clSetKernelArg(kernel_.get(), 2, sizeof buffer, &buffer);
  if (auto set = queue_.Check(status, "clSetKernelArg of assay_range"); !set) return set;
  const std::size_t local = kWorkGroup;
  status = api.clEnqueueNDRangeKernel(queue_.queue, kernel_.get(), 1, nullptr, &count, &local, 0,
                                      nullptr, nullptr);
  return queue_.Check(status, "clEnqueueNDRangeKernel of assay_range");
}

// All of it is read back: an answer that is not written is known by it.
Expected<void> OpenClRanges::GrowPoison(std::size_t bytes) {
  if (bytes <= poison_bytes_) return {};
  poison_ = nullptr;
  poison_bytes_ = 0;
  auto buffer = queue_.CreateBuffer(CL_MEM_READ_WRITE, bytes, nullptr);
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  std::vector<std::byte> all(bytes), found(bytes);
  RangePoison(0).From(std::size_t{0} - kRangeLead).Fill(all);
  RangePoison(0).Other().Fill(found);
  cl_int status = queue_.api->clEnqueueWriteBuffer(queue_.queue, buffer->get(), CL_TRUE, 0, bytes,
                                                   all.data(), 0, nullptr, nullptr);
  if (auto done = queue_.Check(status, "clEnqueueWriteBuffer"); !done) return done;
  status = queue_.api->clEnqueueReadBuffer(queue_.queue, buffer->get(), CL_TRUE, 0, bytes,
                                           found.data(), 0, nullptr, nullptr);
  if (auto done = queue_.Check(status, "clEnqueueReadBuffer"); !done) return done;
  if (all != found) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: a buffer of {} bytes does not hold what was written there",
                            queue_.name, bytes));
  }
  poison_ = std::move(*buffer);
  poison_bytes_ = bytes;
  return {};
}

Expected<void> OpenClRanges::CopyPoison(cl_mem buffer, std::size_t shift, std::size_t guard,
                                        std::size_t bytes) {
  const std::size_t lead = kRangeLead * kRangeWord;
  if (guard > lead || guard % kRangeWord != 0 || shift >= kRangeShifts) {
    return Fail(ErrorKind::kInternal, "assay: no poison for this range");
  }
  if (auto grown = GrowPoison(lead + kRangeShifts * kRangeWord + bytes); !grown) return grown;
  const cl_int status = queue_.api->clEnqueueCopyBuffer(queue_.queue, poison_.get(), buffer,
                                                        lead + shift * kRangeWord - guard, 0, bytes,
                                                        0, nullptr, nullptr);
  return queue_.Check(status, "clEnqueueCopyBuffer");
}

void OpenClRanges::Pin(std::span<std::byte> memory) {
  Pinned& pinned = pinned_[memory.data()];
  if (pinned.size >= memory.size()) return;
  pinned = {};
  // A buffer that no command uses.  Without one the answers come all the same.
  auto buffer =
      queue_.CreateBuffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.size(), memory.data());
  pinned.size = memory.size();
  if (buffer) pinned.buffer = std::move(*buffer);
}

Expected<MadeOthers> OpenClRanges::Check(std::uint32_t first, std::size_t count) {
  const std::size_t padded = (count + kWorkGroup - 1) / kWorkGroup * kWorkGroup;
  const std::size_t bytes = padded * sizeof(std::uint32_t);
  const auto buffer = queue_.CreateBuffer(CL_MEM_READ_WRITE, bytes, nullptr);
  if (!buffer) return tl::unexpected<Error>(buffer.error());
  std::vector<std::uint32_t> found(padded);
  for (std::size_t i = 0; i < padded; ++i) found[i] = ~(first + static_cast<std::uint32_t>(i));
  // Neither zeros nor what a range before has left there may be taken for this one.
  cl_int status = queue_.api->clEnqueueWriteBuffer(queue_.queue, buffer->get(), CL_TRUE, 0, bytes,
                                                   found.data(), 0, nullptr, nullptr);
  if (auto done = queue_.Check(status, "clEnqueueWriteBuffer"); !done) {
    return tl::unexpected<Error>(done.error());
  }
  auto made = MakeOperands(buffer->get(), 0, first, padded);
  if (made) {
    status = queue_.api->clEnqueueReadBuffer(queue_.queue, buffer->get(), CL_TRUE, 0, bytes,
                                             found.data(), 0, nullptr, nullptr);
    made = queue_.Check(status, "clEnqueueReadBuffer");
  }
  if (!made) {
    queue_.api->clFinish(queue_.queue);
    return tl::unexpected<Error>(made.error());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t right = first + static_cast<std::uint32_t>(i);
    if (found[i] == right) continue;
    return fmt::format(
        "the kernel `x[at + i] = first + i` of uint makes 0x{:08x} in place of 0x{:08x} (first "
        "0x{:08x}, {} items)",
        found[i], right, first, count);
  }
  return std::nullopt;
}

}  // namespace assay::oracle
