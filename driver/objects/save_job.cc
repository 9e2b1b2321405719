#include "driver/objects/save_job.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/file_name.h"
#include "base/json_text.h"
#include "driver/build/build_client.h"
#include "driver/report/log.h"
#include "numerics/image/format.h"

namespace assay::driver {

namespace {

using nlohmann::ordered_json;

std::string_view AsText(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

const char* AccessOf(cl_mem_flags flags) {
  if ((flags & CL_MEM_READ_ONLY) != 0) return "read_only";
  return (flags & CL_MEM_WRITE_ONLY) != 0 ? "write_only" : "read_write";
}

ordered_json SamplerJson(const interp::SamplerDescriptor& of) {
  constexpr const char* kAddress[] = {"none", "clamp_to_edge", "clamp", "repeat",
                                      "mirrored_repeat"};
  const auto& sampler = of.sampler;
  return {{"address", kAddress[static_cast<int>(sampler.address)]},
          {"filter", sampler.filter == numerics::image::FilterMode::kLinear ? "linear" : "nearest"},
          {"normalized", sampler.normalized}};
}

// Writes one launch.  Files beside the job have its name before theirs.
class Saver {
 public:
  Saver(const Plan& plan, std::string folder)
      : plan_(plan),
        folder_(std::move(folder)),
        stem_(fmt::format("{}-{:06}-{}", getpid(), plan.number,
                          base::PlainFileName(plan.request.kernel))) {}

  Expected<std::string> Save() {
    const auto& words = plan_.executable->words;
    const std::string_view module = AsText(words.data(), words.size() * sizeof words[0]);
    // Launches of one program share its module.
    const std::string file = fmt::format("{:.16}.spv", base::Sha256(module));
    if (auto good = Write(file, module); !good) return tl::unexpected(good.error());
    // Beside the module, where findings and the debugger look for the lines.
    const Executable& executable = *plan_.executable;
    for (const ProgramSource& source : executable.sources) {
      if (source.path.find('/') != std::string::npos) continue;  // a header of a folder
      auto good = Write(source.path, source.text);
      if (!good) return tl::unexpected(good.error());
    }
    ordered_json job = {{"modules", {file}}};
    for (const auto& [id, value] : plan_.executable->specialization) {
      job["spec_constants"][std::to_string(id)] = fmt::format("{:#x}", value);
    }
    const std::uint32_t width = Log::Get().settings().subgroup_size;
    if (width != 0) job["sub_group_size"] = width;
    ordered_json arguments = ordered_json::array();
    for (const BoundArgument& argument : plan_.arguments) {
      auto saved = Argument(argument);
      if (!saved) return tl::unexpected(saved.error());
      arguments.push_back(std::move(*saved));
    }
    if (!buffers_.empty()) job["buffers"] = buffers_;
    if (!images_.empty()) job["images"] = images_;
    ordered_json launch = {{"kernel", plan_.request.kernel}, {"args", std::move(arguments)}};
    const interp::NdRange& range = plan_.request.range;
    for (int d = 0; d < range.dimensions; ++d) {
      launch["global"].push_back(range.global[d]);
      launch["offset"].push_back(range.offset[d]);
      if (range.local) launch["local"].push_back((*range.local)[d]);
    }
    job["launches"] = {std::move(launch)};
    const std::string path = fmt::format("{}/{}.json", folder_, stem_);
    if (auto good = base::WriteFileAtomically(path, base::JsonText(job, 1) + "\n"); !good) {
      return tl::unexpected(good.error());
    }
    return path;
  }

 private:
  Expected<void> Write(const std::string& name, std::string_view bytes) {
    const std::string path = folder_ + "/" + name;
    if (std::filesystem::exists(path)) return {};
    return base::WriteFileAtomically(path, bytes);
  }

  // A buffer that several arguments may have, whole or from an offset on.
  Expected<std::string> NameOf(const Memory& memory) {
    const auto [place, is_new] =
        names_.try_emplace(memory.storage.get(), fmt::format("b{}", names_.size()));
    const std::string& name = place->second;
    if (!is_new) return name;
    const Storage& storage = *memory.storage;
    ordered_json buffer = {{"type", "uchar"}, {"access", AccessOf(memory.flags)}};
    if (storage.IsUndefined()) {
      buffer["count"] = storage.size();
      buffer["init"] = "uninitialized";
    } else {
      const std::string file = fmt::format("{}-{}.bin", stem_, name);
      if (auto good = Write(file, AsText(storage.bytes(), storage.size())); !good) {
        return tl::unexpected(good.error());
      }
      buffer["init"] = {{"file", file}};
    }
    buffers_[name] = std::move(buffer);
    return name;
  }

  // An image that several arguments may be.
  Expected<std::string> NameOfImage(const Memory& memory) {
    const auto [place, is_new] =
        image_names_.try_emplace(&memory, fmt::format("image{}", image_names_.size()));
    const std::string& name = place->second;
    if (!is_new) return name;
    auto image = Image(memory, name);
    if (!image) return tl::unexpected(image.error());
    images_[name] = std::move(*image);
    return name;
  }

  Expected<ordered_json> Image(const Memory& memory, const std::string& name) {
    const interp::ImageDescriptor& image = memory.image->descriptor;
    if (image.row_pitch != 0) {
      return Fail(ErrorKind::kUnsupported, "an image of a buffer with a row pitch is not saved");
    }
    const std::string file = fmt::format("{}-{}.bin", stem_, name);
    if (auto good = Write(file, AsText(memory.bytes(), interp::ImageBytes(image))); !good) {
      return tl::unexpected(good.error());
    }
    ordered_json json = {{"shape", interp::ImageShapeName(image.shape)}};
    for (int d = 0; d < interp::DimensionsOf(image.shape); ++d)
      json["size"].push_back(image.size[d]);
    if (image.layers != 1) json["layers"] = image.layers;
    if (image.levels != 1) json["levels"] = image.levels;
    if (image.samples != 1) json["samples"] = image.samples;
    json["order"] = numerics::image::Name(image.format.order);
    json["type"] = numerics::image::Name(image.format.type);
    json["access"] = AccessOf(memory.flags);
    json["init"] = {{"file", file}};
    return json;
  }

  // Whether bytes hold the address of memory that a job does not have, such as pointers to unified
  // shared memory in what a SYCL kernel captures.
  bool HasPointer(std::span<const std::byte> bytes) const {
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i, sizeof word);
      for (const SvmAllocation& each : plan_.shared) {
        const Storage& storage = *each.storage;
        const std::byte* first = storage.shared() != nullptr ? storage.shared() : storage.bytes();
        if (word - reinterpret_cast<std::uintptr_t>(first) < storage.size()) return true;
      }
    }
    return false;
  }

  Expected<ordered_json> Argument(const BoundArgument& argument) {
    if (const auto* bytes = std::get_if<std::vector<std::byte>>(&argument)) {
      if (HasPointer(*bytes)) return tl::unexpected(ReachesShared());
      std::string digits;
      for (const std::byte byte : *bytes) digits += fmt::format("{:02x}", static_cast<int>(byte));
      return ordered_json{{"bytes", digits}};
    }
    if (const auto* local = std::get_if<LocalSize>(&argument))
      return ordered_json{{"local", local->bytes}};
    if (const auto* sampler = std::get_if<Ref<Sampler>>(&argument)) {
      return ordered_json{{"sampler", SamplerJson((*sampler)->sampler)}};
    }
    if (const auto* object = std::get_if<Ref<Memory>>(&argument)) {
      if (!*object) return ordered_json{{"null", true}};
      const Memory& memory = **object;
      if (memory.IsImage()) {
        const auto name = NameOfImage(memory);
        if (!name) return tl::unexpected(name.error());
        return ordered_json{{"image", *name}};
      }
      if (memory.IsBuffer()) {
        const auto name = NameOf(memory);
        if (!name) return tl::unexpected(name.error());
        ordered_json json = {{"buffer", *name}};
        if (memory.offset != 0) json["offset"] = memory.offset;
        return json;
      }
    }
    return tl::unexpected(ReachesShared());
  }
  static Error ReachesShared() {
    return {ErrorKind::kUnsupported, "a launch with SVM, pipes or device queues is not saved"};
  }

  const Plan& plan_;
  std::string folder_;
  std::string stem_;
  ordered_json buffers_ = ordered_json::object();
  std::map<const Storage*, std::string> names_;
  ordered_json images_ = ordered_json::object();
  std::map<const Memory*, std::string> image_names_;
};

}  // namespace

namespace {

// Whether this is the launch of ASSAY_DEBUG.
bool IsToBeDebugged(const Plan& plan) {
  const auto& asked = Log::Get().settings().debug;
  if (!asked || asked->kernel != plan.request.kernel) return false;
  static std::uint64_t launches = 0;  // of this kernel; only one thread executes commands
  return ++launches == asked->launch;
}

// The debugger on the application's terminal, until the user ends it.
void Debug(const std::string& job) {
  const auto program = FindBuildProgram();
  if (!program) {
    std::fprintf(stderr, "assay: %s\n", program.error().message.c_str());
    return;
  }
  std::string words[] = {*program, "debug", "--job", job};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program->c_str(), nullptr, nullptr, arguments, environ) != 0) {
    std::fprintf(stderr, "assay: %s cannot be started\n", program->c_str());
    return;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::string SaveIfAsked(const Plan& plan) {
  const bool is_to_be_debugged = IsToBeDebugged(plan);
  std::string folder = Log::Get().settings().save_jobs;
  std::error_code error;
  if (folder.empty() && is_to_be_debugged) {
    folder = (std::filesystem::temp_directory_path(error) / fmt::format("assay-debug-{}", getpid()))
                 .string();
  }
  if (folder.empty()) return "";
  std::filesystem::create_directories(folder, error);
  auto path = Saver(plan, folder).Save();
  if (path && is_to_be_debugged) Debug(*path);
  if (path) return *path;
  static bool is_told = false;
  if (!std::exchange(is_told, true)) {
    std::fprintf(stderr, "assay: launch %llu of kernel '%s' is not saved as a job: %s\n",
                 static_cast<unsigned long long>(plan.number), plan.request.kernel.c_str(),
                 path.error().message.c_str());
  }
  return "";
}

}  // namespace assay::driver
