#include "oracle/shards/file.h"

#include <fmt/format.h>

#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/json_text.h"
#include "oracle/campaign/key.h"
#include "oracle/campaign/results_json.h"
#include "oracle/report/input.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxShardFile = std::size_t{2} << 30;

Json ContentOf(const ShardFile& file) {
  Json content{{"key", file.key}, {"of", file.count}, {"shards", Json::array()}};
  for (const ShardEntry& entry : file.shards) {
    Json shard{{"shard", entry.index}};
    if (!entry.origin.IsEmpty()) shard["origin"] = ToJson(entry.origin);
    shard["device_option"] = entry.device_option;
    shard["results"] = entry.results;
    content["shards"].push_back(std::move(shard));
  }
  return content;
}

std::vector<std::string> Names(const Json& operations) {
  return operations.get<std::vector<std::string>>();
}

// Throws as nlohmann::json does, and std::out_of_range.
ShardEntry EntryFrom(const Json& json, const ShardFile& file) {
  ShardEntry entry;
  entry.index = json.at("shard");
  if (entry.index < 1 || entry.index > file.count) {
    throw std::out_of_range(fmt::format("it has a shard {} of {}", entry.index, file.count));
  }
  if (!file.shards.empty() && entry.index <= file.shards.back().index) {
    throw std::out_of_range("its shards are not in order");
  }
  if (json.contains("origin")) entry.origin = OriginFromJson(json["origin"]);
  entry.device_option = json.at("device_option");
  entry.results = json.at("results");
  const std::vector<std::string> names = Names(file.key.at("operations"));
  if (!entry.results.is_array() || entry.results.size() != names.size()) {
    throw std::out_of_range(fmt::format("shard {} has not a result for each of {} operations",
                                        entry.index, names.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Json& result = entry.results[i];
    const std::string name =
        result.at("function").get<std::string>() + ":" + result.at("format").get<std::string>();
    if (name != names[i] || !result.contains("part")) {
      throw std::out_of_range(
          fmt::format("shard {} has '{}' in the place of '{}'", entry.index, name, names[i]));
    }
  }
  return entry;
}

tl::unexpected<Error> Refused(const std::string& path, const std::string& why) {
  return Fail(ErrorKind::kUsage,
              fmt::format("{}: {}; give files of `assay validate --shard I/N --json FILE` or of "
                          "`assay merge --partial FILE`",
                          path, why));
}

}  // namespace

ShardFile ShardFileOf(const Report& report) {
  std::vector<numerics::Operation> operations;
  ShardEntry entry{.index = report.run.options.shard->index,
                   .origin = report.run.origin,
                   .device_option = report.run.device_option,
                   .results = Json::array()};
  for (const FunctionResult& result : report.results) {
    operations.push_back(result.operation);
    entry.results.push_back(ToCheckpoint(result));
  }
  RunInfo run = report.run;
  run.device_option.clear();
  return {.path = "",
          .key = KeyOf(report.device, run, operations),
          .count = report.run.options.shard->count,
          .shards = {std::move(entry)}};
}

std::string ToText(const ShardFile& file) {
  const Json content = ContentOf(file);
  const Json whole{{"schema", kShardSchema},
                   {"sha256", base::Sha256(base::JsonText(content))},
                   {"content", content}};
  return base::JsonText(whole, 1) + "\n";
}

Expected<ShardFile> ShardFileFromText(std::string_view text, const std::string& path) {
  const Json json = base::ParseJson(text);
  if (json.is_discarded() || !json.is_object()) {
    return Refused(path, "it is not JSON, perhaps truncated");
  }
  try {
    const std::string schema = json.value("schema", "");
    if (schema == kReportSchema) return Refused(path, "it is a whole report, which has no shards");
    if (schema != kShardSchema) {
      return Refused(path, fmt::format("its schema is '{}', and not {}", schema, kShardSchema));
    }
    const Json& content = json.at("content");
    if (base::Sha256(base::JsonText(content)) != json.at("sha256").get<std::string>()) {
      return Refused(path, "it has changed since it was written (its digest is another one)");
    }
    ShardFile file{.path = path, .key = content.at("key"), .count = content.at("of")};
    if (file.count < 1 || file.count > kMaxShards) {
      return Refused(path, fmt::format("it has shards of {}", file.count));
    }
    for (const Json& shard : content.at("shards")) file.shards.push_back(EntryFrom(shard, file));
    if (file.shards.empty()) return Refused(path, "it has no shard");
    return file;
  } catch (const std::exception& error) {
    return Refused(path, error.what());
  }
}

Expected<ShardFile> ReadShardFile(const std::string& path) {
  const Expected<std::string> text = base::ReadWholeFile(path, kMaxShardFile);
  if (!text) return tl::unexpected<Error>(text.error());
  return ShardFileFromText(*text, path);
}

}  // namespace assay::oracle
