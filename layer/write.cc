#include "layer/write.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/file_name.h"
#include "base/json_text.h"
#include "layer/follow.h"
#include "layer/image_words.h"
#include "layer/includes.h"

namespace assay::layer {

namespace {

using nlohmann::ordered_json;

std::string_view AsText(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string DeviceText(cl_device_id device, cl_device_info name) {
  const auto ask = Target(device).clGetDeviceInfo;
  std::size_t size = 0;
  if (ask(device, name, 0, nullptr, &size) != CL_SUCCESS) return "";
  std::string text(size, '\0');
  if (ask(device, name, size, text.data(), nullptr) != CL_SUCCESS) return "";
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

std::string PlatformText(cl_device_id device) {
  cl_platform_id platform = nullptr;
  Target(device).clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr);
  char text[256] = "";
  Target(platform).clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof text - 1, text, nullptr);
  return text;
}

class Writer {
 public:
  Writer(std::string folder, const LaunchCall& call, const KernelRecord& kernel,
         const CaptureText& text)
      : folder_(std::move(folder)),
        call_(call),
        kernel_(kernel),
        text_(text),
        stem_(
            fmt::format("{}-{:06}-{}", getpid(), text.capture, base::PlainFileName(kernel.name))) {}

  Expected<void> Write() {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);  // what fails here fails below, too
    if (text_.missing.empty()) {
      includes_ = TakeIncludes(*kernel_.build);
      if (auto good = WriteJob(); !good) return good;
    }
    // Last: a capture with a description is whole.
    return WriteFile(stem_ + ".capture.json", base::JsonText(Description(), 1) + "\n");
  }

 private:
  Expected<void> WriteFile(const std::string& name, std::string_view bytes) {
    return base::WriteFileAtomically(folder_ + "/" + name, bytes);
  }
  // The program's files, which all launches of it share.
  Expected<void> WriteShared(const std::string& name, std::string_view bytes) {
    const std::filesystem::path path = folder_ + "/" + name;
    std::error_code error;
    if (std::filesystem::exists(path, error)) return {};
    std::filesystem::create_directories(path.parent_path(), error);
    return WriteFile(name, bytes);
  }

  Expected<void> WriteProgram(ordered_json* job) {
    const Build& build = *kernel_.build;
    const std::string folder = fmt::format("program-{:.16}", build.digest);
    for (std::size_t i = 0; i < build.modules.size(); ++i) {
      const Module& module = build.modules[i];
      const std::string number = build.modules.size() == 1 ? "" : std::to_string(i);
      const std::string name =
          fmt::format("{}/program{}.{}", folder, number, module.is_il ? "spv" : "cl");
      if (auto good = WriteShared(name, module.bytes); !good) return good;
      (*job)["modules"].push_back(name);
    }
    for (const auto& [name, text] : build.headers) {
      if (auto good = WriteShared(folder + "/" + name, text); !good) return good;
    }
    for (const auto& [name, text] : includes_.files) {
      if (auto good = WriteShared(folder + "/" + name, text); !good) return good;
    }
    std::string options = includes_.options;
    if (!build.headers.empty() || !includes_.files.empty())
      options += options.empty() ? "-I ." : " -I .";
    if (!options.empty() && !build.modules[0].is_il) (*job)["build_options"] = options;
    for (const auto& [id, value] : build.spec_constants) {
      std::uint64_t bits = 0;
      for (std::size_t i = value.size(); i-- > 0;) {
        bits = bits << 8 | std::to_integer<std::uint64_t>(value[i]);
      }
      (*job)["spec_constants"][std::to_string(id)] = fmt::format("{:#x}", bits);
    }
    return {};
  }

  Expected<void> WriteJob() {
    ordered_json job = ordered_json::object();
    if (auto good = WriteProgram(&job); !good) return good;
    ordered_json arguments = text_.snapshot->arguments();
    for (const Captured& one : text_.snapshot->memory()) {
      const std::string file = fmt::format("{}-{}.bin", stem_, one.name);
      if (auto good = WriteFile(file, AsText(one.before)); !good) return good;
      ordered_json content = {{"file", file}};
      if (one.is_image) {
        ordered_json image = one.description;
        image["init"] = std::move(content);
        job["images"][one.name] = std::move(image);
      } else {
        job["buffers"][one.name] = {
            {"type", "uchar"}, {"access", AccessName(one.flags)}, {"init", std::move(content)}};
      }
      if (one.after == one.before) continue;
      if (auto good = WriteFile(AfterFile(one), AsText(one.after)); !good) return good;
    }
    ordered_json launch = Range();
    launch["args"] = std::move(arguments);
    job["launches"] = {std::move(launch)};
    return WriteFile(stem_ + ".json", base::JsonText(job, 1) + "\n");
  }

  std::string AfterFile(const Captured& one) const {
    const char* kind = one.after == one.before ? "" : "-after";
    return fmt::format("{}-{}{}.bin", stem_, one.name, kind);
  }

  ordered_json Range() const {
    ordered_json range = {{"kernel", kernel_.name}};
    for (cl_uint d = 0; d < call_.dimensions && call_.global != nullptr; ++d) {
      range["global"].push_back(call_.global[d]);
      if (call_.offset != nullptr) range["offset"].push_back(call_.offset[d]);
      if (call_.local != nullptr) range["local"].push_back(call_.local[d]);
    }
    return range;
  }

  // 0 where the device does not have the type.
  cl_ulong FloatConfig(cl_device_info name) const {
    cl_device_fp_config config = 0;
    const cl_int code =
        Target(text_.device).clGetDeviceInfo(text_.device, name, sizeof config, &config, nullptr);
    return code == CL_SUCCESS ? config : 0;
  }

  void TellMacros(ordered_json* json) const {
    const DriverMacros& macros = Layer::Get().macros.Ask(text_.device, *kernel_.build, includes_);
    ordered_json answers = ordered_json::object();
    for (const auto& [name, value] : macros.answers) {
      answers[name] = value ? ordered_json(*value) : ordered_json(nullptr);
    }
    (*json)["macros"] = std::move(answers);
    (*json)["macros_missing"] = macros.missing;
  }

  ordered_json Description() const {
    ordered_json json = {{"schema", kCaptureSchema}, {"process", getpid()}};
    json["capture"] = text_.capture;
    json.update(Range());
    json["launch"] = text_.launch;
    json["platform"] = PlatformText(text_.device);
    json["device"] = DeviceText(text_.device, CL_DEVICE_NAME);
    json["device_version"] = DeviceText(text_.device, CL_DEVICE_VERSION);
    json["driver_version"] = DeviceText(text_.device, CL_DRIVER_VERSION);
    json["extensions"] = DeviceText(text_.device, CL_DEVICE_EXTENSIONS);
    cl_uint bits = 0;
    Target(text_.device)
        .clGetDeviceInfo(text_.device, CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, nullptr);
    json["address_bits"] = bits;
    json["profile"] = DeviceText(text_.device, CL_DEVICE_PROFILE);
    json["single_fp_config"] = FloatConfig(CL_DEVICE_SINGLE_FP_CONFIG);
    json["half_fp_config"] = FloatConfig(CL_DEVICE_HALF_FP_CONFIG);
    json["missing"] = text_.missing;
    json["doubts"] = text_.doubts;
    if (!text_.missing.empty()) return json;
    TellMacros(&json);
    json["job"] = stem_ + ".json";
    json["memory"] = ordered_json::array();
    for (const Captured& one : text_.snapshot->memory()) {
      json["memory"].push_back({{"name", one.name},
                                {"after", AfterFile(one)},
                                {"shared", one.svm != nullptr},
                                {"written_before", one.is_written}});
    }
    return json;
  }

  std::string folder_;
  const LaunchCall& call_;
  const KernelRecord& kernel_;
  const CaptureText& text_;
  std::string stem_;
  Includes includes_;
};

}  // namespace

Expected<void> WriteCapture(const std::string& folder, const LaunchCall& call,
                            const KernelRecord& kernel, const CaptureText& text) {
  return Writer(folder, call, kernel, text).Write();
}

}  // namespace assay::layer
