#include "tools/judge/processes.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/json_text.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::optional<std::string> TextIn(const ordered_json& json, const char* name) {
  const auto member = json.find(name);
  if (member == json.end() || !member->is_string()) return std::nullopt;
  return member->get<std::string>();
}

bool CanOpen(const char* name) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library != nullptr) dlclose(library);
  return library != nullptr;
}

constexpr std::string_view kNoLoader =
    "there is no libOpenCL.so and no libOpenCL.so.1; install an ICD loader (on Debian: apt install "
    "ocl-icd-libopencl1)";
constexpr std::string_view kNoLayer =
    "no layer was loaded; the program does not use OpenCL, it clears its environment or has other "
    "rights, or its ICD loader knows neither OPENCL_LAYERS (ocl-icd from 2.3, Khronos' from 2021) "
    "nor OCL_ICD_FILENAMES (Khronos' from 2020)";
constexpr std::string_view kNoPlainName =
    "; libOpenCL.so is not there, only libOpenCL.so.1, and some programs ask for the first name "
    "(on "
    "Debian: apt install ocl-icd-opencl-dev)";

std::string WithoutLayer(const LoaderNames& loaders) {
  if (!loaders.plain && !loaders.versioned) return std::string(kNoLoader);
  return fmt::format("{}{}", kNoLayer, loaders.plain ? "" : kNoPlainName);
}

std::string Why(const std::vector<CapturedProcess>& processes, const LoaderNames& loaders) {
  if (processes.empty()) return WithoutLayer(loaders);
  if (std::ranges::any_of(processes, &CapturedProcess::launch)) {
    return "kernels were launched, but none of their launches was chosen (--kernel, --every, "
           "--first, --budget)";
  }
  const auto unseen = std::ranges::find_if(
      processes, [](const CapturedProcess& one) { return one.unseen_loader.has_value(); });
  if (unseen != processes.end()) {
    return fmt::format(
        "no launch was seen; the program has a second ICD loader that knows no layers, {}, and "
        "what is launched through it is not seen",
        *unseen->unseen_loader);
  }
  const auto failed = std::ranges::find_if(
      processes, [](const CapturedProcess& one) { return one.build_failed.has_value(); });
  if (failed != processes.end()) {
    return fmt::format("nothing was launched, and a build failed: {}", *failed->build_failed);
  }
  const auto other = std::ranges::find_if(processes, [](const CapturedProcess& one) {
    return one.other_type.has_value() && !one.context;
  });
  if (other != processes.end()) {
    return fmt::format(
        "nothing was launched, and only devices of type {0} were asked for, which the drivers do "
        "not have; --device-type {1} lets their devices be of this type",
        *other->other_type, other->other_type->substr(0, other->other_type->find(',')));
  }
  return "nothing was launched";
}

}  // namespace

std::vector<CapturedProcess> ReadProcesses(const std::string& folder) {
  std::vector<CapturedProcess> processes;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!path.ends_with(".process.json")) continue;
    const auto text = base::ReadWholeFile(path);
    const ordered_json json = text ? base::ParseJson(*text) : ordered_json();
    if (!json.is_object() || TextIn(json, "schema") != "assay-process/1") continue;
    const auto number = json.find("process");
    if (number == json.end() || !number->is_number_unsigned()) continue;
    processes.push_back({.process = number->get<std::uint64_t>(),
                         .program = TextIn(json, "program").value_or(""),
                         .other_type = TextIn(json, "other_type"),
                         .build_failed = TextIn(json, "build_failed"),
                         .unseen_loader = TextIn(json, "unseen_loader"),
                         .context = json.contains("context"),
                         .launch = json.contains("launch")});
  }
  std::ranges::sort(processes, {}, &CapturedProcess::process);
  return processes;
}

LoaderNames FindLoaders() {
  return {.plain = CanOpen("libOpenCL.so"), .versioned = CanOpen("libOpenCL.so.1")};
}

std::string WhyNothingIsCaptured(const std::vector<CapturedProcess>& processes,
                                 const LoaderNames& loaders) {
  return fmt::format("no launch was captured: {}", Why(processes, loaders));
}

}  // namespace assay::tools
