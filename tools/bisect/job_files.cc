#include "tools/bisect/job_files.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"

namespace assay::tools {
namespace {

using nlohmann::ordered_json;

ordered_json ArgumentJson(const interp::Job& job, const interp::JobArgument& argument) {
  if (const auto* use = std::get_if<interp::JobBufferUse>(&argument)) {
    const interp::JobBuffer& buffer = job.buffers[use->buffer];
    if (buffer.image) return {{"image", buffer.name}};
    if (buffer.max_packets != 0) {
      return {{"pipe",
               {{"name", buffer.name},
                {"packet", buffer.type.name},
                {"max_packets", buffer.max_packets}}}};
    }
    ordered_json json = {{"buffer", buffer.name}};
    if (use->offset != 0) json["offset"] = use->offset;
    return json;
  }
  if (const auto* local = std::get_if<interp::LocalArgument>(&argument)) {
    return {{"local", local->bytes}};
  }
  if (const auto* bytes = std::get_if<interp::BytesArgument>(&argument)) {
    std::string hex;
    for (const std::byte one : bytes->bytes) hex += fmt::format("{:02x}", static_cast<int>(one));
    return {{"bytes", hex}};
  }
  return {{"null", true}};
}

ordered_json ImageJson(const interp::ImageDescriptor& image, const std::string& file) {
  ordered_json json = {{"shape", interp::ImageShapeName(image.shape)},
                       {"size", ordered_json::array()},
                       {"order", numerics::image::Name(image.format.order)},
                       {"type", numerics::image::Name(image.format.type)},
                       {"init", {{"file", file}}}};
  for (int d = 0; d < interp::DimensionsOf(image.shape); ++d)
    json["size"].push_back(image.size[static_cast<std::size_t>(d)]);
  if (interp::IsArrayed(image.shape)) json["layers"] = image.layers;
  return json;
}

ordered_json SizesOf(const std::array<std::uint64_t, 3>& sizes, int dimensions) {
  ordered_json json = ordered_json::array();
  for (int d = 0; d < dimensions; ++d) json.push_back(sizes[static_cast<std::size_t>(d)]);
  return json;
}

ordered_json LaunchJson(const interp::Job& job, const interp::JobLaunch& launch) {
  ordered_json json = {{"kernel", launch.kernel},
                       {"global", SizesOf(launch.range.global, launch.range.dimensions)}};
  if (launch.range.local) json["local"] = SizesOf(*launch.range.local, launch.range.dimensions);
  if (launch.range.offset != std::array<std::uint64_t, 3>{}) {
    json["offset"] = SizesOf(launch.range.offset, launch.range.dimensions);
  }
  json["args"] = ordered_json::array();
  for (const interp::JobArgument& argument : launch.arguments)
    json["args"].push_back(ArgumentJson(job, argument));
  return json;
}

// Writes files of one folder, and knows which.
class Files {
 public:
  explicit Files(std::string folder) : folder_(std::move(folder)) {}

  Expected<void> One(const std::string& name, std::string_view bytes) {
    const std::string path = folder_ + "/" + name;
    if (auto good = base::WriteFileAtomically(path, bytes); !good) return good;
    written_.push_back(path);
    return {};
  }
  Expected<void> Buffer(const std::string& name, std::span<const std::byte> bytes) {
    return One(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  std::vector<std::string> Take() { return std::move(written_); }

 private:
  std::string folder_;
  std::vector<std::string> written_;
};

}  // namespace

Expected<std::vector<std::string>> WriteJobFiles(const std::string& folder, const std::string& stem,
                                                 const std::string& text, const interp::Job& job) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // what fails here fails below, too
  Files files(folder);
  if (auto good = files.One(stem + ".cl", text); !good) return tl::unexpected(good.error());
  const std::string module = stem + ".spv";
  const bool is_spirv = job.modules == std::vector{module};
  ordered_json json = {{"module", is_spirv ? module : stem + ".cl"}};
  if (!job.load.compile.build_options.empty()) {
    json["build_options"] = job.load.compile.build_options;
  }
  for (const interp::JobBuffer& buffer : job.buffers) {
    if (buffer.max_packets != 0) continue;
    const std::string file = fmt::format("{}-{}.bin", stem, buffer.name);
    if (auto good = files.Buffer(file, buffer.bytes); !good) return tl::unexpected(good.error());
    if (buffer.image) {
      json["images"][buffer.name] = ImageJson(*buffer.image, file);
    } else {
      json["buffers"][buffer.name] = {{"type", buffer.type.name}, {"init", {{"file", file}}}};
    }
  }
  for (const interp::BufferExpectation& expected : job.expected_buffers) {
    if (!expected.bytes) continue;
    const std::string& name = job.buffers[expected.buffer].name;
    const std::string file = fmt::format("{}-{}-expected.bin", stem, name);
    if (auto good = files.Buffer(file, *expected.bytes); !good) return tl::unexpected(good.error());
    const bool is_image = job.buffers[expected.buffer].image.has_value();
    json["expect"][is_image ? "images" : "buffers"][name] = {{"file", file}};
  }
  for (const interp::JobLaunch& launch : job.launches)
    json["launches"].push_back(LaunchJson(job, launch));
  if (auto good = files.One(stem + ".json", base::JsonText(json, 1) + "\n"); !good) {
    return tl::unexpected(good.error());
  }
  return files.Take();
}

}  // namespace assay::tools
