#include "oracle/devices/opencl_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "numerics/function.h"
#include "oracle/devices/kernel_module.h"

namespace assay::oracle {
namespace {

using numerics::Function;
using numerics::Operation;
using numerics::OperationKind;
using numerics::ScalarType;

// Rows of functions.def that share a program, and the largest step that still counts as walking
// along the table.
constexpr int kRowsTogether = 16;
// A caller may go through several formats in turn.
constexpr std::size_t kRecentPrograms = 4;

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

KernelScheme OpenClPrograms::Scheme() const {
  // rusticl calls llvmpipe a CPU but runs every branch of a switch under a mask.
  const bool cpu = (info_.type & CL_DEVICE_TYPE_CPU) != 0;
  return cpu && !Contains(info_.description.platform, "rusticl") ? KernelScheme::kSwitched
                                                                 : KernelScheme::kSeparate;
}

Expected<std::string> OpenClPrograms::BuildOptions(const TaskSpec& task) const {
  std::string options;
  if (task.math == MathMode::kRelaxed) {
    if (!spirv_ && info_.c_standard < 200) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("the limits of relaxed math need OpenCL C 2.0 (7.4), and {} compiles "
                              "{}",
                              info_.description.name, info_.description.c_version));
    }
    options = "-cl-fast-relaxed-math";
    // The version of the language is ignored for SPIR-V (API specification, 5.8.6).
    if (!spirv_) options += info_.c_standard >= 300 ? " -cl-std=CL3.0" : " -cl-std=CL2.0";
  }
  if (!task.build_options.empty()) {
    options += (options.empty() ? "" : " ") + task.build_options;
  }
  return options;
}

bool OpenClPrograms::Supports(const Operation& operation) const {
  const DeviceDescription& d = info_.description;
  if (spirv_ && !CheckInSpirv(operation)) return false;
  for (numerics::Format format : numerics::kAllFormats) {
    if (ComputesWith(operation, numerics::ScalarTypeOf(format)) &&
        !d.supports[static_cast<int>(format)]) {
      return false;
    }
  }
  return info_.has_64_bit_integers || (!ComputesWith(operation, ScalarType::kLong) &&
                                       !ComputesWith(operation, ScalarType::kUlong));
}

// Does this built-in follow the last one of its format in the table?
bool OpenClPrograms::Walking(const Operation& operation) {
  const int row = static_cast<int>(operation.function);
  const int format = static_cast<int>(operation.format);
  const auto last = last_row_.find(format);
  const bool walking =
      last != last_row_.end() && row >= last->second && row - last->second <= kRowsTogether;
  last_row_[format] = row;
  return walking;
}

// The conversions from the same type, those to one type in a family.  Where a kernel is compiled
// when it is first launched a large program costs little; elsewhere those to one type must do.
std::vector<KernelFamily> OpenClPrograms::ConversionsWith(const TaskSpec& task) const {
  const Operation& asked = task.operation;
  std::vector<KernelFamily> families;
  for (const Operation& operation : numerics::AllConversions()) {
    if (operation.kind != asked.kind || operation.from != asked.from || !Supports(operation)) {
      continue;
    }
    if (Scheme() == KernelScheme::kSeparate && operation.to != asked.to) continue;
    if (families.empty() || families.back()[0].to != operation.to) families.emplace_back();
    families.back().push_back(operation);
  }
  return families;
}

// The built-ins from this row of the table on, each a family of its own.
std::vector<KernelFamily> OpenClPrograms::RowsFrom(const TaskSpec& task, const Key& key) const {
  const auto rows = numerics::AllFunctions();
  const auto first = static_cast<std::size_t>(task.operation.function);
  std::vector<KernelFamily> families;
  for (std::size_t k = first; k < std::min(first + kRowsTogether, rows.size()); ++k) {
    // Geometric functions are requested in other widths.
    if (rows[k].IsGeometric() != rows[first].IsGeometric()) break;
    if (!rows[k].Supports(task.operation.format)) continue;
    const int least = rows[k].function == Function::cross ? 3 : 1;
    for (int n = least; n <= (rows[k].IsGeometric() ? 4 : 1); ++n) {
      TaskSpec neighbour = task;
      neighbour.operation = Operation::Builtin(rows[k].function, task.operation.format, n);
      const auto options = BuildOptions(neighbour);
      if (!Supports(neighbour.operation)) continue;
      if (options && *options == key.options) families.push_back({neighbour.operation});
    }
  }
  return families;
}

std::vector<KernelFamily> OpenClPrograms::Together(const TaskSpec& task, const Key& key) {
  const bool builtin = task.operation.kind == OperationKind::kBuiltin;
  const bool walking = builtin && Walking(task.operation);
  // The first program holds nothing else: where a compiler crashes over a neighbour, a device that
  // was started again can tell whose fault it is.
  if (alone_ > 0 || one_by_one_) {
    alone_ = std::max(0, alone_ - 1);
    return {{task.operation}};
  }
  if (!builtin) return ConversionsWith(task);
  // A driver that compiles every kernel of a program at once could take minutes over 16 rows.
  if (!walking || Scheme() == KernelScheme::kSeparate) return {{task.operation}};
  return RowsFrom(task, key);
}

std::string OpenClPrograms::NoObject(std::string_view call) const {
  return fmt::format("{}: {} gave neither an object nor an error", info_.description.name, call);
}

// Not built yet.  `name` is for messages.
Expected<ProgramHandle> OpenClPrograms::Create(const std::vector<KernelFamily>& families,
                                               const Key& key, const std::string& name) const {
  const auto held = [this](cl_program made) {
    return ProgramHandle(made, [api = api_](cl_program used) { api->clReleaseProgram(used); });
  };
  if (spirv_) {
    const auto words = ProgramModule(families, key.widths, Scheme(), spirv_->target);
    const auto made = CreateProgramOfWords(*spirv_, info_, context_, words, name);
    return made ? Expected<ProgramHandle>(held(*made)) : tl::unexpected<Error>(made.error());
  }
  const std::string source = ProgramSource(families, key.widths, Scheme());
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  const cl_program made = api_->clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
  if (status == CL_SUCCESS && made != nullptr) return held(made);
  return Fail(ErrorKind::kDevice,
              status == CL_SUCCESS ? NoObject("clCreateProgramWithSource")
                                   : fmt::format("{} did not build {} ({})", info_.description.name,
                                                 name, OpenClErrorName(status)));
}

Expected<ProgramHandle> OpenClPrograms::Build(const std::vector<KernelFamily>& families,
                                              const Key& key, const Operation& asked) {
  const std::string name = fmt::format(
      "the kernel of {} {}{}", asked.Name(), asked.FormatName(),
      spirv_ ? fmt::format(", {} with {}", spirv_->Name(), InstructionName(asked)) : "");
  auto program = Create(families, key, name);
  if (!program) return program;
  const cl_int status =
      api_->clBuildProgram(program->get(), 1, &info_.device, key.options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return program;
  const std::string log = OpenClBuildLog(*api_, program->get(), info_.device);
  return Fail(ErrorKind::kDevice,
              fmt::format("{} did not build {} ({}){}{}", info_.description.name, name,
                          OpenClErrorName(status), log.empty() ? "" : "; its build log:\n", log));
}

Expected<KernelHandle> OpenClPrograms::CreateKernel(cl_program program,
                                                    const std::string& name) const {
  cl_int status = CL_SUCCESS;
  KernelHandle kernel(api_->clCreateKernel(program, name.c_str(), &status),
                      [api = api_](cl_kernel k) {
                        if (k != nullptr) api->clReleaseKernel(k);
                      });
  if (status == CL_SUCCESS && kernel == nullptr) {
    return Fail(ErrorKind::kDevice, NoObject("clCreateKernel"));
  }
  if (status == CL_SUCCESS) return kernel;
  const std::string log = OpenClBuildLog(*api_, program, info_.device);
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: clCreateKernel(\"{}\"): {}{}{}", info_.description.name, name,
                          OpenClErrorName(status), log.empty() ? "" : "; the build log:\n", log));
}

Expected<TaskKernels> OpenClPrograms::Kernels(const Built& built, const TaskSpec& task) const {
  TaskKernels kernels;
  kernels.program = built.program;
  kernels.scheme = Scheme();
  kernels.shared = built.families.size() > 1 || built.families[0].size() > 1;
  const KernelFamily* family = nullptr;
  for (const KernelFamily& candidate : built.families) {
    const auto member = std::find(candidate.begin(), candidate.end(), task.operation);
    if (member == candidate.end()) continue;
    family = &candidate;
    kernels.member = static_cast<std::size_t>(member - candidate.begin());
  }
  KernelHandle switched;
  for (int width : task.widths) {
    if (kernels.scheme == KernelScheme::kSwitched && switched != nullptr) {
      kernels.by_width[width] = switched;
      continue;
    }
    const Operation& named =
        kernels.scheme == KernelScheme::kSwitched ? family->front() : task.operation;
    auto kernel = CreateKernel(kernels.program.get(), KernelName(named, kernels.scheme, width));
    if (!kernel) return tl::unexpected<Error>(kernel.error());
    switched = *kernel;
    kernels.by_width[width] = std::move(*kernel);
  }
  return kernels;
}

Expected<TaskKernels> OpenClPrograms::Get(const TaskSpec& task) {
  auto options = BuildOptions(task);
  if (!options) return tl::unexpected<Error>(options.error());
  const Key key{task.widths, std::move(*options)};
  for (auto built = recent_.begin(); built != recent_.end(); ++built) {
    auto holds = [&](const KernelFamily& family) {
      return std::find(family.begin(), family.end(), task.operation) != family.end();
    };
    if (built->key == key && std::any_of(built->families.begin(), built->families.end(), holds)) {
      if (task.operation.kind == OperationKind::kBuiltin) Walking(task.operation);
      recent_.splice(recent_.begin(), recent_, built);
      return Kernels(recent_.front(), task);
    }
  }
  std::vector<KernelFamily> families = Together(task, key);
  const bool alone = families.size() == 1 && families[0].size() == 1;
  auto program = Build(families, key, task.operation);
  if (!program) return alone ? tl::unexpected<Error>(program.error()) : GetAlone(task);
  recent_.push_front({key, std::move(families), std::move(*program)});
  if (recent_.size() > kRecentPrograms) recent_.pop_back();
  return Kernels(recent_.front(), task);
}

Expected<TaskKernels> OpenClPrograms::GetAlone(const TaskSpec& task) {
  alone_ = kRowsTogether;  // some neighbour does not compile: do not meet it again with every row
  auto options = BuildOptions(task);
  if (!options) return tl::unexpected<Error>(options.error());
  const Key key{task.widths, std::move(*options)};
  std::vector<KernelFamily> families = {{task.operation}};
  auto program = Build(families, key, task.operation);
  if (!program) return tl::unexpected<Error>(program.error());
  return Kernels({key, std::move(families), std::move(*program)}, task);
}

}  // namespace assay::oracle
