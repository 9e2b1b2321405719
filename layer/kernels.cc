// Kernels, their arguments and their launches.
#include <algorithm>
#include <cstring>

#include "layer/capture.h"
#include "layer/follow.h"

namespace assay::layer {

namespace {

constexpr cl_uint kMostArguments = 4096;
constexpr std::size_t kMostName = std::size_t{1} << 16;

cl_kernel Added(cl_kernel kernel, cl_program program) {
  Layer& layer = Layer::Get();
  auto record = std::make_shared<KernelRecord>();
  std::size_t size = 0;
  Target(kernel).clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, 0, nullptr, &size);
  record->name.resize(std::min(size, kMostName));
  size = record->name.size();
  Target(kernel).clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size, record->name.data(),
                                 nullptr);
  while (!record->name.empty() && record->name.back() == '\0') record->name.pop_back();
  if (const auto of = layer.programs.Find(program)) {
    const std::lock_guard lock(of->mutex);
    record->build = of->build;
  }
  record->launches = layer.counters.Of(record->build ? record->build->digest : "", record->name);
  cl_uint count = 0;
  Target(kernel).clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, nullptr);
  // A driver that says more is wrong; the launch has arguments that nobody set, then.
  record->arguments.resize(std::min(count, kMostArguments));
  layer.kernels.Add(kernel, std::move(record));
  return kernel;
}

cl_kernel CreateKernel(cl_program program, const char* name, cl_int* error) {
  const cl_kernel kernel = Target(program).clCreateKernel(program, name, error);
  return kernel == nullptr ? kernel : Added(kernel, program);
}

cl_int CreateKernels(cl_program program, cl_uint count, cl_kernel* kernels, cl_uint* count_to) {
  cl_uint made = 0;
  const cl_int status = Target(program).clCreateKernelsInProgram(program, count, kernels, &made);
  if (count_to != nullptr && status == CL_SUCCESS) *count_to = made;
  for (cl_uint i = 0; status == CL_SUCCESS && kernels != nullptr && i < made; ++i) {
    Added(kernels[i], program);
  }
  return status;
}

cl_kernel CloneKernel(cl_kernel source, cl_int* error) {
  const cl_kernel kernel = Target(source).clCloneKernel(source, error);
  Layer& layer = Layer::Get();
  const auto of = layer.kernels.Find(source);
  if (kernel == nullptr || !of) return kernel;
  auto record = std::make_shared<KernelRecord>();
  const std::lock_guard lock(of->mutex);
  record->name = of->name;
  record->build = of->build;
  record->launches = of->launches;
  record->arguments = of->arguments;
  record->has_exec_info = of->has_exec_info;
  layer.kernels.Add(kernel, std::move(record));
  return kernel;
}

cl_int RetainKernel(cl_kernel kernel) {
  const cl_int status = Target(kernel).clRetainKernel(kernel);
  if (status == CL_SUCCESS) Layer::Get().kernels.Retain(kernel);
  return status;
}

cl_int ReleaseKernel(cl_kernel kernel) {
  Layer::Get().kernels.Release(kernel);
  return Target(kernel).clReleaseKernel(kernel);
}

// --- Arguments ---

void Set(Argument* argument, size_t size, const void* value) {
  argument->memory.reset();
  argument->sampler.reset();
  if (value == nullptr) {
    argument->kind = Argument::Kind::kLocal;  // or a null buffer: the capture finds out
    argument->local_bytes = size;
    return;
  }
  argument->kind = Argument::Kind::kValue;
  const auto* bytes = static_cast<const std::byte*>(value);
  argument->bytes.assign(bytes, bytes + size);
  if (size != sizeof(void*)) return;
  void* handle = nullptr;
  std::memcpy(&handle, value, sizeof handle);
  if (handle == nullptr) return;
  argument->memory = Layer::Get().memories.Find(static_cast<cl_mem>(handle));
  if (!argument->memory) {
    argument->sampler = Layer::Get().samplers.Find(static_cast<cl_sampler>(handle));
  }
}

cl_int SetArgument(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  const cl_int status = Target(kernel).clSetKernelArg(kernel, index, size, value);
  if (status != CL_SUCCESS) return status;
  const auto record = Layer::Get().kernels.Find(kernel);
  if (!record) return status;
  const std::lock_guard lock(record->mutex);
  if (index < record->arguments.size()) Set(&record->arguments[index], size, value);
  return status;
}

cl_int SetSvmArgument(cl_kernel kernel, cl_uint index, const void* value) {
  const cl_int status = Target(kernel).clSetKernelArgSVMPointer(kernel, index, value);
  if (status != CL_SUCCESS) return status;
  const auto record = Layer::Get().kernels.Find(kernel);
  if (!record) return status;
  const std::lock_guard lock(record->mutex);
  if (index >= record->arguments.size()) return status;
  record->arguments[index] = {.kind = Argument::Kind::kSvm, .svm = value};
  return status;
}

cl_int SetExecInfo(cl_kernel kernel, cl_kernel_exec_info name, size_t size, const void* value) {
  if (const auto record = Layer::Get().kernels.Find(kernel)) {
    const std::lock_guard lock(record->mutex);
    record->has_exec_info = true;
  }
  return Target(kernel).clSetKernelExecInfo(kernel, name, size, value);
}

// --- Launches ---

void ArgumentsAreWritten(KernelRecord& kernel) {
  const std::lock_guard lock(kernel.mutex);
  for (const Argument& argument : kernel.arguments) {
    if (argument.memory) Written(*argument.memory);
  }
}

cl_int Launch(const LaunchCall& call) {
  Layer& layer = Layer::Get();
  Enqueued(call.queue);
  const auto kernel = layer.kernels.Find(call.kernel);
  if (!kernel) return call.Enqueue();
  layer.process.Happened(Fact::kLaunch);
  const std::uint64_t number = ++kernel->launches->launches;
  if (IsChosen(layer.settings, number) && IsKernelChosen(layer.settings, kernel->name)) {
    return CaptureLaunch(call, *kernel, number);
  }
  ArgumentsAreWritten(*kernel);
  return call.Enqueue();
}

cl_int EnqueueRange(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                    const size_t* offset, const size_t* global, const size_t* local, cl_uint waits,
                    const cl_event* wait_list, cl_event* event) {
  return Launch({.queue = queue,
                 .kernel = kernel,
                 .dimensions = dimensions,
                 .offset = offset,
                 .global = global,
                 .local = local,
                 .waits = waits,
                 .wait_list = wait_list,
                 .event = event});
}

cl_int EnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                   const cl_event* wait_list, cl_event* event) {
  static constexpr size_t kOne = 1;
  return Launch({.queue = queue,
                 .kernel = kernel,
                 .dimensions = 1,
                 .global = &kOne,
                 .local = &kOne,
                 .waits = waits,
                 .wait_list = wait_list,
                 .event = event,
                 .is_task = true});
}

}  // namespace

cl_int LaunchCall::Enqueue() const {
  const cl_icd_dispatch& target = Target(queue);
  if (is_task) return target.clEnqueueTask(queue, kernel, waits, wait_list, event);
  return target.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits,
                                       wait_list, event);
}

void FollowKernels(cl_icd_dispatch* table) {
  using T = cl_icd_dispatch;
  Replace(&T::clCreateKernel, &CreateKernel, table);
  Replace(&T::clCreateKernelsInProgram, &CreateKernels, table);
  Replace(&T::clCloneKernel, &CloneKernel, table);
  Replace(&T::clRetainKernel, &RetainKernel, table);
  Replace(&T::clReleaseKernel, &ReleaseKernel, table);
  Replace(&T::clSetKernelArg, &SetArgument, table);
  Replace(&T::clSetKernelArgSVMPointer, &SetSvmArgument, table);
  Replace(&T::clSetKernelExecInfo, &SetExecInfo, table);
  Replace(&T::clEnqueueNDRangeKernel, &EnqueueRange, table);
  Replace(&T::clEnqueueTask, &EnqueueTask, table);
}

}  // namespace assay::layer
