#include "driver/report/records.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assay_version.h"
#include "interp/rules/rule.h"

namespace assay::driver {
namespace {

using nlohmann::ordered_json;

// Texts come from applications, which may be of any length.
constexpr std::size_t kMaxRecordedText = 4096;
constexpr std::size_t kMaxHistory = 32;
constexpr std::size_t kMaxArguments = 64;

std::string Cut(const std::string& text) {
  if (text.size() <= kMaxRecordedText) return text;
  return fmt::format("{}...", std::string_view(text).substr(0, kMaxRecordedText));
}

ordered_json Frames(const std::vector<HostFrame>& frames) {
  ordered_json json = ordered_json::array();
  for (const HostFrame& frame : frames) {
    if (frame.line != 0) {
      json.push_back(
          {{"file", Cut(frame.file)}, {"line", frame.line}, {"function", Cut(frame.function)}});
      continue;
    }
    json.push_back({{"module", Cut(frame.module)},
                    {"offset", frame.offset},
                    {"function", Cut(frame.function)}});
  }
  return json;
}

ordered_json Related(const std::vector<RelatedCall>& related) {
  ordered_json json = ordered_json::array();
  for (const RelatedCall& call : related) {
    if (json.size() == kMaxHistory) break;
    json.push_back({{"what", Cut(call.what)}, {"frames", Frames(call.frames)}});
  }
  return json;
}

ordered_json History(const std::vector<std::string>& history) {
  ordered_json json = ordered_json::array();
  for (const std::string& entry : history) {
    if (json.size() == kMaxHistory) break;
    json.push_back(Cut(entry));
  }
  return json;
}

// /proc/self/cmdline has a zero behind each argument.
ordered_json Arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  ordered_json arguments = ordered_json::array();
  std::string argument;
  while (arguments.size() < kMaxArguments && std::getline(file, argument, '\0')) {
    arguments.push_back(Cut(argument));
  }
  return arguments;
}

}  // namespace

std::string FramesKey(const std::vector<HostFrame>& frames) {
  std::string key;
  for (const HostFrame& frame : frames) {
    key += frame.line != 0 ? fmt::format("|{}:{}", frame.file, frame.line)
                           : fmt::format("|{}+{:x}", frame.module, frame.offset);
  }
  return key;
}

ordered_json ProcessRecord(const Settings& settings, std::uint64_t start) {
  std::error_code gone;
  ordered_json options = ordered_json::object();
  for (const SettingRow& row : SettingRows()) {
    const char* value = std::getenv(row.variable.data());
    if (value != nullptr && *value != '\0') options[std::string(row.variable)] = Cut(value);
  }
  return {{"type", "process"},
          {"schema", kLogSchema},
          {"version", ASSAY_VERSION},
          {"revision", ASSAY_REVISION},
          {"pid", getpid()},
          {"parent", getppid()},
          {"start", start},
          {"program", std::filesystem::read_symlink("/proc/self/exe", gone).string()},
          {"arguments", Arguments()},
          {"folder", std::filesystem::current_path(gone).string()},
          {"checks", settings.checks},
          {"options", std::move(options)}};
}

ordered_json ApiRecord(std::uint64_t id, const ApiFinding& finding) {
  return {{"type", "api"},
          {"id", id},
          {"rule", interp::NameOf(finding.rule)},
          {"call", finding.call},
          {"code", finding.code},
          {"message", Cut(finding.message)},
          {"remedy", Cut(finding.remedy)},
          {"frames", Frames(finding.frames)},
          {"history", History(finding.history)},
          {"related", Related(finding.related)}};
}

ordered_json FindingRecord(std::uint64_t id, const LaunchFindings& launch,
                           const interp::Finding& finding) {
  const auto place = static_cast<std::size_t>(&finding - launch.findings.data());
  return {{"type", "finding"},
          {"id", id},
          {"rule", interp::NameOf(finding.rule)},
          // A variant of a rule has a class of its own.
          {"class", interp::FindingClassName(finding.finding_class)},
          {"message", Cut(finding.message)},
          {"source", finding.source},
          {"callers",
           place < launch.callers.size() ? History(launch.callers[place]) : ordered_json::array()},
          {"instruction", finding.instruction},
          {"place", finding.place.instruction},
          {"calls", finding.place.calls},
          {"global_id", finding.global_id},
          {"group_id", finding.group_id},
          {"object", finding.object},
          {"history", History(finding.history)},
          {"after_undefined_behavior", finding.after_undefined_behavior},
          {"kernel", launch.kernel},
          {"launch", launch.launch},
          {"program", launch.program},
          {"job", launch.job},
          {"frames", Frames(launch.frames)}};
}

ordered_json LaunchRecord(std::uint64_t id, const LaunchFindings& launch) {
  return {{"type", "launch"},
          {"id", id},
          {"end", interp::LaunchEndName(launch.end)},
          {"message", Cut(launch.message)},
          {"kernel", launch.kernel},
          {"launch", launch.launch},
          {"program", launch.program},
          {"job", launch.job},
          {"frames", Frames(launch.frames)}};
}

ordered_json MissingRecord(std::string_view name) {
  return {{"type", "missing"}, {"name", Cut(std::string(name))}};
}

std::string KeyOf(const ApiFinding& finding) {
  return fmt::format("api|{}|{}|{}{}", static_cast<int>(finding.rule), finding.call, finding.code,
                     FramesKey(finding.frames));
}

std::string KeyOf(const LaunchFindings& launch, const interp::Finding& finding) {
  std::string key = fmt::format("kernel|{}|{}|{}|{}|{}|{}", static_cast<int>(finding.rule),
                                static_cast<int>(finding.finding_class), launch.program,
                                launch.kernel, finding.source, finding.place.instruction);
  for (const std::uint32_t call : finding.place.calls) key += fmt::format(",{}", call);
  return key;
}

std::string KeyOf(const LaunchFindings& launch) {
  return fmt::format("launch|{}|{}|{}", static_cast<int>(launch.end), launch.program,
                     launch.kernel);
}

}  // namespace assay::driver
