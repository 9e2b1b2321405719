// The kernels that an OpenCL driver would be given, compiled by the compiler that `assay run` uses,
// and executed exactly.
#include "oracle/jobs/interpreter.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "frontend/load.h"
#include "interp/launch/launch.h"
#include "oracle/devices/identity.h"
#include "oracle/devices/kernel_source.h"

namespace assay::oracle {
namespace {

using numerics::ConstColumn;
using numerics::Format;
using numerics::ScalarType;
using numerics::Slot;

std::size_t ElementBytes(const Slot& slot) {
  return numerics::SizeOf(slot.type) * static_cast<std::size_t>(slot.components);
}

class InterpreterDevice : public Device {
 public:
  explicit InterpreterDevice(numerics::Rounding rounding) {
    options_.rounding = rounding;
    description_.kind = "interpreter";
    description_.name = "assay interpreter";
    description_.vendor = "assay";
    description_.c_version = "OpenCL C 1.2";
    for (const Format format : {Format::kHalf, Format::kFloat, Format::kDouble}) {
      description_.supports[static_cast<int>(format)] = true;
      description_.rounding[static_cast<int>(format)] = rounding;
    }
    description_.correctly_rounded_divide_sqrt = true;
    description_.identity = {IdentityOfAssay()};
  }

  const DeviceDescription& Description() const override { return description_; }
  Expected<void> Prepare(const TaskSpec& task) override;
  Expected<void> Run(int width, std::span<const ConstColumn> inputs,
                     std::span<const Column> outputs, std::size_t count) override;

 private:
  struct Staging {
    interp::Address address = 0;
    std::size_t bytes = 0;
  };
  // Memory of the slot, at least so large.
  Expected<interp::Address> Buffer(std::size_t slot, std::size_t bytes);

  interp::SessionOptions options_;
  DeviceDescription description_;
  TaskSpec task_;
  std::unique_ptr<interp::Session> session_;
  std::vector<Staging> staging_;
};

Expected<void> InterpreterDevice::Prepare(const TaskSpec& task) {
  session_.reset();
  staging_.clear();
  task_ = task;
  if (ComputesWith(task.operation, ScalarType::kBfloat16)) {
    return Fail(ErrorKind::kUnsupported, "the interpreter has no bfloat16 (cl_khr_bfloat16)");
  }
  const KernelFamily family = {task.operation};
  const std::string source =
      ProgramSource(std::span(&family, 1), task.widths, KernelScheme::kSeparate);
  frontend::CompileOptions compile;
  compile.build_options = task.build_options;
  compile.options_from = frontend::OptionsFrom::kCommandLine;
  auto compiled = frontend::CompileSource(source, task.operation.Name() + ".cl", ".", compile);
  if (!compiled) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: {}", description_.name, compiled.error().message));
  }
  auto loaded = frontend::LoadModule(std::span(&compiled->binary, 1), {});
  if (!loaded) return tl::unexpected(loaded.error());
  auto session = interp::Session::Create(loaded->module, options_);
  if (!session) return tl::unexpected(session.error());
  session_ = std::move(*session);
  return {};
}

Expected<interp::Address> InterpreterDevice::Buffer(std::size_t slot, std::size_t bytes) {
  if (staging_.size() <= slot) staging_.resize(slot + 1);
  Staging& staging = staging_[slot];
  if (staging.bytes < bytes) {
    if (staging.address != 0) (void)session_->memory().Release(staging.address);
    auto address = session_->memory().Allocate(bytes, interp::AddressSpace::kGlobal,
                                               fmt::format("column {}", slot));
    if (!address) return address;
    staging = {*address, bytes};
  }
  return staging.address;
}

Expected<void> InterpreterDevice::Run(int width, std::span<const ConstColumn> inputs,
                                      std::span<const Column> outputs, std::size_t count) {
  if (session_ == nullptr) return Fail(ErrorKind::kInternal, "no task was prepared");
  const auto lanes = static_cast<std::size_t>(width);
  const std::size_t vectors = (count + lanes - 1) / lanes;
  interp::LaunchRequest request;
  request.kernel = KernelName(task_.operation, KernelScheme::kSeparate, width);
  request.range.global[0] = vectors;
  request.arguments.emplace_back(interp::BytesArgument{std::vector<std::byte>(4)});
  std::size_t slot = 0;
  for (const ConstColumn& input : inputs) {
    const std::size_t bytes = ElementBytes(input.slot);
    auto address = Buffer(slot++, vectors * lanes * bytes);
    if (!address) return tl::unexpected(address.error());
    const std::span<std::byte> memory = session_->memory().Bytes(*address);
    std::memcpy(memory.data(), input.data, count * bytes);
    // The last vector is padded with copies of the last item.
    for (std::size_t i = count; i < vectors * lanes; ++i) {
      std::memcpy(memory.data() + i * bytes, memory.data() + (count - 1) * bytes, bytes);
    }
    request.arguments.emplace_back(interp::BufferArgument{*address});
  }
  const std::size_t first_output = slot;
  for (const Column& output : outputs) {
    auto address = Buffer(slot++, vectors * lanes * ElementBytes(output.slot));
    if (!address) return tl::unexpected(address.error());
    request.arguments.emplace_back(interp::BufferArgument{*address});
  }
  auto result = session_->Launch(request);
  if (!result) return tl::unexpected(result.error());
  if (result->end != interp::LaunchEnd::kCompleted || !result->findings.empty()) {
    return Fail(
        ErrorKind::kInternal,
        fmt::format("the interpreter did not run {}: {}", request.kernel,
                    result->findings.empty() ? result->message : result->findings.front().message));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::span<std::byte> memory =
        session_->memory().Bytes(staging_[first_output + i].address);
    std::memcpy(outputs[i].data, memory.data(), count * ElementBytes(outputs[i].slot));
  }
  return {};
}

}  // namespace

Expected<std::unique_ptr<Device>> OpenInterpreter(numerics::Rounding rounding) {
  if (const auto compiler = frontend::DefaultCompiler(); !compiler) {
    return Fail(ErrorKind::kUsage, "the interpreter compiles kernels: " + compiler.error().message);
  }
  return std::unique_ptr<Device>(new InterpreterDevice(rounding));
}

}  // namespace assay::oracle
