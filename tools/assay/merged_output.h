// What `assay merge`, `assay sweep` and `assay validate --shards` write: the report of all shards.
#pragma once

#include <string>
#include <vector>

#include "oracle/shards/merge.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct MergedOutput {
  std::string json, junit, html;
  bool full = false;  // the JSON has the errors by operand, too
  bool no_origin = false;
  bool verbose = false, wide = false;  // how much of the table is shown
};

// --full.
void AddFull(CLI::App* command, bool* full);

void AddMergedOutput(CLI::App* command, MergedOutput* output);

// Writes the reports, prints the table (not with --json -) and returns the exit code of the
// verdicts.
int ShowMerged(const MergedOutput& output, const oracle::MergedReport& merged);

// Merges the files of all shards in `folder`, writes the reports, and removes the folder when they
// are safe.  `origin`: of the reports; null: that of the shards.
int MergeFolder(const MergedOutput& output, const std::string& folder, std::uint64_t count,
                const oracle::Origin* origin);

}  // namespace assay::tools
