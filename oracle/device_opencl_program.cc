#include "oracle/device_opencl_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

// The operations whose limit the option of 5.8.4.2 of the API specification changes.
bool DividesOrRoots(const Operation& operation) {
  if (operation.kind != OperationKind::kBuiltin || operation.format != numerics::Format::kFloat) {
    return false;
  }
  return operation.function == Function::div || operation.function == Function::recip_div ||
         operation.function == Function::sqrt;
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
    if (info_.c_standard < 200) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("the limits of relaxed math need OpenCL C 2.0 (7.4), and {} compiles "
                              "{}",
                              info_.description.name, info_.description.c_version));
    }
    options = fmt::format("-cl-fast-relaxed-math -cl-std=CL{}",
                          info_.c_standard >= 300 ? "3.0" : "2.0");
  } else if (info_.description.correctly_rounded_divide_sqrt && DividesOrRoots(task.operation)) {
    // The device declares correct rounding for programs built with this option only.
    options = "-cl-fp32-correctly-rounded-divide-sqrt";
  }
  if (!task.build_options.empty()) {
    options += (options.empty() ? "" : " ") + task.build_options;
  }
  return options;
}

bool OpenClPrograms::Supports(const Operation& operation) const {
  const DeviceDescription& d = info_.description;
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

std::vector<Operation> OpenClPrograms::Group(const TaskSpec& task, const Key& key) {
  const Operation& asked = task.operation;
  // The first program holds nothing else: where a compiler crashes over a neighbour, a device that
  // was started again can tell whose fault it is.
  const bool alone = alone_ > 0;
  if (alone) --alone_;
  std::vector<Operation> group = {asked};
  auto add = [&](const Operation& operation) {
    TaskSpec neighbour = task;
    neighbour.operation = operation;
    const auto options = BuildOptions(neighbour);
    if (operation != asked && Supports(operation) && options && *options == key.options) {
      group.push_back(operation);
    }
  };
  if (asked.kind != OperationKind::kBuiltin) {
    if (alone) return group;
    for (const Operation& operation : numerics::AllConversions()) {
      if (operation.from == asked.from && (getenv("GRP") || operation.to == asked.to)) add(operation);
    }
    return group;
  }
  if (!Walking(asked) || alone) return group;
  const auto rows = numerics::AllFunctions();
  const std::size_t first = static_cast<std::size_t>(asked.function);
  for (std::size_t k = first; k < std::min(first + kRowsTogether, rows.size()); ++k) {
    // Another class may be asked for in other widths.
    if (rows[k].IsGeometric() != rows[first].IsGeometric()) break;
    if (!rows[k].Supports(asked.format)) continue;
    for (int n = 1; n <= (rows[k].IsGeometric() ? 4 : 1); ++n) {
      const Operation operation = Operation::Builtin(rows[k].function, asked.format, n);
      if (std::find(group.begin(), group.end(), operation) == group.end()) add(operation);
    }
  }
  return group;
}

ProgramHandle OpenClPrograms::Find(const Operation& operation, const Key& key) {
  for (auto built = recent_.begin(); built != recent_.end(); ++built) {
    if (built->key == key && std::find(built->operations.begin(), built->operations.end(),
                                       operation) != built->operations.end()) {
      recent_.splice(recent_.begin(), recent_, built);
      return built->program;
    }
  }
  return nullptr;
}

std::string OpenClPrograms::BuildLog(cl_program program) const {
  std::size_t size = 0;
  if (api_->clGetProgramBuildInfo(program, info_.device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) !=
      CL_SUCCESS) {
    return "";
  }
  std::string log(size, '\0');
  api_->clGetProgramBuildInfo(program, info_.device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                              nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  while (!log.empty() && (log.back() == '\n' || log.back() == ' ')) log.pop_back();
  constexpr std::size_t kLimit = 4000;
  if (log.size() > kLimit) log.resize(kLimit);
  return log;
}

Expected<ProgramHandle> OpenClPrograms::Build(const std::vector<Operation>& operations,
                                              const Key& key) {
  const std::string source = ProgramSource(operations, key.widths, Scheme());
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  ProgramHandle program(api_->clCreateProgramWithSource(context_, 1, &text, nullptr, &status),
                        [api = api_](cl_program p) {
                          if (p != nullptr) api->clReleaseProgram(p);
                        });
  if (status == CL_SUCCESS) {
    status = api_->clBuildProgram(program.get(), 1, &info_.device, key.options.c_str(), nullptr,
                                  nullptr);
  }
  if (status != CL_SUCCESS) {
    const std::string log = program ? BuildLog(program.get()) : "";
    return Fail(ErrorKind::kDevice,
                fmt::format("{} did not build the kernel of {} {} ({}){}{}",
                            info_.description.name, operations[0].Name(),
                            operations[0].FormatName(), OpenClErrorName(status),
                            log.empty() ? "" : "; its build log:\n", log));
  }
  return program;
}

Expected<TaskKernels> OpenClPrograms::Kernels(ProgramHandle program, const TaskSpec& task) const {
  TaskKernels kernels{std::move(program), Scheme(), {}};
  for (int width : task.widths) {
    if (kernels.scheme == KernelScheme::kSwitched && !kernels.by_width.empty()) {
      kernels.by_width[width] = kernels.by_width.begin()->second;
      continue;
    }
    const std::string name = KernelName(task.operation, kernels.scheme, width);
    cl_int status = CL_SUCCESS;
    KernelHandle kernel(api_->clCreateKernel(kernels.program.get(), name.c_str(), &status),
                        [api = api_](cl_kernel k) {
                          if (k != nullptr) api->clReleaseKernel(k);
                        });
    if (status != CL_SUCCESS) {
      const std::string log = BuildLog(kernels.program.get());
      return Fail(ErrorKind::kDevice,
                  fmt::format("{}: clCreateKernel(\"{}\"): {}{}{}", info_.description.name, name,
                              OpenClErrorName(status), log.empty() ? "" : "; the build log:\n",
                              log));
    }
    kernels.by_width[width] = std::move(kernel);
  }
  return kernels;
}

Expected<TaskKernels> OpenClPrograms::Get(const TaskSpec& task) {
  auto options = BuildOptions(task);
  if (!options) return tl::unexpected<Error>(options.error());
  const Key key{task.widths, std::move(*options)};
  if (ProgramHandle known = Find(task.operation, key)) {
    if (task.operation.kind == OperationKind::kBuiltin) Walking(task.operation);
    return Kernels(std::move(known), task);
  }
  std::vector<Operation> group = Group(task, key);
  Expected<ProgramHandle> program = Build(group, key);
  if (!program && group.size() > 1) {
    group.resize(1);
    alone_ = kRowsTogether;  // a neighbour is not compilable; do not try again with every row
    program = Build(group, key);
  }
  if (!program) return tl::unexpected<Error>(program.error());
  recent_.push_front({key, std::move(group), *program});
  if (recent_.size() > kRecentPrograms) recent_.pop_back();
  return Kernels(std::move(*program), task);
}

}  // namespace assay::oracle
