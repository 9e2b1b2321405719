// OpenCL devices through the ICD loader.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "oracle/device.h"
#include "oracle/device_opencl_info.h"
#include "oracle/device_opencl_program.h"
#include "oracle/opencl_loader.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Format;
using numerics::Operation;
using numerics::ScalarType;
using numerics::Slot;

using BufferHandle = std::shared_ptr<_cl_mem>;

constexpr std::size_t kWorkGroup = 64;
constexpr std::size_t kWidest = 16;
// PoCL compiles a kernel once for launches below 65536 work-items and once for larger ones.
constexpr std::size_t kSmallGrid = 65536 - kWorkGroup;

std::size_t ElementBytes(const Slot& slot) {
  return SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

// A device buffer that is kept and grows.
struct Staging {
  BufferHandle buffer;
  std::size_t capacity = 0;
};

class OpenClDevice : public Device {
 public:
  OpenClDevice(std::shared_ptr<const OpenClApi> api, OpenClDeviceInfo info, bool one_by_one)
      : api_(std::move(api)), info_(std::move(info)), one_by_one_(one_by_one) {}
  ~OpenClDevice() override {
    kernels_ = {};
    programs_.reset();
    staging_ = {};
    if (queue_ != nullptr) api_->clReleaseCommandQueue(queue_);
    if (context_ != nullptr) api_->clReleaseContext(context_);
  }
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;

  Expected<void> Open();

  const DeviceDescription& Description() const override { return info_.description; }
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;

 private:
  Expected<void> CheckFormats(const Operation& operation) const;
  Expected<void> WarmUp();
  Expected<void> Check(cl_int status, const char* call) const;
  Expected<BufferHandle> CreateBuffer(cl_mem_flags flags, std::size_t size, void* host) const;
  Expected<cl_mem> StagingBuffer(std::size_t slot, std::size_t size);
  Expected<void> Launch(int width, std::span<const cl_mem> buffers, std::size_t vectors);
  // Whole work-groups straight on the caller's memory; and through buffers of the device's own.
  Expected<void> RunInPlace(int width, std::span<const ConstColumn> inputs,
                            std::span<const Column> outputs, std::size_t count);
  Expected<void> RunCopied(int width, std::span<const ConstColumn> inputs,
                           std::span<const Column> outputs, std::size_t first, std::size_t count);

  std::shared_ptr<const OpenClApi> api_;
  OpenClDeviceInfo info_;
  bool one_by_one_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::unique_ptr<OpenClPrograms> programs_;
  TaskSpec task_;
  TaskKernels kernels_;
  std::array<Staging, 5> staging_;  // up to three inputs and two outputs
};

Expected<void> OpenClDevice::Check(cl_int status, const char* call) const {
  if (status == CL_SUCCESS) return {};
  return Fail(
      ErrorKind::kDevice,
      fmt::format("{}: {} failed with {} for {} {}", info_.description.name, call,
                  OpenClErrorName(status), task_.operation.Name(), task_.operation.FormatName()));
}

Expected<void> OpenClDevice::Open() {
  cl_int status = CL_SUCCESS;
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(info_.platform), 0};
  context_ = api_->clCreateContext(properties, 1, &info_.device, nullptr, nullptr, &status);
  if (status == CL_SUCCESS) queue_ = api_->clCreateCommandQueue(context_, info_.device, 0, &status);
  if (status != CL_SUCCESS) {
    return Fail(ErrorKind::kDevice, fmt::format("{} cannot be opened: {}", info_.description.name,
                                                OpenClErrorName(status)));
  }
  programs_ = std::make_unique<OpenClPrograms>(api_, info_, context_, one_by_one_);
  return {};
}

Expected<void> OpenClDevice::CheckFormats(const Operation& operation) const {
  constexpr const char* kExtensions[] = {"cl_khr_fp16", "cl_khr_bfloat16", "", "cl_khr_fp64"};
  for (Format format : numerics::kAllFormats) {
    const int f = static_cast<int>(format);
    if (!ComputesWith(operation, numerics::ScalarTypeOf(format))) continue;
    if (info_.description.supports[f]) continue;
    return Fail(ErrorKind::kUnsupported, fmt::format("{} has no {} ({})", info_.description.name,
                                                     Traits(format).name, kExtensions[f]));
  }
  if (!info_.has_64_bit_integers &&
      (ComputesWith(operation, ScalarType::kLong) || ComputesWith(operation, ScalarType::kUlong))) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no 64-bit integers (embedded profile without cles_khr_int64)",
                            info_.description.name));
  }
  return {};
}

Expected<void> OpenClDevice::Prepare(const TaskSpec& task) {
  kernels_ = {};
  task_ = task;
  if (auto checked = CheckFormats(task.operation); !checked) return checked;
  auto kernels = programs_->Get(task);
  if (!kernels) return tl::unexpected<Error>(kernels.error());
  kernels_ = std::move(*kernels);
  auto warm = WarmUp();
  if (warm || !kernels_.shared) return warm;
  kernels = programs_->GetAlone(task);
  if (!kernels) return tl::unexpected<Error>(kernels.error());
  kernels_ = std::move(*kernels);
  return WarmUp();
}

// PoCL generates code at the first launch; doing that here makes its failure one of Prepare.
// Others have compiled by now, and rusticl would compile again for every launch.
Expected<void> OpenClDevice::WarmUp() {
  if (kernels_.scheme != KernelScheme::kSwitched || task_.widths.empty()) return {};
  std::vector<std::byte> zeros(kWorkGroup * kWidest * sizeof(std::uint64_t));
  std::vector<std::byte> answers[2] = {zeros, zeros};
  std::vector<ConstColumn> inputs;
  std::vector<Column> outputs;
  for (const Slot& slot : task_.operation.Inputs()) inputs.push_back({slot, zeros.data()});
  for (const Slot& slot : task_.operation.Outputs()) {
    outputs.push_back({slot, answers[outputs.size()].data()});
  }
  const int width = task_.widths.front();
  return RunCopied(width, inputs, outputs, 0, static_cast<std::size_t>(width));
}

Expected<BufferHandle> OpenClDevice::CreateBuffer(cl_mem_flags flags, std::size_t size,
                                                  void* host) const {
  cl_int status = CL_SUCCESS;
  BufferHandle buffer(api_->clCreateBuffer(context_, flags, size, host, &status),
                      [api = api_](cl_mem b) {
                        if (b != nullptr) api->clReleaseMemObject(b);
                      });
  if (auto checked = Check(status, "clCreateBuffer"); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  return buffer;
}

Expected<cl_mem> OpenClDevice::StagingBuffer(std::size_t slot, std::size_t size) {
  Staging& staging = staging_.at(slot);
  if (staging.capacity < size) {
    staging = {};
    auto buffer = CreateBuffer(CL_MEM_READ_WRITE, size, nullptr);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    staging = {std::move(*buffer), size};
  }
  return staging.buffer.get();
}

// `vectors` is a multiple of kWorkGroup: no bounds check stands between the vectors of a kernel.
Expected<void> OpenClDevice::Launch(int width, std::span<const cl_mem> buffers,
                                    std::size_t vectors) {
  const auto kernel = kernels_.by_width.find(width);
  if (kernel == kernels_.by_width.end()) {
    return Fail(ErrorKind::kInternal,
                fmt::format("{} was not prepared for width {}", task_.operation.Name(), width));
  }
  cl_kernel k = kernel->second.get();
  cl_uint argument = 0;
  cl_int status = CL_SUCCESS;
  if (kernels_.scheme == KernelScheme::kSwitched) {
    const cl_int selected = SwitchValue(kernels_.member, width);
    status = api_->clSetKernelArg(k, argument++, sizeof selected, &selected);
  }
  ++argument;  // `first`, below
  for (cl_mem buffer : buffers) {
    if (status == CL_SUCCESS) status = api_->clSetKernelArg(k, argument++, sizeof buffer, &buffer);
  }
  if (auto checked = Check(status, "clSetKernelArg"); !checked) return checked;
  const std::size_t local = kWorkGroup;
  const cl_uint first_argument = kernels_.scheme == KernelScheme::kSwitched ? 1 : 0;
  const std::size_t most = kernels_.scheme == KernelScheme::kSwitched ? kSmallGrid : vectors;
  for (std::size_t first = 0; first < vectors; first += most) {
    const auto base = static_cast<cl_uint>(first);
    status = api_->clSetKernelArg(k, first_argument, sizeof base, &base);
    const std::size_t global = std::min(most, vectors - first);
    if (status == CL_SUCCESS) {
      status =
          api_->clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &global, &local, 0, nullptr, nullptr);
    }
    if (auto checked = Check(status, "clEnqueueNDRangeKernel"); !checked) return checked;
  }
  return {};
}

Expected<void> OpenClDevice::RunInPlace(int width, std::span<const ConstColumn> inputs,
                                        std::span<const Column> outputs, std::size_t count) {
  std::vector<BufferHandle> handles;
  std::vector<cl_mem> buffers;
  auto wrap = [&](const Slot& slot, void* data, cl_mem_flags access) -> Expected<void> {
    auto buffer = CreateBuffer(CL_MEM_USE_HOST_PTR | access, count * ElementBytes(slot), data);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    buffers.push_back(buffer->get());
    handles.push_back(std::move(*buffer));
    return {};
  };
  for (const ConstColumn& column : inputs) {
    if (auto wrapped = wrap(column.slot, const_cast<void*>(column.data), CL_MEM_READ_ONLY);
        !wrapped) {
      return wrapped;
    }
  }
  for (const Column& column : outputs) {
    if (auto wrapped = wrap(column.slot, column.data, CL_MEM_WRITE_ONLY); !wrapped) return wrapped;
  }
  if (auto launched = Launch(width, buffers, count / static_cast<std::size_t>(width)); !launched) {
    return launched;
  }
  // Mapping is what makes a kernel's stores visible at the host pointer (API specification, 5.2.1).
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    cl_mem buffer = buffers[inputs.size() + k];
    cl_int status = CL_SUCCESS;
    void* mapped = api_->clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ, 0,
                                            count * ElementBytes(outputs[k].slot), 0, nullptr,
                                            nullptr, &status);
    if (auto checked = Check(status, "clEnqueueMapBuffer"); !checked) return checked;
    status = api_->clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr);
    if (auto checked = Check(status, "clEnqueueUnmapMemObject"); !checked) return checked;
  }
  return Check(api_->clFinish(queue_), "clFinish");
}

Expected<void> OpenClDevice::RunCopied(int width, std::span<const ConstColumn> inputs,
                                       std::span<const Column> outputs, std::size_t first,
                                       std::size_t count) {
  const std::size_t granule = kWorkGroup * static_cast<std::size_t>(width);
  const std::size_t padded = (count + granule - 1) / granule * granule;
  std::vector<cl_mem> buffers;
  for (const ConstColumn& column : inputs) {
    const std::size_t bytes = ElementBytes(column.slot);
    auto buffer = StagingBuffer(buffers.size(), padded * bytes);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    const auto* data = static_cast<const std::byte*>(column.data) + first * bytes;
    auto written = Check(api_->clEnqueueWriteBuffer(queue_, *buffer, CL_FALSE, 0, count * bytes,
                                                    data, 0, nullptr, nullptr),
                         "clEnqueueWriteBuffer");
    if (!written) return written;
    buffers.push_back(*buffer);
  }
  for (const Column& column : outputs) {
    auto buffer = StagingBuffer(buffers.size(), padded * ElementBytes(column.slot));
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    buffers.push_back(*buffer);
  }
  if (auto launched = Launch(width, buffers, padded / static_cast<std::size_t>(width)); !launched) {
    return launched;
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::size_t bytes = ElementBytes(outputs[k].slot);
    auto* data = static_cast<std::byte*>(outputs[k].data) + first * bytes;
    auto got = Check(api_->clEnqueueReadBuffer(queue_, buffers[inputs.size() + k], CL_FALSE, 0,
                                               count * bytes, data, 0, nullptr, nullptr),
                     "clEnqueueReadBuffer");
    if (!got) return got;
  }
  return Check(api_->clFinish(queue_), "clFinish");
}

Expected<void> OpenClDevice::Run(int width, std::span<const ConstColumn> inputs,
                                 std::span<const Column> outputs, std::size_t count) {
  if (count == 0) return {};
  const std::size_t granule = kWorkGroup * static_cast<std::size_t>(width);
  std::size_t done = 0;
  // A CPU works on the caller's memory; only the last, partial work-group needs padded buffers.
  if (kernels_.scheme == KernelScheme::kSwitched && info_.unified_memory && count >= granule) {
    done = count / granule * granule;
    if (auto run = RunInPlace(width, inputs, outputs, done); !run) return run;
  }
  if (done == count) return {};
  auto run = RunCopied(width, inputs, outputs, done, count - done);
  if (!run) api_->clFinish(queue_);  // nothing may still be reading the caller's memory
  return run;
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenOpenCl(const std::string& selector, bool one_program_a_task) {
  auto api = OpenClApi::Open();
  if (!api) return tl::unexpected<Error>(api.error());
  auto info = SelectOpenClDevice(**api, selector);
  if (!info) return tl::unexpected<Error>(info.error());
  auto device =
      std::make_unique<OpenClDevice>(std::move(*api), std::move(*info), one_program_a_task);
  if (auto opened = device->Open(); !opened) return tl::unexpected<Error>(opened.error());
  return device;
}

Expected<std::vector<DeviceListing>> ListOpenClDevices() {
  const auto api = OpenClApi::Open();
  if (!api) return tl::unexpected<Error>(api.error());
  const auto devices = AllOpenClDevices(**api);
  if (!devices) return tl::unexpected<Error>(devices.error());
  std::vector<DeviceListing> list;
  for (const OpenClDeviceInfo& info : *devices) {
    list.push_back({fmt::format("--opencl '{}'", info.selector), info.description});
  }
  return list;
}

}  // namespace assay::oracle
