#include "oracle/shards/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/json_text.h"
#include "oracle/campaign/key.h"
#include "oracle/campaign/results_json.h"
#include "oracle/devices/identity.h"
#include "oracle/report/input.h"
#include "oracle/sweep/finish.h"

namespace assay::oracle {
namespace {

using Json = nlohmann::ordered_json;

// A shard that was measured twice: which of two equal ones stays must not depend on their order.
auto PreferenceOf(const ShardEntry& entry) {
  return std::tie(entry.origin.date, entry.origin.host, entry.origin.command, entry.device_option);
}

struct Found {
  ShardEntry entry;
  std::string path;
};

// An OpenCL driver's devices are told apart by what they declare; a library and a program also by
// how they are named.
bool MayDiffer(const std::string& a, const std::string& b) {
  return a == b || (a.starts_with("--opencl") && b.starts_with("--opencl"));
}

Expected<void> CheckSameRun(const ShardFile& first, const ShardFile& other) {
  if (first.key != other.key) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} and {} are not of one run, in {}; merge shards of the same options, "
                    "device and build",
                    other.path, first.path, DifferenceOf(other.key, first.key)));
  }
  if (first.count != other.count) {
    return Fail(ErrorKind::kUsage, fmt::format("{} has shards of {}, and {} of {}; merge those of "
                                               "one division",
                                               other.path, other.count, first.path, first.count));
  }
  const std::string &mine = other.shards.front().device_option,
                    &theirs = first.shards.front().device_option;
  if (!MayDiffer(mine, theirs)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} was asked with {}, and {} with {}: these may be two devices",
                            other.path, mine, first.path, theirs));
  }
  return {};
}

Expected<void> Take(ShardEntry entry, const std::string& path, std::uint64_t count,
                    std::map<std::uint64_t, Found>* found) {
  const std::uint64_t index = entry.index;
  const auto known = found->find(index);
  if (known == found->end()) {
    found->emplace(index, Found{std::move(entry), path});
    return {};
  }
  Found& before = known->second;
  if (entry.results != before.entry.results) {
    return Fail(ErrorKind::kUsage,
                fmt::format("shard {}/{} of {} is not that of {}, in {}: the device does not say "
                            "the same twice, or one of the files is wrong",
                            index, count, path, before.path,
                            DifferenceOf(entry.results, before.entry.results)));
  }
  if (PreferenceOf(entry) < PreferenceOf(before.entry)) before.entry = std::move(entry);
  return {};
}

// Throws as nlohmann::json does.
Expected<std::vector<std::vector<FunctionResult>>> PartsOf(const ShardFile& file) {
  std::vector<std::vector<FunctionResult>> parts(file.key.at("operations").size());
  for (const ShardEntry& entry : file.shards) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Expected<FunctionResult> part = ResultFromCheckpoint(entry.results.at(i));
      if (!part) {
        return Fail(ErrorKind::kUsage,
                    fmt::format("{}: shard {}: {}", file.path, entry.index, part.error().message));
      }
      parts[i].push_back(std::move(*part));
    }
  }
  return parts;
}

Expected<MergedReport> Merge(const ShardFile& file, const Origin& origin) {
  Json run = file.key.at("run");
  run["device_option"] = file.shards.front().device_option;
  if (!origin.IsEmpty()) run["origin"] = ToJson(origin);
  const Json head{{"schema", kReportSchema}, {"device", file.key.at("device")}, {"run", run}};
  Expected<InputReport> read = ReportHeadFromText(base::JsonText(head), file.path);
  if (!read) return tl::unexpected<Error>(read.error());
  const auto parts = PartsOf(file);
  if (!parts) return tl::unexpected<Error>(parts.error());
  MergedReport merged{.report = std::move(read->report), .json = {}};
  Report& report = merged.report;
  for (const std::vector<FunctionResult>& all : *parts) {
    std::vector<RankedPart> ranked;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Shard shard{.index = file.shards[k].index, .count = file.count};
      ranked.push_back({RankOf(shard, all[k].operation), &all[k]});
    }
    report.results.push_back(
        MergeParts(report.device, all.front().operation, report.run.options, std::move(ranked)));
  }
  merged.json = ReportToJson(report, head["device"], run);
  return merged;
}

}  // namespace

Expected<ShardFile> MergeFiles(std::vector<ShardFile> files) {
  std::map<std::uint64_t, Found> found;
  for (const ShardFile& file : files) {
    if (auto same = CheckSameRun(files.front(), file); !same) {
      return tl::unexpected<Error>(same.error());
    }
  }
  for (ShardFile& file : files) {
    for (ShardEntry& entry : file.shards) {
      if (auto taken = Take(std::move(entry), file.path, file.count, &found); !taken) {
        return tl::unexpected<Error>(taken.error());
      }
    }
  }
  ShardFile merged{.path = files.front().path,
                   .key = std::move(files.front().key),
                   .count = files.front().count};
  for (auto& [index, entry] : found) merged.shards.push_back(std::move(entry.entry));
  return merged;
}

std::string MissingShards(const ShardFile& file) {
  std::vector<std::string> gaps;
  std::uint64_t next = 1;
  const auto gap_before = [&](std::uint64_t index) {
    if (next < index) {
      gaps.push_back(next + 1 == index ? std::to_string(next)
                                       : fmt::format("{} to {}", next, index - 1));
    }
    next = index + 1;
  };
  for (const ShardEntry& entry : file.shards) gap_before(entry.index);
  gap_before(file.count + 1);
  return fmt::format("{}", fmt::join(gaps, ", "));
}

Origin MergedOrigin(const ShardFile& file) {
  Origin origin;
  std::set<std::string> hosts;
  for (const ShardEntry& entry : file.shards) {
    if (entry.origin.IsEmpty()) continue;
    if (origin.date.empty() || entry.origin.date < origin.date) origin.date = entry.origin.date;
    if (origin.command.empty()) origin.command = entry.origin.command;
    hosts.insert(entry.origin.host);
  }
  origin.host = fmt::format("{}", fmt::join(hosts, ", "));
  return origin;
}

Expected<MergedReport> MergedReportOf(const ShardFile& file, const Origin& origin) {
  if (const std::string missing = MissingShards(file); !missing.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("of {} shards these are missing: {}; run them, or keep what is there "
                            "with --partial FILE",
                            file.count, missing));
  }
  if (file.key.value("assay", "") != IdentityOfAssay().value) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} and the other shards were made by another build of assay ({}); merge "
                    "them with that one",
                    file.path, file.key.value("assay", "unknown")));
  }
  try {
    return Merge(file, origin);
  } catch (const std::exception& error) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {}", file.path, error.what()));
  }
}

}  // namespace assay::oracle
