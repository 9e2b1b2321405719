// Shards of one validation become one report: the order of the files, and how they were merged
// before, change nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oracle/shards/file.h"

namespace assay::oracle {

// The shards of all files, each once.  kUsage where the files are not of one run: another device,
// driver, build of assay, level, seed, ..., another number of shards, or one shard with two
// contents.  The message names the files and the first difference.
Expected<ShardFile> MergeFiles(std::vector<ShardFile> files);

// "3, 5 to 9": the shards that are not there; empty if none is missing.
std::string MissingShards(const ShardFile& file);

struct MergedReport {
  Report report;
  nlohmann::ordered_json json;  // what the run without shards writes
};

// The earliest date, the machines of all shards, and the command of the first.
Origin MergedOrigin(const ShardFile& file);

// The report of all shards; kUsage with the missing ones.
Expected<MergedReport> MergedReportOf(const ShardFile& file, const Origin& origin);

}  // namespace assay::oracle
