#include "driver/report/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unordered_map>

#include "base/file.h"
#include "base/json_text.h"
#include "driver/report/records.h"

namespace assay::driver {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr ordered_json::value_t kString = ordered_json::value_t::string;

// A member of this kind; null where there is none.
const ordered_json* Member(const ordered_json& json, const char* name) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::string Text(const ordered_json& json, const char* name) {
  const ordered_json* member = Member(json, name);
  return member != nullptr && member->type() == kString ? member->get<std::string>() : "";
}

std::uint64_t Number(const ordered_json* json) {
  return json != nullptr && json->is_number_unsigned() ? json->get<std::uint64_t>() : 0;
}

std::uint64_t Number(const ordered_json& json, const char* name) {
  return Number(Member(json, name));
}

bool Flag(const ordered_json& json, const char* name, bool otherwise) {
  const ordered_json* member = Member(json, name);
  return member != nullptr && member->is_boolean() ? member->get<bool>() : otherwise;
}

std::vector<std::string> Texts(const ordered_json& json, const char* name) {
  std::vector<std::string> texts;
  const ordered_json* member = Member(json, name);
  if (member == nullptr || !member->is_array()) return texts;
  for (const ordered_json& one : *member) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

std::array<std::uint64_t, 3> Id(const ordered_json& json, const char* name) {
  std::array<std::uint64_t, 3> id{};
  const ordered_json* member = Member(json, name);
  if (member == nullptr || !member->is_array() || member->size() != id.size()) return id;
  for (std::size_t i = 0; i < id.size(); ++i) id[i] = Number(&(*member)[i]);
  return id;
}

std::vector<HostFrame> Frames(const ordered_json& json) {
  std::vector<HostFrame> frames;
  const ordered_json* member = Member(json, "frames");
  if (member == nullptr || !member->is_array()) return frames;
  for (const ordered_json& one : *member) {
    frames.push_back({.module = Text(one, "module"),
                      .offset = Number(one, "offset"),
                      .function = Text(one, "function"),
                      .file = Text(one, "file"),
                      .line = static_cast<std::uint32_t>(Number(one, "line"))});
  }
  return frames;
}

std::vector<RelatedCall> Related(const ordered_json& json) {
  std::vector<RelatedCall> related;
  const ordered_json* member = Member(json, "related");
  if (member == nullptr || !member->is_array()) return related;
  for (const ordered_json& one : *member) related.push_back({Text(one, "what"), Frames(one)});
  return related;
}

std::optional<interp::Rule> RuleOf(const ordered_json& json) {
  const interp::RuleRow* row = interp::FindRule(Text(json, "rule"));
  return row == nullptr ? std::nullopt : std::optional(row->rule);
}

std::optional<interp::FindingClass> ClassOf(const ordered_json& json) {
  const std::string name = Text(json, "class");
  for (int i = 0; i <= static_cast<int>(interp::FindingClass::kObservation); ++i) {
    const auto finding_class = static_cast<interp::FindingClass>(i);
    if (interp::FindingClassName(finding_class) == name) return finding_class;
  }
  return std::nullopt;
}

LoggedLaunch Launch(const ordered_json& json) {
  return {.kernel = Text(json, "kernel"),
          .launch = Number(json, "launch"),
          .program = Text(json, "program"),
          .job = Text(json, "job"),
          .frames = Frames(json)};
}

// One file.
class Reader {
 public:
  ProcessLog Read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    while (std::getline(file, line)) {
      if (line.empty()) continue;
      const ordered_json json = base::ParseJson(line);
      if (!ReadRecord(json)) ++log_.damaged_lines;
    }
    return std::move(log_);
  }

 private:
  bool ReadRecord(const ordered_json& json) {
    const std::string type = Text(json, "type");
    if (type == "process") return ReadProcess(json);
    if (type == "source") return ReadSourceRecord(json);
    if (type == "api") return ReadApi(json);
    if (type == "finding") return ReadFinding(json);
    if (type == "launch") return ReadLaunch(json);
    if (type == "counts") return ReadCounts(json);
    if (type == "missing") {
      log_.missing.push_back(Text(json, "name"));
      return true;
    }
    if (type != "end") return false;
    log_.end = ProcessEnd{.calls = Number(json, "calls"),
                          .launches = Number(json, "launches"),
                          .other_types = Number(json, "other_types")};
    return true;
  }

  bool ReadProcess(const ordered_json& json) {
    if (Text(json, "schema") != kLogSchema) return false;
    log_.pid = Number(json, "pid");
    log_.parent = Number(json, "parent");
    log_.start = Number(json, "start");
    log_.version = Text(json, "version");
    log_.program = Text(json, "program");
    log_.arguments = Texts(json, "arguments");
    log_.folder = Text(json, "folder");
    log_.checks = Flag(json, "checks", true);
    return true;
  }

  bool ReadSourceRecord(const ordered_json& json) {
    log_.sources[{Text(json, "path"), Text(json, "program")}] = Text(json, "digest");
    return true;
  }

  bool ReadApi(const ordered_json& json) {
    const auto rule = RuleOf(json);
    if (!rule) return false;
    places_[Number(json, "id")] = {Kind::kCall, log_.calls.size()};
    log_.calls.push_back({.finding = {.rule = *rule,
                                      .call = Text(json, "call"),
                                      .code = Text(json, "code"),
                                      .message = Text(json, "message"),
                                      .remedy = Text(json, "remedy"),
                                      .frames = Frames(json),
                                      .history = Texts(json, "history"),
                                      .related = Related(json)}});
    return true;
  }

  bool ReadFinding(const ordered_json& json) {
    const auto rule = RuleOf(json);
    const auto finding_class = ClassOf(json);
    if (!rule || !finding_class) return false;
    interp::Finding finding(*rule);
    finding.finding_class = *finding_class;
    finding.message = Text(json, "message");
    finding.source = Text(json, "source");
    finding.instruction = Text(json, "instruction");
    finding.place.instruction = static_cast<std::uint32_t>(Number(json, "place"));
    if (const ordered_json* calls = Member(json, "calls"); calls != nullptr && calls->is_array()) {
      for (const ordered_json& call : *calls) {
        finding.place.calls.push_back(static_cast<std::uint32_t>(Number(&call)));
      }
    }
    finding.global_id = Id(json, "global_id");
    finding.group_id = Id(json, "group_id");
    finding.object = Text(json, "object");
    finding.history = Texts(json, "history");
    finding.after_undefined_behavior = Flag(json, "after_undefined_behavior", false);
    places_[Number(json, "id")] = {Kind::kFinding, log_.findings.size()};
    log_.findings.push_back(
        {.finding = std::move(finding), .launch = Launch(json), .callers = Texts(json, "callers")});
    return true;
  }

  bool ReadLaunch(const ordered_json& json) {
    places_[Number(json, "id")] = {Kind::kEnd, log_.ends.size()};
    log_.ends.push_back(
        {.end = Text(json, "end"), .message = Text(json, "message"), .launch = Launch(json)});
    return true;
  }

  bool ReadCounts(const ordered_json& json) {
    const ordered_json* counts = Member(json, "counts");
    if (counts == nullptr || !counts->is_array()) return false;
    for (const ordered_json& one : *counts) {
      if (!one.is_array() || one.size() != 3) return false;
      const auto place = places_.find(Number(&one[0]));
      if (place == places_.end()) continue;
      const auto [kind, at] = place->second;
      if (kind == Kind::kCall) log_.calls[at].count = Number(&one[1]);
      if (kind == Kind::kEnd) log_.ends[at].launches = Number(&one[2]);
      if (kind != Kind::kFinding) continue;
      log_.findings[at].finding.count = Number(&one[1]);
      log_.findings[at].launches = Number(&one[2]);
    }
    const ordered_json* others = Member(json, "left_out");
    if (others == nullptr || !others->is_object()) return true;
    for (const auto& [rule, count] : others->items()) log_.left_out[rule] = Number(&count);
    return true;
  }

  enum class Kind : std::uint8_t { kCall, kFinding, kEnd };
  ProcessLog log_;
  std::unordered_map<std::uint64_t, std::pair<Kind, std::size_t>> places_;  // by id
};

}  // namespace

Expected<std::vector<ProcessLog>> ReadLogs(const std::string& folder) {
  std::error_code error;
  std::vector<ProcessLog> logs;
  for (fs::directory_iterator files(folder, error), end; !error && files != end;
       files.increment(error)) {
    std::error_code gone;
    if (files->path().extension() != ".jsonl" || !files->is_regular_file(gone)) continue;
    logs.push_back(Reader().Read(files->path()));
  }
  if (error) {
    return Fail(
        ErrorKind::kDevice,
        fmt::format("cannot read the findings in '{}': {}; is TMPDIR cleaned while programs "
                    "run?",
                    folder, error.message()));
  }
  std::ranges::sort(logs, [](const ProcessLog& a, const ProcessLog& b) {
    return std::pair(a.start, a.pid) < std::pair(b.start, b.pid);
  });
  return logs;
}

std::string ReadSource(const std::string& folder, const std::string& digest) {
  // It comes from a file, and is to name one in this folder only.
  const bool is_digest = !digest.empty() && std::ranges::all_of(digest, [](unsigned char c) {
    return std::isxdigit(c) != 0;
  });
  if (!is_digest) return "";
  return base::ReadWholeFile(fmt::format("{}/{}/{}", folder, kSourcesFolder, digest)).value_or("");
}

}  // namespace assay::driver
