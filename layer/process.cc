#include "layer/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"

namespace assay::layer {

namespace {

const char* NameOf(Fact fact) {
  switch (fact) {
    case Fact::kOtherType:
      return "other_type";
    case Fact::kContext:
      return "context";
    case Fact::kBuildFailed:
      return "build_failed";
    case Fact::kLaunch:
      return "launch";
    case Fact::kUnseenLoader:
      return "unseen_loader";
  }
  return "";
}

}  // namespace

void ProcessReport::Start(std::string folder, std::string way) {
  {
    const std::lock_guard lock(mutex_);
    folder_ = std::move(folder);
    way_ = std::move(way);
  }
  Write(std::nullopt, "");
}

void ProcessReport::Write(std::optional<Fact> fact, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (fact) {
    const auto place = static_cast<std::size_t>(*fact);
    if (has_happened_[place].exchange(true)) return;
    texts_[place] = text;
  }
  if (folder_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  nlohmann::ordered_json json = {{"schema", kProcessSchema}, {"process", getpid()}, {"way", way_}};
  json["program"] = std::filesystem::read_symlink("/proc/self/exe", error).string();
  for (std::size_t i = 0; i < kFacts; ++i) {
    if (has_happened_[i]) json[NameOf(static_cast<Fact>(i))] = texts_[i];
  }
  // Without it the summary knows less.
  const auto written = base::WriteFileAtomically(
      fmt::format("{}/{}.process.json", folder_, getpid()), base::JsonText(json, 1) + "\n");
  static_cast<void>(written);
}

}  // namespace assay::layer
