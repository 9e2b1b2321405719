#include "tools/bisect/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/build_words.h"
#include "base/file.h"
#include "tools/bisect/c_types.h"
#include "tools/judge/macros.h"
#include "tools/run/job_run.h"

namespace assay::tools {
namespace {

// Options that name macros and folders are about the text that is replaced.
std::string MathOptionsOf(const std::string& options) {
  std::string kept;
  const base::BuildWords words(options);
  for (const base::BuildWords::Word& word : words.words()) {
    if (word.text.starts_with("-cl-")) kept += (kept.empty() ? "" : " ") + word.raw;
  }
  return kept;
}

void Uninitialize(const Capture& capture, interp::Job* job) {
  for (const CapturedMemory& memory : capture.memory) {
    for (interp::JobBuffer& buffer : job->buffers) {
      if (buffer.name == memory.name && !memory.written_before) buffer.uninitialized = true;
    }
  }
}

// Captured memory is bytes; how it is compared and shown needs the type that the kernel has for it.
void Retype(const frontend::Module& module, interp::Job* job) {
  const frontend::EntryPoint* entry = module.FindKernel(job->launches[0].kernel);
  const frontend::Function* function =
      entry == nullptr ? nullptr : module.FindFunction(entry->function);
  if (function == nullptr) return;
  const auto parameters = function->parameters.Of(module.parameters);
  const CTypes types(module);
  const auto& arguments = job->launches[0].arguments;
  for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
    const auto* use = std::get_if<interp::JobBufferUse>(&arguments[i]);
    if (use == nullptr || !types.IsPointer(parameters[i].type)) continue;
    interp::JobBuffer& buffer = job->buffers[use->buffer];
    const auto type =
        interp::ParseElementType(types.Component(types.Type(parameters[i].type).element));
    if (!type || buffer.image || buffer.max_packets != 0 || buffer.type.name != "uchar") continue;
    if (buffer.bytes.size() % type->bytes != 0) continue;
    buffer.type = *type;
    buffer.count = buffer.bytes.size() / type->bytes;
  }
}

}  // namespace

interp::JobBuffer ZeroBuffer(const std::string& name, const std::string& type,
                             std::uint64_t count) {
  interp::JobBuffer buffer;
  buffer.name = name;
  buffer.type = *interp::ParseElementType(type);
  buffer.count = count;
  buffer.bytes = interp::HostBytes(count * buffer.type.bytes);
  return buffer;
}

interp::JobArgument ScalarArgument(std::uint64_t value, std::uint32_t bytes) {
  interp::BytesArgument argument;
  argument.bytes.resize(bytes);
  std::memcpy(argument.bytes.data(), &value, bytes);
  return argument;
}

Expected<Subject> Subject::Load(const std::string& path, double seconds,
                                const std::string& max_memory) {
  RunOptions options;
  options.job = path;
  options.timeout = seconds;
  options.max_memory = max_memory;
  options.memory_given = true;
  options.quiet = true;
  std::optional<Capture> capture;
  if (IsCapture(path)) {
    auto read = ReadCapture(path);
    if (!read) return tl::unexpected(read.error());
    if (!read->missing.empty()) {
      return Fail(ErrorKind::kUnsupported,
                  fmt::format("{}: the launch is not captured: {}", path, read->missing));
    }
    options.job = read->job;
    capture = std::move(*read);
  }
  if (auto started = StartBudget(&options); !started) return tl::unexpected(started.error());
  auto job = JobOf(options);
  if (!job) return tl::unexpected(job.error());
  if (job->launches.empty()) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: it has no launch", path));
  }
  return Make(std::move(*job), options, capture ? &*capture : nullptr);
}

Expected<Subject> Subject::Of(interp::Job job, RunOptions options) {
  options.quiet = true;
  return Make(std::move(job), options, nullptr);
}

Expected<Subject> Subject::Make(interp::Job job, const RunOptions& options,
                                const Capture* capture) {
  auto folder = base::TemporaryFolder::Make();
  if (!folder) return tl::unexpected(folder.error());
  Subject made(std::move(*folder));
  made.build_options_ = MathOptionsOf(job.load.compile.build_options);
  const std::string given = job.load.compile.build_options;
  if (capture != nullptr) {
    Uninitialize(*capture, &job);
    TakeMacros(*capture, options, &job);
    made.macros_ = job.load.compile.build_options.substr(given.size());
  }
  // Nearest to the text: nothing is folded, and variables stay in memory.
  std::string& build = job.load.compile.build_options;
  build += build.empty() ? "-cl-opt-disable" : " -cl-opt-disable";
  const auto prepared = PrepareRun(job, options);
  if (!prepared) return tl::unexpected(prepared.error());
  made.module_ = prepared->module;
  job.load.compile.build_options = given;
  job.load.budget = {};  // each trial has its own
  made.job_ = std::move(job);
  if (made.job_.launches.size() == 1) {
    if (auto kept = made.Keep(0, {}); !kept) return tl::unexpected(kept.error());
  }
  return made;
}

interp::Job Subject::First(std::size_t launches) const {
  interp::Job job = job_;
  job.launches.resize(std::min(launches, job.launches.size()));
  return job;
}

Expected<void> Subject::Keep(std::size_t launch, std::vector<std::vector<std::byte>> memory) {
  job_.launches = {job_.launches.at(launch)};
  std::string& kernel = job_.launches[0].kernel;
  if (kernel.empty() && module_->entry_points.size() == 1) kernel = module_->entry_points[0].name;
  if (module_->FindKernel(kernel) == nullptr) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: its module has no kernel '{}'", job_.path, kernel));
  }
  for (std::size_t i = 0; i < std::min(memory.size(), job_.buffers.size()); ++i) {
    interp::JobBuffer& buffer = job_.buffers[i];
    if (memory[i].size() != buffer.bytes.size()) continue;
    std::ranges::copy(memory[i], buffer.bytes.begin());
    buffer.uninitialized = false;
  }
  Retype(*module_, &job_);
  return {};
}

std::string Subject::Item() const {
  const interp::NdRange& range = launch().range;
  const auto id = [&](int d) {
    return range.offset[static_cast<std::size_t>(d)] == 0
               ? fmt::format("get_global_id({})", d)
               : fmt::format("(get_global_id({0}) - get_global_offset({0}))", d);
  };
  if (range.dimensions == 1) return id(0);
  std::string text = id(range.dimensions - 1);
  for (int d = range.dimensions - 2; d >= 0; --d) {
    text = fmt::format("({}) * get_global_size({}) + {}", text, d, id(d));
  }
  return text;
}

std::array<std::uint64_t, 3> Subject::GlobalId(std::uint64_t item) const {
  const interp::NdRange& range = launch().range;
  std::array<std::uint64_t, 3> id{};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t size = std::max<std::uint64_t>(range.global[d], 1);
    id[d] = item % size + range.offset[d];
    item /= size;
  }
  return id;
}

std::uint64_t Subject::Items() const {
  const auto& global = launch().range.global;
  return global[0] * global[1] * global[2];
}

Expected<std::string> Subject::WriteText(const std::string& text) const {
  const std::string path = folder_.File(fmt::format("kernel{}.cl", texts_++));
  if (auto written = base::WriteFileAtomically(path, text); !written) {
    return tl::unexpected(written.error());
  }
  return path;
}

Expected<interp::Job> Subject::Alone(const std::string& text,
                                     std::vector<interp::JobBuffer> buffers,
                                     interp::JobLaunch launch) const {
  auto path = WriteText(text);
  if (!path) return tl::unexpected(path.error());
  interp::Job job;
  job.modules = {std::move(*path)};
  job.load.compile.build_options = build_options_;
  job.load.compile.compiler = job_.load.compile.compiler;
  job.sub_group_size = job_.sub_group_size;
  job.buffers = std::move(buffers);
  for (const interp::JobBuffer& buffer : job.buffers) job.buffer_bytes += buffer.bytes.size();
  job.launches.push_back(std::move(launch));
  return job;
}

Expected<interp::Job> Subject::With(const CKernel& kernel, std::vector<interp::JobBuffer> buffers,
                                    std::vector<interp::JobArgument> more) const {
  interp::JobLaunch changed = launch();
  changed.arguments.clear();
  for (const std::size_t i : kernel.parameters) {
    if (i < launch().arguments.size()) changed.arguments.push_back(launch().arguments[i]);
  }
  for (interp::JobArgument& one : more) changed.arguments.push_back(std::move(one));
  // Only the buffers that are used.
  std::vector<interp::JobBuffer> all = job_.buffers;
  for (interp::JobBuffer& one : buffers) all.push_back(std::move(one));
  std::vector<interp::JobBuffer> used;
  std::map<std::size_t, std::size_t> places;
  for (interp::JobArgument& one : changed.arguments) {
    auto* use = std::get_if<interp::JobBufferUse>(&one);
    if (use == nullptr) continue;
    const auto [place, is_new] = places.emplace(use->buffer, used.size());
    if (is_new) used.push_back(std::move(all[use->buffer]));
    use->buffer = place->second;
  }
  return Alone(kernel.text, std::move(used), std::move(changed));
}

}  // namespace assay::tools
