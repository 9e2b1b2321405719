// assay merge FILE...: shards of one validation become its report.

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "base/file.h"
#include "oracle/shards/merge.h"
#include "tools/assay/commands.h"
#include "tools/assay/merged_output.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/output.h"

namespace assay::tools {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string partial;
  MergedOutput output;
};

int Merge(const MergeOptions& options) {
  const MergedOutput& output = options.output;
  if (!options.partial.empty() &&
      !(output.json.empty() && output.junit.empty() && output.html.empty())) {
    return ReportError({ErrorKind::kUsage,
                        "--partial writes shards and no report: leave out --json, --junit and "
                        "--html, or --partial"});
  }
  std::vector<oracle::ShardFile> files;
  for (const std::string& path : options.files) {
    auto file = oracle::ReadShardFile(path);
    if (!file) return ReportError(file.error());
    files.push_back(std::move(*file));
  }
  auto all = oracle::MergeFiles(std::move(files));
  if (!all) return ReportError(all.error());
  if (!options.partial.empty()) {
    if (output.no_origin) {
      for (oracle::ShardEntry& entry : all->shards) entry.origin = {};
    }
    const std::string text = ToText(*all);
    if (options.partial == "-") {
      PrintRaw(text);
      return kExitConforming;
    }
    const auto written = base::WriteFileAtomically(options.partial, text);
    return written ? static_cast<int>(kExitConforming) : ReportError(written.error());
  }
  const oracle::Origin origin = output.no_origin ? oracle::Origin{} : oracle::MergedOrigin(*all);
  const auto merged = oracle::MergedReportOf(*all, origin);
  if (!merged) return ReportError(merged.error());
  return ShowMerged(output, *merged);
}

}  // namespace

CLI::App* AddMerge(CLI::App& app, int* exit_code) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App* command =
      app.add_subcommand("merge", "Shards of one validation become the report of the whole");
  command->add_option("files", options->files, "Files of `assay validate --shard I/N --json FILE`")
      ->required()
      ->type_name("FILE");
  AddMergedOutput(command, &options->output);
  AddOutput(command, "--partial", &options->partial,
            "Write the shards that are there as one file, to be merged with the others later");
  command->footer(
      "Example: assay validate --library libm.so.6 --shard 2/7 --json 2.json\n"
      "         assay merge 1.json 2.json 3.json 4.json 5.json 6.json 7.json --json report.json");
  command->callback([options, exit_code] { *exit_code = Merge(*options); });
  return command;
}

}  // namespace assay::tools
