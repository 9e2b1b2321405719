#include "tools/judge/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>

#include "base/file.h"
#include "base/json_text.h"

namespace assay::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::string_view kSuffix = ".capture.json";

// Takes members and remembers the first that is not as it should be.
class Reader {
 public:
  explicit Reader(const ordered_json& json) : json_(json) {}

  void Take(const char* name, std::string* to) {
    const auto member = json_.find(name);
    if (member == json_.end() || !member->is_string()) return Wrong(name, "a string");
    *to = member->get<std::string>();
  }
  void Take(const char* name, std::uint64_t* to) {
    const auto member = json_.find(name);
    if (member == json_.end() || !member->is_number_unsigned()) return Wrong(name, "a number");
    *to = member->get<std::uint64_t>();
  }
  void Take(const char* name, bool* to) {
    const auto member = json_.find(name);
    if (member == json_.end() || !member->is_boolean()) return Wrong(name, "true or false");
    *to = member->get<bool>();
  }
  // It may be missing.
  template <typename T>
  void TakeList(const char* name, std::vector<T>* to) {
    const auto member = json_.find(name);
    if (member == json_.end()) return;
    for (const ordered_json& one : *member) {
      const bool fits = std::is_same_v<T, std::string> ? one.is_string() : one.is_number_unsigned();
      if (!fits) return Wrong(name, "a list");
      to->push_back(one.get<T>());
    }
  }
  const std::string& wrong() const { return wrong_; }

 private:
  void Wrong(const char* name, const char* what) {
    if (wrong_.empty()) wrong_ = fmt::format("/{} is not {}", name, what);
  }
  const ordered_json& json_;
  std::string wrong_;
};

// A file's name in the capture's own folder: a capture is data, and names no other file.
bool IsFileName(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "..";
}

std::string TakeMemory(const ordered_json& json, const fs::path& folder, Capture* capture) {
  const auto memory = json.find("memory");
  if (memory == json.end() || !memory->is_array()) return "/memory is not a list";
  for (const ordered_json& one : *memory) {
    if (!one.is_object()) return "/memory has an entry that is no object";
    CapturedMemory taken;
    Reader reader(one);
    reader.Take("name", &taken.name);
    reader.Take("after", &taken.after);
    reader.Take("shared", &taken.shared);
    reader.Take("written_before", &taken.written_before);
    if (!reader.wrong().empty()) return "/memory: " + reader.wrong();
    if (!IsFileName(taken.after)) return "/memory/after is not the name of a file";
    taken.after = (folder / taken.after).string();
    capture->memory.push_back(std::move(taken));
  }
  return "";
}

// Earlier versions had none.
std::string TakeMacros(const ordered_json& json, Capture* capture) {
  const auto macros = json.find("macros");
  if (macros == json.end()) return "";
  if (!macros->is_object()) return "/macros is not an object";
  for (const auto& [name, value] : macros->items()) {
    if (!value.is_null() && !value.is_string()) return "/macros/" + name + " is not a string";
    capture->macros[name] =
        value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
  }
  Reader reader(json);
  reader.Take("macros_missing", &capture->macros_missing);
  return reader.wrong();
}

std::string TakeCapture(const ordered_json& json, const fs::path& folder, Capture* capture) {
  Reader reader(json);
  std::string schema;
  reader.Take("schema", &schema);
  if (schema != "assay-capture/1") return "its schema is not assay-capture/1";
  reader.Take("process", &capture->process);
  reader.Take("capture", &capture->number);
  reader.Take("kernel", &capture->kernel);
  reader.Take("launch", &capture->launch);
  reader.TakeList("global", &capture->global);
  reader.TakeList("local", &capture->local);
  reader.Take("platform", &capture->platform);
  reader.Take("device", &capture->device);
  reader.Take("device_version", &capture->device_version);
  if (json.contains("profile")) {  // earlier versions had none
    reader.Take("profile", &capture->profile);
    reader.Take("single_fp_config", &capture->single_fp_config);
    reader.Take("half_fp_config", &capture->half_fp_config);
  }
  reader.Take("driver_version", &capture->driver_version);
  reader.Take("extensions", &capture->extensions);
  reader.Take("address_bits", &capture->address_bits);
  reader.Take("missing", &capture->missing);
  reader.TakeList("doubts", &capture->doubts);
  if (!reader.wrong().empty() || !capture->missing.empty()) return reader.wrong();
  reader.Take("job", &capture->job);
  if (!reader.wrong().empty()) return reader.wrong();
  if (!IsFileName(capture->job)) return "/job is not the name of a file";
  capture->job = (folder / capture->job).string();
  if (std::string wrong = TakeMacros(json, capture); !wrong.empty()) return wrong;
  return TakeMemory(json, folder, capture);
}

}  // namespace

bool IsCapture(std::string_view path) { return path.ends_with(kSuffix); }

Expected<Capture> ReadCapture(const std::string& path) {
  const auto text = base::ReadWholeFile(path);
  if (!text) return tl::unexpected(text.error());
  const ordered_json json = base::ParseJson(*text);
  Capture capture{.path = path};
  const std::string wrong = json.is_object()
                                ? TakeCapture(json, fs::path(path).parent_path(), &capture)
                                : "it is no JSON";
  if (wrong.empty()) return capture;
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: {}; capture the launch again with `assay exec --judge --save-jobs`",
                          path, wrong));
}

Expected<std::vector<Capture>> ReadCaptures(const std::string& folder) {
  std::error_code error;
  std::vector<Capture> captures;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!IsCapture(path)) continue;
    auto capture = ReadCapture(path);
    if (!capture) return tl::unexpected(capture.error());
    captures.push_back(std::move(*capture));
  }
  if (error) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}': {}; name a folder of captures", folder, error.message()));
  }
  std::ranges::sort(captures, {},
                    [](const Capture& one) { return std::tuple(one.process, one.number); });
  return captures;
}

}  // namespace assay::tools
