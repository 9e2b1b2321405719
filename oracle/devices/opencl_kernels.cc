#include "oracle/devices/opencl_kernels.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "oracle/devices/poison.h"

namespace assay::oracle {
namespace {

constexpr std::size_t kGuardBytes = 256;  // behind each buffer that a kernel writes
constexpr std::size_t kProgramsKept = 8;

// What the driver writes to standard output while this object lives.
class CaughtOutput {
 public:
  CaughtOutput() {
    std::fflush(nullptr);
    file_ = memfd_create("printed", MFD_CLOEXEC);
    before_ = dup(STDOUT_FILENO);
    if (file_ >= 0) dup2(file_, STDOUT_FILENO);
  }
  ~CaughtOutput() {
    PutBack();
    if (file_ >= 0) close(file_);
  }
  CaughtOutput(const CaughtOutput&) = delete;
  CaughtOutput& operator=(const CaughtOutput&) = delete;

  // Ends the catching.
  QueryAnswer Text(std::size_t room) {
    PutBack();
    QueryAnswer text;
    const off_t size = file_ < 0 ? -1 : lseek(file_, 0, SEEK_END);
    if (size < 0) {
      text.status = -1;
      return text;
    }
    text.size = static_cast<std::uint64_t>(size);
    text.value.resize(std::min(room, static_cast<std::size_t>(size)));
    if (pread(file_, text.value.data(), text.value.size(), 0) !=
        static_cast<ssize_t>(text.value.size())) {
      text.status = -1;
    }
    return text;
  }

 private:
  void PutBack() {
    std::fflush(nullptr);
    if (before_ < 0) return;
    dup2(before_, STDOUT_FILENO);
    close(std::exchange(before_, -1));
  }

  int file_ = -1, before_ = -1;
};

}  // namespace

// The buffers of a launch.  Behind each output stands a guard of poison.
struct OpenClKernels::Buffers {
  std::vector<BufferHandle> all;  // of inputs and outputs, in the order of the arguments
  std::vector<cl_mem> outputs;
  Poison guard;
};

Expected<OpenClKernels::Built> OpenClKernels::Build(const KernelRequest& request) const {
  cl_int status = CL_SUCCESS;
  const char* text = request.source.c_str();
  cl_program program =
      queue_.api->clCreateProgramWithSource(queue_.context, 1, &text, nullptr, &status);
  if (auto made = queue_.CheckObject(status, program, "clCreateProgramWithSource"); !made) {
    return tl::unexpected<Error>(made.error());
  }
  Built built{.source = request.source,
              .options = request.options,
              .program = ProgramHandle(
                  program, [api = queue_.api](cl_program used) { api->clReleaseProgram(used); }),
              .kernels = {}};
  status = queue_.api->clBuildProgram(program, 1, &info_.device, request.options.c_str(), nullptr,
                                      nullptr);
  if (status == CL_SUCCESS) return built;
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: clBuildProgram: {}\n{}", queue_.name, OpenClErrorName(status),
                          OpenClBuildLog(*queue_.api, program, info_.device)));
}

Expected<cl_kernel> OpenClKernels::KernelOf(const KernelRequest& request) {
  auto built = std::find_if(recent_.begin(), recent_.end(), [&](const Built& b) {
    return b.source == request.source && b.options == request.options;
  });
  if (built == recent_.end()) {
    auto made = Build(request);
    if (!made) return tl::unexpected<Error>(made.error());
    recent_.push_front(std::move(*made));
    if (recent_.size() > kProgramsKept) recent_.pop_back();
    built = recent_.begin();
  }
  KernelHandle& kernel = built->kernels[request.kernel];
  if (kernel != nullptr) return kernel.get();
  cl_int status = CL_SUCCESS;
  cl_kernel made =
      queue_.api->clCreateKernel(built->program.get(), request.kernel.c_str(), &status);
  if (auto checked = queue_.CheckObject(status, made, "clCreateKernel"); !checked) {
    return tl::unexpected<Error>(checked.error());
  }
  kernel = KernelHandle(made, [api = queue_.api](cl_kernel used) { api->clReleaseKernel(used); });
  return kernel.get();
}

Expected<void> OpenClKernels::Make(const KernelRequest& request, ImageInputs inputs,
                                   ImageOutputs outputs, Buffers* buffers) const {
  std::size_t in = 0, out = 0;
  for (const KernelArgument& argument : request.arguments) {
    const bool written = argument.kind == KernelArgument::Kind::kOutput;
    if (!written && argument.kind != KernelArgument::Kind::kInput) continue;
    const std::span<const std::byte> content =
        written ? std::span<const std::byte>(outputs[out++]) : inputs[in++];
    std::vector<std::byte> all(content.size() + kGuardBytes);
    buffers->guard.Fill(std::span(all).subspan(content.size()));
    std::copy(content.begin(), content.end(), all.begin());
    auto buffer =
        queue_.CreateBuffer((written ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY) | CL_MEM_COPY_HOST_PTR,
                            all.size(), all.data());
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    if (written) buffers->outputs.push_back(buffer->get());
    buffers->all.push_back(std::move(*buffer));
  }
  return {};
}

OpenClKernels::Called OpenClKernels::SetArguments(const KernelRequest& request, cl_kernel kernel,
                                                  const Buffers& buffers) const {
  std::size_t buffer = 0;
  cl_uint number = 0;
  for (const KernelArgument& argument : request.arguments) {
    cl_int status = CL_SUCCESS;
    switch (argument.kind) {
      case KernelArgument::Kind::kInput:
      case KernelArgument::Kind::kOutput: {
        cl_mem memory = buffers.all[buffer++].get();
        status = queue_.api->clSetKernelArg(kernel, number, sizeof memory, &memory);
        break;
      }
      case KernelArgument::Kind::kLocal:
        status = queue_.api->clSetKernelArg(kernel, number, argument.size, nullptr);
        break;
      case KernelArgument::Kind::kValue:
        status = queue_.api->clSetKernelArg(kernel, number, argument.value.size(),
                                            argument.value.data());
        break;
    }
    if (status != CL_SUCCESS) return {status, "clSetKernelArg"};
    ++number;
  }
  return {};
}

OpenClKernels::Called OpenClKernels::Launch(const KernelRequest& request, cl_kernel kernel,
                                            const Buffers& buffers) const {
  if (const Called set = SetArguments(request, kernel, buffers); set.status != CL_SUCCESS) {
    return set;
  }
  std::size_t offset[3], global[3], local[3];
  std::copy(request.offset.begin(), request.offset.end(), offset);
  std::copy(request.global.begin(), request.global.end(), global);
  std::copy(request.local.begin(), request.local.end(), local);
  for (std::uint32_t launch = 0; launch < request.launches; ++launch) {
    const cl_int status =
        queue_.api->clEnqueueNDRangeKernel(queue_.queue, kernel, request.dimensions, offset, global,
                                           local[0] == 0 ? nullptr : local, 0, nullptr, nullptr);
    if (status != CL_SUCCESS) return {status, "clEnqueueNDRangeKernel"};
  }
  return {queue_.api->clFinish(queue_.queue), "clFinish"};
}

Expected<void> OpenClKernels::ReadBack(const Buffers& buffers, ImageOutputs outputs) const {
  for (std::size_t k = 0; k < buffers.outputs.size(); ++k) {
    const std::size_t size = outputs[k].size();
    std::vector<std::byte> all(size + kGuardBytes);
    // Something else than what has to come, for a read that does nothing.
    buffers.guard.Other().Fill(std::span(all).subspan(size));
    if (auto read = queue_.Check(
            queue_.api->clEnqueueReadBuffer(queue_.queue, buffers.outputs[k], CL_TRUE, 0,
                                            all.size(), all.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
        !read) {
      return read;
    }
    if (buffers.guard.FindWritten(std::span(all).subspan(size))) {
      return Fail(ErrorKind::kDevice,
                  fmt::format("{}: the memory behind buffer {} of the answers does not hold what "
                              "was written there: the kernel stored where it must not, or a read "
                              "was lost",
                              queue_.name, k));
    }
    std::copy_n(all.begin(), size, outputs[k].begin());
  }
  return {};
}

Expected<void> OpenClKernels::Run(const KernelRequest& request, cl_kernel kernel,
                                  ImageInputs inputs, ImageOutputs outputs) const {
  Buffers buffers;
  buffers.guard = Poison(Poison::Key{.seed = request.source.size(), .first_item = outputs.size()});
  if (auto made = Make(request, inputs, outputs, &buffers); !made) return made;
  Called launched;
  std::size_t next = buffers.outputs.size();
  if (request.printed > 0) {
    CaughtOutput caught;
    launched = Launch(request, kernel, buffers);
    WriteQueryAnswer(caught.Text(request.printed), outputs[next++]);
  } else {
    launched = Launch(request, kernel, buffers);
  }
  if (!request.tolerant) {
    if (auto checked = queue_.Check(launched.status, launched.call); !checked) return checked;
  } else {
    const std::int64_t status = launched.status;
    std::memcpy(outputs[next].data(), &status, sizeof status);
    if (launched.status != CL_SUCCESS) return {};
  }
  return ReadBack(buffers, outputs);
}

QueryAnswer OpenClKernels::Answer(const HostQuestion& question, cl_kernel kernel) const {
  QueryAnswer answer;
  answer.value.resize(question.room);
  std::size_t size = 0;
  void* value = answer.value.data();
  const std::vector<std::size_t> input(question.input.begin(), question.input.end());
  cl_int status = CL_INVALID_OPERATION;
  switch (question.subject) {
    case HostQuestion::Subject::kDevice:
      status =
          queue_.api->clGetDeviceInfo(info_.device, question.what, question.room, value, &size);
      break;
    case HostQuestion::Subject::kKernelWorkGroup:
      status = queue_.api->clGetKernelWorkGroupInfo(kernel, info_.device, question.what,
                                                    question.room, value, &size);
      break;
    case HostQuestion::Subject::kKernelSubGroup:
      if (queue_.api->clGetKernelSubGroupInfo == nullptr) break;
      status = queue_.api->clGetKernelSubGroupInfo(kernel, info_.device, question.what,
                                                   input.size() * sizeof(std::size_t), input.data(),
                                                   question.room, value, &size);
      break;
    case HostQuestion::Subject::kKernel:
      if (queue_.api->clGetKernelInfo == nullptr) break;
      status = queue_.api->clGetKernelInfo(kernel, question.what, question.room, value, &size);
      break;
    case HostQuestion::Subject::kAllocate: {
      cl_mem memory =
          queue_.api->clCreateBuffer(queue_.context, CL_MEM_READ_WRITE, input[0], nullptr, &status);
      if (memory != nullptr) queue_.api->clReleaseMemObject(memory);
      break;
    }
  }
  answer.status = status;
  answer.size = size;
  return answer;
}

Expected<void> OpenClKernels::Ask(const KernelRequest& request, ImageInputs inputs,
                                  ImageOutputs outputs) {
  cl_kernel kernel = nullptr;
  if (!request.source.empty()) {
    const auto found = KernelOf(request);
    if (!found) return tl::unexpected<Error>(found.error());
    kernel = *found;
  }
  auto ran = Expected<void>();
  if (kernel != nullptr && request.global[0] > 0) ran = Run(request, kernel, inputs, outputs);
  const std::size_t first = outputs.size() - request.questions.size();
  for (std::size_t k = 0; ran && k < request.questions.size(); ++k) {
    WriteQueryAnswer(Answer(request.questions[k], kernel), outputs[first + k]);
  }
  // Also after an error: nothing may still be at work on the objects.
  const cl_int finished = queue_.api->clFinish(queue_.queue);
  return ran ? queue_.Check(finished, "clFinish") : ran;
}

}  // namespace assay::oracle
