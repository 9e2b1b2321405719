#include "oracle/jobs/job_on_opencl.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "base/clock.h"
#include "base/file.h"
#include "base/run_tool.h"
#include "frontend/decode.h"
#include "frontend/loader.h"
#include "oracle/devices/opencl_info.h"
#include "oracle/devices/opencl_loader.h"
#include "oracle/jobs/job_memory.h"
#include "oracle/jobs/opencl_il.h"

namespace assay::oracle {
namespace {

using interp::Job;
using interp::JobLaunch;

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

std::optional<std::size_t> BufferOf(const interp::JobArgument& argument) {
  if (const auto* use = std::get_if<interp::JobBufferUse>(&argument)) return use->buffer;
  if (const auto* view = std::get_if<interp::JobImageOfBuffer>(&argument)) return view->buffer;
  return {};
}

// Why a launch cannot follow those that were left out: what it uses is not what they would have
// made.  "" where it can.
std::string WhyWithout(const Job& job, const JobLaunch& launch, const std::vector<bool>& complete) {
  for (const interp::JobArgument& argument : launch.arguments) {
    const auto used = BufferOf(argument);
    if (used && !complete.at(*used)) {
      return fmt::format("{} '{}', which a launch uses that is left out", job.buffers[*used].Kind(),
                         job.buffers[*used].name);
    }
  }
  return "";
}

// One job on one device; it owns the objects that it creates.
class Runner {
 public:
  Runner(const Job& job, std::shared_ptr<const OpenClApi> api, OpenClDeviceInfo info)
      : job_(job),
        api_(std::move(api)),
        info_(std::move(info)),
        memory_(job, api_, info_.description.name) {}
  ~Runner() {
    memory_.Release();
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
  // All launches from the initial buffers, but for those that the device has not all objects for.
  Expected<void> Launch(JobOutcome* outcome);
  Expected<std::vector<std::vector<std::byte>>> Read() const { return memory_.Read(); }

 private:
  Expected<void> Check(cl_int status, std::string_view call) const {
    return CheckOpenCl(info_.description.name, status, call);
  }
  Expected<void> CheckObject(cl_int status, const void* object, std::string_view call) const {
    return CheckOpenClObject(info_.description.name, status, object, call);
  }
  ImageUse UseBy(const JobLaunch& launch, std::size_t argument) const;
  std::vector<ImageUse> Uses() const;
  Expected<std::string> SetArgument(const JobLaunch& launch, std::size_t place, cl_kernel kernel,
                                    cl_int* status);
  Expected<void> CreateFromText(const std::string& source);
  Expected<std::string> FolderOfText();
  Expected<cl_kernel> KernelOf(const std::string& name);
  Expected<cl_command_queue> DeviceQueue(std::uint32_t number);
  Expected<std::string> SetArguments(const JobLaunch& launch, cl_kernel kernel);
  Expected<void> Enqueue(const JobLaunch& launch, cl_kernel kernel, JobOutcome* outcome);

  const Job& job_;
  std::shared_ptr<const OpenClApi> api_;
  OpenClDeviceInfo info_;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::map<std::uint32_t, cl_command_queue> device_queues_;  // 0: the default one
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
  JobMemory memory_;
  std::optional<base::TemporaryFolder> link_;  // to the text's folder
  ImageParameters image_parameters_;           // of OpenCL C none is known
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

// The folder of the job's text, by a name that drivers take: the options are one string, which some
// split at spaces and quotes whatever stands around them.
Expected<std::string> Runner::FolderOfText() {
  namespace fs = std::filesystem;
  const std::string folder =
      fs::absolute(job_.modules[0]).parent_path().lexically_normal().string();
  if (folder.find_first_of(" \t\n\"'\\`") == std::string::npos) return folder;
  auto made = base::TemporaryFolder::Make();
  if (!made) return tl::unexpected<Error>(made.error());
  std::error_code failed;
  fs::create_directory_symlink(folder, made->File("source"), failed);
  if (failed) {
    return Fail(ErrorKind::kDevice, fmt::format("{}: no link to '{}' can be made there: {}",
                                                made->path(), folder, failed.message()));
  }
  link_.emplace(std::move(*made));
  return link_->File("source");
}

Expected<void> Runner::Build(const Source& source) {
  std::string options = job_.load.compile.build_options;
  if (const auto* module = std::get_if<frontend::Binary>(&source)) {
    auto program = CreateProgramWithIl(*api_, info_, context_, *module, job_.load.specialization);
    if (!program) return tl::unexpected<Error>(program.error());
    program_ = *program;
    image_parameters_ = ImageParametersOf(*module);
  } else {
    if (auto made = CreateFromText(std::get<std::string>(source)); !made) return made;
    // Drivers have no idea where the text came from: #include "x.h" needs the folder's name.
    const auto folder = FolderOfText();
    if (!folder) return tl::unexpected<Error>(folder.error());
    if (!options.empty()) options += " ";
    options += fmt::format("-I {}", *folder);
  }
  const cl_int status =
      api_->clBuildProgram(program_, 1, &info_.device, options.c_str(), nullptr, nullptr);
  if (status == CL_SUCCESS) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{} did not build {} with \"{}\" ({}); its build log:\n{}",
                          info_.description.name, job_.modules[0], options, OpenClErrorName(status),
                          OpenClBuildLog(*api_, program_, info_.device)));
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

ImageUse Runner::UseBy(const JobLaunch& launch, std::size_t argument) const {
  const auto known = image_parameters_.find({launch.kernel, argument});
  if (known == image_parameters_.end()) return {};
  return {known->second == frontend::AccessQualifier::kReadOnly,
          known->second == frontend::AccessQualifier::kReadWrite};
}

// For each of the job's, by all kernels that are launched.
std::vector<ImageUse> Runner::Uses() const {
  std::vector<ImageUse> uses(job_.buffers.size(), ImageUse{.only_read = true});
  for (const JobLaunch& launch : job_.launches) {
    for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
      const std::optional<std::size_t> used = BufferOf(launch.arguments[k]);
      if (!used) continue;
      const ImageUse use = UseBy(launch, k);
      ImageUse& all = uses.at(*used);
      all = {all.only_read && use.only_read, all.read_and_written || use.read_and_written};
    }
  }
  return uses;
}

// Why the device has no object for the argument, "" where it was set: its status is another matter.
Expected<std::string> Runner::SetArgument(const JobLaunch& launch, std::size_t place,
                                          cl_kernel kernel, cl_int* status) {
  const interp::JobArgument& argument = launch.arguments[place];
  const auto set = [&](std::size_t size, const void* value) {
    *status = api_->clSetKernelArg(kernel, static_cast<cl_uint>(place), size, value);
    return std::string();
  };
  if (const auto* bytes = std::get_if<interp::BytesArgument>(&argument)) {
    return set(bytes->bytes.size(), bytes->bytes.data());
  }
  if (const auto* use = std::get_if<interp::JobBufferUse>(&argument)) {
    if (!memory_.Missing(use->buffer).empty()) return memory_.Missing(use->buffer);
    if (use->offset != 0) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}: argument {} of {} is a sub-buffer, which this program does not "
                              "give to drivers",
                              job_.path, place, launch.kernel));
    }
    const cl_mem object = memory_.Object(use->buffer);
    return set(sizeof object, &object);
  }
  if (const auto* device_queue = std::get_if<interp::QueueArgument>(&argument)) {
    const auto queue = DeviceQueue(device_queue->queue);
    if (!queue) return tl::unexpected(queue.error());
    return set(sizeof *queue, &*queue);
  }
  if (const auto* local = std::get_if<interp::LocalArgument>(&argument)) {
    return set(local->bytes, nullptr);
  }
  if (const auto* view = std::get_if<interp::JobImageOfBuffer>(&argument)) {
    std::string missing;
    const auto image = memory_.View(*view, UseBy(launch, place), &missing);
    if (!image) return tl::unexpected<Error>(image.error());
    if (!missing.empty()) return missing;
    return set(sizeof *image, &*image);
  }
  if (const auto* given = std::get_if<interp::SamplerArgument>(&argument)) {
    const auto sampler = memory_.Sampler(*given);
    if (!sampler) return tl::unexpected<Error>(sampler.error());
    return set(sizeof *sampler, &*sampler);
  }
  return set(sizeof(cl_mem), nullptr);
}

// Why the device has not all objects for the launch, "" where the arguments are set.
Expected<std::string> Runner::SetArguments(const JobLaunch& launch, cl_kernel kernel) {
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    cl_int status = CL_SUCCESS;
    auto missing = SetArgument(launch, k, kernel, &status);
    if (!missing || !missing->empty()) return missing;
    if (auto set = Check(status, fmt::format("argument {} of {}", k, launch.kernel)); !set) {
      return tl::unexpected<Error>(set.error());
    }
  }
  return std::string();
}

// The clocks run from each enqueue to its end, as in a host program that waits for every launch.
Expected<void> Runner::Enqueue(const JobLaunch& launch, cl_kernel kernel, JobOutcome* outcome) {
  std::array<std::size_t, 3> global{};
  std::array<std::size_t, 3> local{};
  std::array<std::size_t, 3> offset{};
  for (std::size_t d = 0; d < 3; ++d) {
    global[d] = launch.range.global[d];
    local[d] = launch.range.local ? (*launch.range.local)[d] : 0;
    offset[d] = launch.range.offset[d];
  }
  const double cpu = ProcessCpuSeconds();
  const auto start = std::chrono::steady_clock::now();
  auto done =
      Check(api_->clEnqueueNDRangeKernel(
                queue_, kernel, static_cast<cl_uint>(launch.range.dimensions), offset.data(),
                global.data(), launch.range.local ? local.data() : nullptr, 0, nullptr, nullptr),
            fmt::format("launching {}", launch.kernel));
  if (done) done = Check(api_->clFinish(queue_), fmt::format("running {}", launch.kernel));
  if (!done) return done;
  outcome->seconds += base::SecondsSince(start);
  outcome->cpu_seconds += ProcessCpuSeconds() - cpu;
  return {};
}

Expected<void> Runner::Launch(JobOutcome* outcome) {
  memory_.Use(context_, queue_, Uses());
  if (auto made = memory_.Create(); !made) return made;
  outcome->seconds = outcome->cpu_seconds = 0;
  outcome->left_out.clear();
  outcome->complete.assign(job_.buffers.size(), true);
  for (std::size_t number = 0; number < job_.launches.size(); ++number) {
    const JobLaunch& launch = job_.launches[number];
    auto kernel = KernelOf(launch.kernel);
    if (!kernel) return tl::unexpected<Error>(kernel.error());
    std::string why = WhyWithout(job_, launch, outcome->complete);
    if (why.empty()) {
      auto missing = SetArguments(launch, *kernel);
      if (!missing) return tl::unexpected<Error>(missing.error());
      why = *missing;
    }
    if (why.empty()) {
      if (auto done = Enqueue(launch, *kernel, outcome); !done) return done;
      continue;
    }
    outcome->left_out.push_back({number, launch.kernel, why});
    for (const interp::JobArgument& argument : launch.arguments) {
      if (const auto used = BufferOf(argument)) outcome->complete.at(*used) = false;
    }
  }
  if (outcome->left_out.empty() || outcome->left_out.size() < job_.launches.size()) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{}: {} can run no launch of the job, the first because of {}", job_.path,
                          info_.description.name, outcome->left_out[0].why));
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
  const auto keeps = [&](numerics::Format format) {
    return info->description.denormals[static_cast<std::size_t>(format)];
  };
  outcome.is_embedded = info->description.profile == Profile::kEmbedded;
  outcome.keeps_subnormal_floats = keeps(numerics::Format::kFloat);
  outcome.keeps_subnormal_halfs = keeps(numerics::Format::kHalf);

  Runner runner(job, *api, *info);
  auto ready = runner.Open(AsksForQueue(*source));
  if (ready) ready = runner.Build(*source);
  for (int run = 0; ready && run < std::max(options.runs, 1); ++run) {
    ready = runner.Launch(&outcome);
  }
  if (!ready) return tl::unexpected<Error>(ready.error());
  auto buffers = runner.Read();
  if (!buffers) return tl::unexpected<Error>(buffers.error());
  outcome.buffers = std::move(*buffers);
  return outcome;
}

}  // namespace assay::oracle
