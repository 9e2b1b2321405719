// OpenCL devices through the ICD loader.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "oracle/devices/call_environment.h"
#include "oracle/devices/device.h"
#include "oracle/devices/identity.h"
#include "oracle/devices/kernel_module.h"
#include "oracle/devices/opencl_columns.h"
#include "oracle/devices/opencl_images.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_kernels.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/devices/opencl_program.h"
#include "oracle/devices/opencl_ranges.h"
#include "oracle/devices/opencl_spirv.h"
#include "oracle/devices/opencl_transfers.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Format;
using numerics::Operation;
using numerics::ScalarType;
using numerics::Slot;

constexpr std::size_t kWidest = 16;
// PoCL compiles a kernel once for launches below 65536 work-items and once for larger ones.
constexpr std::size_t kSmallGrid = 65536 - kWorkGroup;

// The content of the outputs after the items, which are processed in place.
class Tails {
 public:
  Tails(std::span<const Column> outputs, std::size_t first, std::size_t count) {
    for (const Column& column : outputs) {
      const std::size_t bytes = ElementBytes(column.slot);
      const std::span<const std::byte> tail(
          static_cast<const std::byte*>(column.data) + first * bytes, (count - first) * bytes);
      tails_.push_back({tail, {tail.begin(), tail.end()}});
    }
  }
  bool Changed() const {
    return std::any_of(tails_.begin(), tails_.end(), [](const Tail& tail) {
      return !std::equal(tail.now.begin(), tail.now.end(), tail.before.begin());
    });
  }

 private:
  struct Tail {
    std::span<const std::byte> now;
    std::vector<std::byte> before;
  };
  std::vector<Tail> tails_;
};

class OpenClDevice : public Device,
                     public AnswersImages,
                     public AnswersKernels,
                     public MakesRanges {
 public:
  OpenClDevice(std::shared_ptr<const OpenClApi> api, OpenClDeviceInfo info, bool one_by_one,
               std::optional<SpirvSupport> spirv)
      : api_(std::move(api)), info_(std::move(info)), one_by_one_(one_by_one), spirv_(spirv) {}
  ~OpenClDevice() override {
    kernels_ = {};
    images_.reset();
    asked_kernels_.reset();
    programs_.reset();
    columns_.reset();
    ranges_.reset();
    if (queue_.queue != nullptr) api_->clReleaseCommandQueue(queue_.queue);
    if (queue_.context != nullptr) api_->clReleaseContext(queue_.context);
  }
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;

  Expected<void> Open();

  const DeviceDescription& Description() const override { return info_.description; }
  Expected<void> Prepare(const TaskSpec& task) override {
    return Guarded([&] { return PrepareTask(task); });
  }
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override {
    return Guarded([&] { return RunTask(width, inputs, outputs, count); });
  }
  Expected<void> AskImages(const ImageRequest& request, ImageInputs inputs,
                           ImageOutputs outputs) override {
    if (spirv_ && NeedsKernel(request.op)) return NoSource("the kernels of images");
    if (images_ == nullptr) images_ = std::make_unique<OpenClImages>(queue_, info_);
    queue_.name = info_.description.name + " at an image";
    return Guarded([&] { return images_->Ask(request, inputs, outputs); });
  }
  Expected<void> AskKernel(const KernelRequest& request, ImageInputs inputs,
                           ImageOutputs outputs) override {
    if (spirv_ && !request.source.empty()) return NoSource("the kernels of this list");
    if (asked_kernels_ == nullptr) {
      asked_kernels_ = std::make_unique<OpenClKernels>(queue_, info_);
    }
    queue_.name = info_.description.name;
    return Guarded([&] { return asked_kernels_->Ask(request, inputs, outputs); });
  }
  Expected<void> AskTransfers(const TransferRequest& request, ImageInputs inputs,
                              ImageOutputs outputs) override {
    queue_.name = info_.description.name;
    return Guarded([&] { return OpenClTransfers(queue_).Ask(request, inputs, outputs); });
  }
  bool RunsOnProcessors() const override { return (info_.type & CL_DEVICE_TYPE_CPU) != 0; }
  Expected<void> RunRange(const RangeRequest& request, std::span<const Column> outputs) override {
    return Guarded([&] { return AnswerRange(request, outputs); });
  }
  Expected<MadeOthers> CheckRange(std::uint32_t first, std::size_t count) override {
    return Guarded([&] {
      return WorksInPlace() ? Expected<MadeOthers>(std::nullopt) : ranges_->Check(first, count);
    });
  }
  std::vector<std::string> TakeNotes() override { return environment_.TakeNotes(); }

 private:
  static bool NeedsKernel(ImageOp op) {
    return op != ImageOp::kAbilities && op != ImageOp::kFormats;
  }
  Expected<void> NoSource(std::string_view what) const {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} is given SPIR-V, and {} are written in OpenCL C; as SPIR-V it can "
                            "be asked for functions and conversions (--functions @all)",
                            info_.description.name, what));
  }
  // Calls into the driver: it must not change how this thread computes.
  template <typename Calls>
  auto Guarded(const Calls& calls) -> decltype(calls()) {
    auto done = calls();
    if (environment_.ProcessorChanged()) environment_.RestoreProcessor();
    return done;
  }
  Expected<void> PrepareTask(const TaskSpec& task);
  Expected<void> RunTask(int width, std::span<const ConstColumn> inputs,
                         std::span<const Column> outputs, std::size_t count);
  // A CPU works on the caller's memory.
  bool WorksInPlace() const {
    return kernels_.scheme == KernelScheme::kSwitched && info_.unified_memory;
  }
  Expected<void> AnswerRange(const RangeRequest& request, std::span<const Column> outputs);
  Expected<void> CheckFormats(const Operation& operation) const;
  Expected<void> WarmUp();
  // Vectors [first, first + vectors) of the buffers.
  Expected<void> Launch(int width, std::span<const cl_mem> buffers, std::size_t first,
                        std::size_t vectors);
  // Whole work-groups straight on the caller's memory; and through buffers of the device's own.
  Expected<void> RunInPlace(int width, std::span<const ConstColumn> inputs,
                            std::span<const Column> outputs, std::size_t count);
  Expected<void> MapResult(cl_mem buffer, const Column& column, std::size_t count) const;
  Expected<void> RunCopied(int width, std::span<const ConstColumn> inputs,
                           std::span<const Column> outputs, std::size_t first, std::size_t count);

  std::shared_ptr<const OpenClApi> api_;
  OpenClDeviceInfo info_;
  bool one_by_one_;
  std::optional<SpirvSupport> spirv_;  // programs are given as SPIR-V
  CallEnvironment environment_;
  OpenClQueue queue_;
  std::unique_ptr<OpenClColumns> columns_;
  std::unique_ptr<OpenClRanges> ranges_;
  std::vector<std::uint32_t> operands_;  // of a range, in place
  std::unique_ptr<OpenClPrograms> programs_;
  std::unique_ptr<OpenClImages> images_;          // once asked
  std::unique_ptr<OpenClKernels> asked_kernels_;  // once asked
  TaskSpec task_;
  TaskKernels kernels_;
};

Expected<void> OpenClDevice::Open() {
  queue_.api = api_;
  queue_.name = info_.description.name;
  cl_int status = CL_SUCCESS;
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(info_.platform), 0};
  // No callback: a driver would call it on a thread of its own, whenever it likes.
  queue_.context = api_->clCreateContext(properties, 1, &info_.device, nullptr, nullptr, &status);
  if (auto made = queue_.CheckObject(status, queue_.context, "clCreateContext"); !made) return made;
  queue_.queue = api_->clCreateCommandQueue(queue_.context, info_.device, 0, &status);
  if (auto made = queue_.CheckObject(status, queue_.queue, "clCreateCommandQueue"); !made) {
    return made;
  }
  columns_ = std::make_unique<OpenClColumns>(queue_);
  ranges_ = std::make_unique<OpenClRanges>(queue_, info_, spirv_);
  programs_ = std::make_unique<OpenClPrograms>(api_, info_, queue_.context, one_by_one_, spirv_);
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
  return spirv_ ? CheckInSpirv(operation) : Expected<void>();
}

Expected<void> OpenClDevice::PrepareTask(const TaskSpec& task) {
  kernels_ = {};
  task_ = task;
  queue_.name = fmt::format("{} at {} {}", info_.description.name, task.operation.Name(),
                            task.operation.FormatName());
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

// `vectors` is a multiple of kWorkGroup: no bounds check stands between the vectors of a kernel.
Expected<void> OpenClDevice::Launch(int width, std::span<const cl_mem> buffers, std::size_t first,
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
  if (auto checked = queue_.Check(status, "clSetKernelArg"); !checked) return checked;
  const std::size_t local = kWorkGroup;
  const cl_uint first_argument = kernels_.scheme == KernelScheme::kSwitched ? 1 : 0;
  const std::size_t most = kernels_.scheme == KernelScheme::kSwitched ? kSmallGrid : vectors;
  for (std::size_t done = 0; done < vectors; done += most) {
    const auto base = static_cast<cl_uint>(first + done);
    status = api_->clSetKernelArg(k, first_argument, sizeof base, &base);
    const std::size_t global = std::min(most, vectors - done);
    if (status == CL_SUCCESS) {
      status = api_->clEnqueueNDRangeKernel(queue_.queue, k, 1, nullptr, &global, &local, 0,
                                            nullptr, nullptr);
    }
    if (auto checked = queue_.Check(status, "clEnqueueNDRangeKernel"); !checked) return checked;
  }
  return {};
}

// Mapping makes a kernel's stores visible at the host pointer (API specification, 5.2.1), and the
// mapped address is that pointer.
Expected<void> OpenClDevice::MapResult(cl_mem buffer, const Column& column,
                                       std::size_t count) const {
  cl_int status = CL_SUCCESS;
  void* mapped =
      api_->clEnqueueMapBuffer(queue_.queue, buffer, CL_TRUE, CL_MAP_READ, 0,
                               count * ElementBytes(column.slot), 0, nullptr, nullptr, &status);
  if (auto checked = queue_.Check(status, "clEnqueueMapBuffer"); !checked) return checked;
  if (mapped != column.data) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: clEnqueueMapBuffer mapped memory of CL_MEM_USE_HOST_PTR to "
                            "another address than the host's",
                            queue_.name));
  }
  return queue_.Check(
      api_->clEnqueueUnmapMemObject(queue_.queue, buffer, mapped, 0, nullptr, nullptr),
      "clEnqueueUnmapMemObject");
}

Expected<void> OpenClDevice::RunInPlace(int width, std::span<const ConstColumn> inputs,
                                        std::span<const Column> outputs, std::size_t count) {
  std::vector<BufferHandle> handles;
  std::vector<cl_mem> buffers;
  auto wrap = [&](const Slot& slot, void* data, cl_mem_flags access) -> Expected<void> {
    auto buffer =
        queue_.CreateBuffer(CL_MEM_USE_HOST_PTR | access, count * ElementBytes(slot), data);
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    buffers.push_back(buffer->get());
    handles.push_back(std::move(*buffer));
    return {};
  };
  auto ran = Expected<void>();
  for (const ConstColumn& column : inputs) {
    if (ran) ran = wrap(column.slot, const_cast<void*>(column.data), CL_MEM_READ_ONLY);
  }
  for (const Column& column : outputs) {
    if (ran) ran = wrap(column.slot, column.data, CL_MEM_WRITE_ONLY);
  }
  if (ran) ran = Launch(width, buffers, 0, count / static_cast<std::size_t>(width));
  for (std::size_t k = 0; ran && k < outputs.size(); ++k) {
    ran = MapResult(buffers[inputs.size() + k], outputs[k], count);
  }
  // Also after an error: the buffers go, and nothing may still be at work on them.
  const cl_int finished = api_->clFinish(queue_.queue);
  return ran ? queue_.Check(finished, "clFinish") : ran;
}

Expected<void> OpenClDevice::RunCopied(int width, std::span<const ConstColumn> inputs,
                                       std::span<const Column> outputs, std::size_t first,
                                       std::size_t count) {
  auto ran = columns_->Upload(width, inputs, outputs, first, count);
  if (ran) {
    ran = Launch(width, columns_->buffers(), OpenClColumns::kFirstVector, columns_->vectors());
  }
  if (ran) ran = columns_->Download();
  // Nothing may still be reading or writing the caller's memory.
  if (!ran) api_->clFinish(queue_.queue);
  return ran;
}

Expected<void> OpenClDevice::RunTask(int width, std::span<const ConstColumn> inputs,
                                     std::span<const Column> outputs, std::size_t count) {
  if (count == 0) return {};
  const std::size_t granule = kWorkGroup * static_cast<std::size_t>(width);
  std::size_t done = 0;
  // Only the last, partial work-group needs padded buffers.
  if (WorksInPlace() && count >= granule) {
    done = count / granule * granule;
    const Tails tails(outputs, done, count);
    if (auto run = RunInPlace(width, inputs, outputs, done); !run) return run;
    if (tails.Changed()) {
      return Fail(ErrorKind::kDevice,
                  fmt::format("{}: the kernel stored behind its results, or the driver wrote there "
                              "(width {}, {} items)",
                              queue_.name, width, done));
    }
  }
  return done == count ? Expected<void>() : RunCopied(width, inputs, outputs, done, count - done);
}

Expected<void> OpenClDevice::AnswerRange(const RangeRequest& request,
                                         std::span<const Column> outputs) {
  if (request.count == 0) return {};
  if (!WorksInPlace()) {
    ranges_->Pin(request.memory);
    auto ran = columns_->UploadRange(ranges_.get(), request, outputs);
    // Nothing was asked of the function yet.
    if (!ran) ran = Fail(ErrorKind::kUnsupported, ran.error().message);
    if (ran) {
      ran = Launch(request.width, columns_->buffers(), OpenClColumns::kFirstVector,
                   columns_->vectors());
    }
    if (ran) ran = columns_->Download();
    // Nothing may still be writing the caller's memory.
    if (!ran) api_->clFinish(queue_.queue);
    return ran;
  }
  operands_.resize(request.count);
  std::uint32_t next = request.first;
  for (std::uint32_t& operand : operands_) operand = next++;
  const ConstColumn input{task_.operation.Inputs()[0], operands_.data()};
  if (auto ran = RunTask(request.width, {&input, 1}, outputs, request.count); !ran) return ran;
  next = request.first;
  std::uint32_t changed = 0;
  for (const std::uint32_t operand : operands_) changed |= operand ^ next++;
  if (changed == 0) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: the kernel or the driver changed its operands", queue_.name));
}

}  // namespace

std::string_view ProgramFormName(ProgramForm form) {
  return form == ProgramForm::kSource ? "source" : "spirv";
}

std::optional<ProgramForm> ProgramFormFromName(std::string_view name) {
  for (const ProgramForm form : {ProgramForm::kSource, ProgramForm::kSpirv}) {
    if (ProgramFormName(form) == name) return form;
  }
  return std::nullopt;
}

Expected<std::unique_ptr<Device>> OpenOpenCl(const std::string& selector,
                                             const OpenClOptions& options) {
  const std::set<std::string> loaded_before = LoadedLibraries();
  auto api = OpenClApi::Open();
  if (!api) return tl::unexpected<Error>(api.error());
  auto info = SelectOpenClDevice(**api, selector);
  if (!info) return tl::unexpected<Error>(info.error());
  const auto spirv = SpirvToGive(**api, *info, options.program);
  if (!spirv) return tl::unexpected<Error>(spirv.error());
  if (*spirv) info->description.program = (*spirv)->Name();
  info->description.identity = IdentityOfDriver(info->platform, loaded_before);
  auto device = std::make_unique<OpenClDevice>(std::move(*api), std::move(*info),
                                               options.one_program_a_task, *spirv);
  if (auto opened = device->Open(); !opened) return tl::unexpected<Error>(opened.error());
  return device;
}

}  // namespace assay::oracle
