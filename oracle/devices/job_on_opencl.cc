#include "oracle/devices/job_on_opencl.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <variant>

#include "base/file.h"
#include "frontend/decode.h"
#include "frontend/loader.h"
#include "numerics/image/format.h"
#include "numerics/image/sampler.h"
#include "oracle/devices/opencl_il.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"

namespace assay::oracle {
namespace {

using interp::Job;
using interp::JobLaunch;

struct Measured {
  double cpu_seconds = 0;
  double seconds = 0;
};

double ProcessCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The one file of the job: the text of OpenCL C, or a module.
using Source = std::variant<std::string, frontend::Binary>;

// A module's text names its ids, and LoadText keeps those names for messages.  A driver is given
// what an assembler makes of the text, without them.
void RemoveNames(frontend::Binary* module) {
  std::vector<frontend::Word> kept(module->words.begin(),
                                   module->words.begin() + frontend::kHeaderWords);
  frontend::ForEachInstruction(module->words, [&](std::size_t, std::span<const frontend::Word> w) {
    if (frontend::OpcodeOf(w[0]) != frontend::Op::kName)
      kept.insert(kept.end(), w.begin(), w.end());
  });
  module->words = std::move(kept);
}

Expected<Source> SourceOf(const Job& job) {
  if (job.modules.size() != 1) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("{}: a job of {} files does not run on an OpenCL device, which is given "
                    "one: OpenCL C (.cl) or SPIR-V (.spv, .spvasm)",
                    job.path.empty() ? "the job" : job.path, job.modules.size()));
  }
  if (job.modules[0].ends_with(".cl")) return base::ReadWholeFile(job.modules[0]);
  auto module = frontend::LoadFile(job.modules[0], job.load.budget);
  if (!module) return tl::unexpected<Error>(module.error());
  if (!job.modules[0].ends_with(".spv")) RemoveNames(&*module);
  return std::move(*module);
}

bool AsksForQueue(const Source& source) {
  if (const auto* text = std::get_if<std::string>(&source)) {
    return text->find("get_default_queue") != std::string::npos;
  }
  bool asks = false;
  frontend::ForEachInstruction(std::get<frontend::Binary>(source).words,
                               [&](std::size_t, std::span<const frontend::Word> w) {
                                 asks = asks ||
                                        frontend::OpcodeOf(w[0]) == frontend::Op::kGetDefaultQueue;
                               });
  return asks;
}

// One job on one device; it owns the objects that it creates.
class Runner {
 public:
  Runner(const Job& job, std::shared_ptr<const OpenClApi> api, OpenClDeviceInfo info)
      : job_(job), api_(std::move(api)), info_(std::move(info)) {}
  ~Runner() {
    ReleaseBuffers();
    ReleaseViews();
    for (const auto& [name, kernel] : kernels_) api_->clReleaseKernel(kernel);
    if (program_ != nullptr) api_->clReleaseProgram(program_);
    for (const auto& [number, queue] : device_queues_) api_->clReleaseCommandQueue(queue);
    if (queue_ != nullptr) api_->clReleaseCommandQueue(queue_);
    if (context_ != nullptr) api_->clReleaseContext(context_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // With a default device queue, where kernels ask for it.
  Expected<void> Open(bool asks_for_queue);
  Expected<void> Build(const Source& source);
  Expected<cl_mem> CreatePipe(const interp::JobBuffer& pipe) const;
  Expected<void> CreateBuffers();
  Expected<Measured> Launch();
  Expected<std::vector<std::vector<std::byte>>> ReadBuffers() const;
  void ReleaseBuffers() {
    for (std::vector<cl_mem>* objects : {&images_, &buffers_}) {
      for (cl_mem object : *objects) {
        if (object != nullptr) api_->clReleaseMemObject(object);
      }
      objects->clear();
    }
  }

 private:
  Expected<void> Check(cl_int status, std::string_view what) const {
    if (status == CL_SUCCESS) return {};
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: {}: {}", info_.description.name, what, OpenClErrorName(status)));
  }
  // The same for a call that makes an object, which has to be there without an error.
  Expected<void> CheckObject(cl_int status, const void* object, std::string_view what) const {
    if (status != CL_SUCCESS || object != nullptr) return Check(status, what);
    return Fail(ErrorKind::kDevice, fmt::format("{}: {} gave neither an object nor an error",
                                                info_.description.name, what));
  }
  void ReleaseViews() {
    for (cl_mem view : views_) api_->clReleaseMemObject(view);
    for (cl_sampler sampler : samplers_) api_->clReleaseSampler(sampler);
    views_.clear();
    samplers_.clear();
  }
  Expected<void> CreateBuffer(const interp::JobBuffer& buffer);
  Expected<cl_mem> CreateImage(const interp::ImageDescriptor& image, cl_mem memory,
                               const std::byte* initial) const;
  Expected<void> SetArgument(const interp::JobArgument& argument, cl_kernel kernel, cl_uint index,
                             cl_int* status);
  Expected<std::vector<std::byte>> ReadBuffer(std::size_t number) const;
  cl_int Read(std::size_t number, std::byte* to) const;
  Expected<void> CreateFromText(const std::string& source);
  Expected<cl_kernel> KernelOf(const std::string& name);
  Expected<cl_command_queue> DeviceQueue(std::uint32_t number);
  Expected<void> SetArguments(const JobLaunch& launch, cl_kernel kernel);
  Expected<void> Enqueue(const JobLaunch& launch, cl_kernel kernel);

  const Job& job_;
  std::shared_ptr<const OpenClApi> api_;
  OpenClDeviceInfo info_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::map<std::uint32_t, cl_command_queue> device_queues_;  // 0: the default one
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
  // For each of the job's: of an image the image, and null or the buffer that its memory is.
  std::vector<cl_mem> buffers_, images_;
  std::vector<cl_mem> views_;  // images in memory of buffers
  std::vector<cl_sampler> samplers_;
};

Expected<void> Runner::Open(bool asks_for_queue) {
  cl_int status = CL_SUCCESS;
  const cl_context_properties properties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(info_.platform), 0};
  context_ = api_->clCreateContext(properties, 1, &info_.device, nullptr, nullptr, &status);
  if (auto made = CheckObject(status, context_, "clCreateContext"); !made) return made;
  queue_ = api_->clCreateCommandQueue(context_, info_.device, 0, &status);
  if (auto made = CheckObject(status, queue_, "clCreateCommandQueue"); !made) return made;
  if (!asks_for_queue) return {};
  if (auto made = DeviceQueue(0); !made) return tl::unexpected(made.error());
  return {};
}

Expected<cl_command_queue> Runner::DeviceQueue(std::uint32_t number) {
  if (const auto found = device_queues_.find(number); found != device_queues_.end()) {
    return found->second;
  }
  if (api_->clCreateCommandQueueWithProperties == nullptr) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no device queues", info_.description.name));
  }
  cl_command_queue_properties kind = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  if (number == 0) kind |= CL_QUEUE_ON_DEVICE_DEFAULT;
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, kind, 0};
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue =
      api_->clCreateCommandQueueWithProperties(context_, info_.device, properties, &status);
  if (auto made = CheckObject(status, queue, "clCreateCommandQueueWithProperties"); !made) {
    return tl::unexpected(made.error());
  }
  return device_queues_[number] = queue;
}

Expected<void> Runner::CreateFromText(const std::string& source) {
  cl_int status = CL_SUCCESS;
  const char* text = source.c_str();
  program_ = api_->clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
  return CheckObject(status, program_, "clCreateProgramWithSource");
}

Expected<void> Runner::Build(const Source& source) {
  std::string options = job_.load.compile.build_options;
  if (const auto* module = std::get_if<frontend::Binary>(&source)) {
    auto program = CreateProgramWithIl(*api_, info_, context_, *module, job_.load.specialization);
    if (!program) return tl::unexpected<Error>(program.error());
    program_ = *program;
  } else {
    if (auto made = CreateFromText(std::get<std::string>(source)); !made) return made;
    // Drivers have no idea where the text came from: #include "x.h" needs the folder's name.
    const std::filesystem::path folder =
        std::filesystem::absolute(job_.modules[0]).parent_path().lexically_normal();
    if (!options.empty()) options += " ";
    options += fmt::format("-I {}", folder.string());
  }
  const cl_int status =
      api_->clBuildProgram(program_, 1, &info_.device, options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{} did not build {} with \"{}\" ({}); its build log:\n{}",
                          info_.description.name, job_.modules[0], options, OpenClErrorName(status),
                          OpenClBuildLog(*api_, program_, info_.device)));
}

// A host can neither fill a pipe nor look into it.
Expected<cl_mem> Runner::CreatePipe(const interp::JobBuffer& pipe) const {
  if (!pipe.bytes.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: pipe '{}' has packets, which a host cannot put there", job_.path,
                            pipe.name));
  }
  if (api_->clCreatePipe == nullptr) {
    return Fail(ErrorKind::kUnsupported, "the OpenCL loader has no clCreatePipe");
  }
  cl_int status = CL_SUCCESS;
  cl_mem handle =
      api_->clCreatePipe(context_, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, pipe.packet_bytes,
                         static_cast<cl_uint>(pipe.max_packets), nullptr, &status);
  if (auto made = CheckObject(status, handle, "clCreatePipe"); !made) {
    return tl::unexpected<Error>(made.error());
  }
  return handle;
}

Expected<void> Runner::CreateBuffers() {
  ReleaseViews();
  ReleaseBuffers();
  for (const interp::JobBuffer& buffer : job_.buffers) {
    if (auto made = CreateBuffer(buffer); !made) return made;
  }
  return {};
}

Expected<void> Runner::CreateBuffer(const interp::JobBuffer& buffer) {
  cl_mem handle = nullptr;
  if (buffer.max_packets != 0) {
    auto pipe = CreatePipe(buffer);
    if (!pipe) return tl::unexpected<Error>(pipe.error());
    handle = *pipe;
  } else if (!buffer.image || buffer.image->shape == interp::ImageShape::k1DBuffer) {
    // A driver may not write through this pointer: COPY_HOST_PTR reads it once.
    void* initial = const_cast<std::byte*>(buffer.bytes.data());
    cl_int status = CL_SUCCESS;
    handle = api_->clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                  buffer.bytes.size(), initial, &status);
    if (auto made = CheckObject(status, handle, "clCreateBuffer"); !made) return made;
  }
  buffers_.push_back(handle);
  images_.push_back(nullptr);
  if (!buffer.image) return {};
  const auto image = CreateImage(*buffer.image, handle, buffer.bytes.data());
  if (!image) return tl::unexpected<Error>(image.error());
  images_.back() = *image;
  return {};
}

// In the memory of a buffer, or with bytes of its own that are the initial ones.
Expected<cl_mem> Runner::CreateImage(const interp::ImageDescriptor& image, cl_mem memory,
                                     const std::byte* initial) const {
  constexpr cl_mem_object_type kTypes[] = {
      CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE1D_ARRAY,
      CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,  CL_MEM_OBJECT_IMAGE3D};
  const std::string what = fmt::format("clCreateImage of {}", interp::DescribeImage(image));
  if (image.levels > 1 || image.samples > 1) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("{}: mipmaps and multisample images have no initial content there", what));
  }
  const cl_image_format format = {numerics::image::ClNumber(image.format.order),
                                  numerics::image::ClNumber(image.format.type)};
  cl_image_desc desc{};
  desc.image_type = kTypes[static_cast<std::size_t>(image.shape)];
  desc.image_width = static_cast<std::size_t>(image.size[0]);
  desc.image_height = static_cast<std::size_t>(image.size[1]);
  desc.image_depth = static_cast<std::size_t>(image.size[2]);
  desc.image_array_size = static_cast<std::size_t>(image.layers);
  desc.mem_object = memory;
  desc.image_row_pitch = image.row_pitch;
  const cl_mem_flags flags =
      CL_MEM_READ_WRITE | (memory == nullptr ? cl_mem_flags{CL_MEM_COPY_HOST_PTR} : 0);
  void* host = memory == nullptr ? const_cast<std::byte*>(initial) : nullptr;  // which is only read
  cl_int status = CL_SUCCESS;
  cl_mem handle = api_->clCreateImage(context_, flags, &format, &desc, host, &status);
  if (status == CL_IMAGE_FORMAT_NOT_SUPPORTED) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{}: {}: {}", info_.description.name, what, OpenClErrorName(status)));
  }
  if (auto made = CheckObject(status, handle, what); !made) {
    return tl::unexpected<Error>(made.error());
  }
  return handle;
}

Expected<cl_kernel> Runner::KernelOf(const std::string& name) {
  if (name.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: a launch names no kernel; an OpenCL driver has to be told which",
                            job_.path.empty() ? "the job" : job_.path));
  }
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second;
  cl_int status = CL_SUCCESS;
  cl_kernel kernel = api_->clCreateKernel(program_, name.c_str(), &status);
  const std::string call = fmt::format("clCreateKernel(\"{}\")", name);
  if (auto made = CheckObject(status, kernel, call); !made) {
    return tl::unexpected<Error>(made.error());
  }
  kernels_[name] = kernel;
  return kernel;
}

// An error is one of an object that the argument needs.
Expected<void> Runner::SetArgument(const interp::JobArgument& argument, cl_kernel kernel,
                                   cl_uint index, cl_int* status) {
  if (const auto* bytes = std::get_if<interp::BytesArgument>(&argument)) {
    *status = api_->clSetKernelArg(kernel, index, bytes->bytes.size(), bytes->bytes.data());
  } else if (const auto* use = std::get_if<interp::JobBufferUse>(&argument)) {
    const cl_mem image = images_.at(use->buffer);
    *status = api_->clSetKernelArg(kernel, index, sizeof(cl_mem),
                                   image != nullptr ? &image : &buffers_.at(use->buffer));
  } else if (const auto* device_queue = std::get_if<interp::QueueArgument>(&argument)) {
    const auto queue = DeviceQueue(device_queue->queue);
    if (!queue) return tl::unexpected(queue.error());
    *status = api_->clSetKernelArg(kernel, index, sizeof *queue, &*queue);
  } else if (const auto* local = std::get_if<interp::LocalArgument>(&argument)) {
    *status = api_->clSetKernelArg(kernel, index, local->bytes, nullptr);
  } else if (const auto* view = std::get_if<interp::JobImageOfBuffer>(&argument)) {
    const auto image = CreateImage(view->image, buffers_.at(view->buffer), nullptr);
    if (!image) return tl::unexpected<Error>(image.error());
    views_.push_back(*image);
    *status = api_->clSetKernelArg(kernel, index, sizeof(cl_mem), &views_.back());
  } else if (const auto* given = std::get_if<interp::SamplerArgument>(&argument)) {
    const numerics::image::Sampler& modes = given->sampler.sampler;
    cl_int made = CL_SUCCESS;
    cl_sampler sampler =
        api_->clCreateSampler(context_, modes.normalized ? CL_TRUE : CL_FALSE,
                              CL_ADDRESS_NONE + static_cast<cl_addressing_mode>(modes.address),
                              CL_FILTER_NEAREST + static_cast<cl_filter_mode>(modes.filter), &made);
    if (auto good = CheckObject(made, sampler, "clCreateSampler"); !good) return good;
    samplers_.push_back(sampler);
    *status = api_->clSetKernelArg(kernel, index, sizeof(cl_sampler), &sampler);
  } else {
    *status = api_->clSetKernelArg(kernel, index, sizeof(cl_mem), nullptr);
  }
  return {};
}

Expected<void> Runner::SetArguments(const JobLaunch& launch, cl_kernel kernel) {
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const interp::JobArgument& argument = launch.arguments[k];
    const auto index = static_cast<cl_uint>(k);
    cl_int status = CL_SUCCESS;
    if (auto made = SetArgument(argument, kernel, index, &status); !made) return made;
    if (auto checked = Check(status, fmt::format("argument {} of {}", k, launch.kernel));
        !checked) {
      return checked;
    }
  }
  return {};
}

Expected<void> Runner::Enqueue(const JobLaunch& launch, cl_kernel kernel) {
  std::array<std::size_t, 3> global{};
  std::array<std::size_t, 3> local{};
  std::array<std::size_t, 3> offset{};
  for (std::size_t d = 0; d < 3; ++d) {
    global[d] = launch.range.global[d];
    local[d] = launch.range.local ? (*launch.range.local)[d] : 0;
    offset[d] = launch.range.offset[d];
  }
  return Check(api_->clEnqueueNDRangeKernel(
                   queue_, kernel, static_cast<cl_uint>(launch.range.dimensions), offset.data(),
                   global.data(), launch.range.local ? local.data() : nullptr, 0, nullptr, nullptr),
               fmt::format("launching {}", launch.kernel));
}

// The clocks run from each enqueue to its end, as in a host program that waits for every launch.
Expected<Measured> Runner::Launch() {
  Measured measured;
  for (const JobLaunch& launch : job_.launches) {
    auto kernel = KernelOf(launch.kernel);
    if (!kernel) return tl::unexpected<Error>(kernel.error());
    if (auto set = SetArguments(launch, *kernel); !set) {
      return tl::unexpected<Error>(set.error());
    }
    const double cpu = ProcessCpuSeconds();
    const auto start = std::chrono::steady_clock::now();
    auto done = Enqueue(launch, *kernel);
    if (done) done = Check(api_->clFinish(queue_), fmt::format("running {}", launch.kernel));
    if (!done) return tl::unexpected<Error>(done.error());
    measured.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    measured.cpu_seconds += ProcessCpuSeconds() - cpu;
  }
  return measured;
}

cl_int Runner::Read(std::size_t number, std::byte* to) const {
  const interp::JobBuffer& buffer = job_.buffers[number];
  if (buffers_[number] != nullptr) {
    return api_->clEnqueueReadBuffer(queue_, buffers_[number], CL_TRUE, 0, buffer.bytes.size(), to,
                                     0, nullptr, nullptr);
  }
  const interp::ImageDescriptor& image = *buffer.image;
  const std::size_t origin[3] = {};
  std::size_t region[3] = {static_cast<std::size_t>(image.size[0]),
                           static_cast<std::size_t>(image.size[1]),
                           static_cast<std::size_t>(image.size[2])};
  if (interp::IsArrayed(image.shape)) {
    region[interp::DimensionsOf(image.shape)] = static_cast<std::size_t>(image.layers);
  }
  return api_->clEnqueueReadImage(queue_, images_[number], CL_TRUE, origin, region, 0, 0, to, 0,
                                  nullptr, nullptr);
}

// Reads twice into memory that holds different bytes: a read that copies nothing leaves them.
Expected<std::vector<std::byte>> Runner::ReadBuffer(std::size_t number) const {
  if (job_.buffers[number].max_packets != 0) return std::vector<std::byte>{};
  const std::size_t size = job_.buffers[number].bytes.size();
  std::vector<std::byte> bytes(size, std::byte{0x5a}), again(size, std::byte{0xa5});
  for (std::vector<std::byte>* to : {&bytes, &again}) {
    const std::string_view call =
        buffers_[number] == nullptr ? "clEnqueueReadImage" : "clEnqueueReadBuffer";
    if (auto checked = Check(Read(number, to->data()), call); !checked) {
      return tl::unexpected<Error>(checked.error());
    }
  }
  if (bytes == again) return bytes;
  return Fail(ErrorKind::kDevice,
              fmt::format("{}: two reads of buffer '{}' gave different bytes, with no command in "
                          "between",
                          info_.description.name, job_.buffers[number].name));
}

Expected<std::vector<std::vector<std::byte>>> Runner::ReadBuffers() const {
  std::vector<std::vector<std::byte>> contents;
  for (std::size_t k = 0; k < buffers_.size(); ++k) {
    auto bytes = ReadBuffer(k);
    if (!bytes) return tl::unexpected<Error>(bytes.error());
    contents.push_back(std::move(*bytes));
  }
  return contents;
}

}  // namespace

Expected<JobOutcome> RunJobOnOpenCl(const Job& job, const std::string& platform,
                                    const JobRunOptions& options) {
  const auto source = SourceOf(job);
  if (!source) return tl::unexpected<Error>(source.error());
  auto api = OpenClApi::Open();
  if (!api) return tl::unexpected<Error>(api.error());
  auto info = SelectOpenClDevice(**api, platform);
  if (!info) return tl::unexpected<Error>(info.error());
  JobOutcome outcome;
  outcome.device = info->description.name;
  outcome.driver = info->description.driver_version;

  Runner runner(job, *api, *info);
  auto ready = runner.Open(AsksForQueue(*source));
  if (ready) ready = runner.Build(*source);
  for (int run = 0; ready && run < std::max(options.runs, 1); ++run) {
    ready = runner.CreateBuffers();
    if (!ready) break;
    const auto measured = runner.Launch();
    if (!measured) return tl::unexpected<Error>(measured.error());
    outcome.cpu_seconds = measured->cpu_seconds;
    outcome.seconds = measured->seconds;
  }
  if (!ready) return tl::unexpected<Error>(ready.error());
  auto buffers = runner.ReadBuffers();
  if (!buffers) return tl::unexpected<Error>(buffers.error());
  outcome.buffers = std::move(*buffers);
  return outcome;
}

}  // namespace assay::oracle
