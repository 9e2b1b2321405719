#include "tools/assay/validate_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/run_tool.h"
#include "base/threads.h"
#include "oracle/shards/file.h"
#include "tools/assay/merged_output.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/shared/output.h"
#include "tools/shared/progress.h"
#include "tools/sweep/local.h"
#include "tools/sweep/words.h"

namespace assay::tools {
namespace {

// What has no plan that could be divided.
Expected<void> CheckDivisible(const ValidateOptions& options, const std::string& option) {
  const std::pair<std::string_view, bool> given[] = {
      {"--level search, which follows no plan: its inputs depend on all earlier answers (divide "
       "--functions over several runs instead)",
       options.level == "search"},
      {"--at, which asks one input", !options.at.empty()},
      {"--record", !options.device.record.empty()},
      {"--recorded", !options.device.recorded.empty()},
      {"--baseline, which is compared with a whole report", !options.baseline.empty()}};
  for (const auto& [name, is_given] : given) {
    if (!is_given) continue;
    return Fail(ErrorKind::kUsage, fmt::format("{} does not go with {}", option, name));
  }
  return {};
}

// --devices 0,1,2 of --opencl PLATFORM, as words for the shards.
Expected<std::vector<std::string>> DeviceWords(const ValidateOptions& options) {
  if (options.devices.empty()) return std::vector<std::string>{};
  const std::string& platform = options.device.opencl;
  if (!options.device.use_opencl || platform.empty() || platform.find(':') != std::string::npos) {
    return Fail(ErrorKind::kUsage,
                "--devices chooses among those of a platform: name it with --opencl PLATFORM, "
                "without an index");
  }
  std::vector<std::string> words;
  for (int index : options.devices) words.push_back(fmt::format("--opencl={}:{}", platform, index));
  return words;
}

bool HasReportFile(const ValidateOptions& options) {
  return !options.json.empty() && options.json != "-" && !base::IsWrittenInPlace(options.json);
}

// Without a file of its own the report of shards is kept nowhere.
Expected<std::string> FolderFor(const ValidateOptions& options) {
  if (!HasReportFile(options)) {
    return Fail(ErrorKind::kUsage,
                "--shards keeps the shards beside the report until it is there: name it with "
                "--json FILE");
  }
  std::string folder = ShardFolder(options.json);
  std::error_code error;
  if (!options.resume && std::filesystem::exists(folder, error)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' has shards of an earlier run: --resume goes on with it; or "
                            "remove it",
                            folder));
  }
  std::filesystem::create_directory(folder, error);
  if (error) return Fail(ErrorKind::kDevice, fmt::format("'{}': {}", folder, error.message()));
  return folder;
}

// `temporary`: where the shards are that are merged before anybody sees them, or nothing.
Expected<LocalSweep> SweepOf(const ValidateOptions& options,
                             const std::optional<base::TemporaryFolder>& temporary) {
  const auto count = static_cast<std::uint64_t>(options.shards);
  LocalSweep sweep{.program = {}, .words = ShardWords(options.words), .folder = {}, .count = count};
  if (!options.shard.empty()) {
    return Fail(ErrorKind::kUsage, "--shards runs all shards, and --shard one: give one of them");
  }
  if (!options.checkpoint.empty()) {
    return Fail(
        ErrorKind::kUsage,
        "--checkpoint does not go with --shards: each shard has its own, beside the report");
  }
  if (auto divisible = CheckDivisible(options, "--shards"); !divisible) {
    return tl::unexpected<Error>(divisible.error());
  }
  auto devices = DeviceWords(options);
  if (!devices) return tl::unexpected<Error>(devices.error());
  if (!devices->empty()) {
    sweep.words = Without(sweep.words, {{"--opencl"}});
    sweep.devices = std::move(*devices);
  }
  auto program = OwnProgram();
  if (!program) return tl::unexpected<Error>(program.error());
  sweep.program = std::move(*program);
  auto folder = temporary ? Expected<std::string>(temporary->path()) : FolderFor(options);
  if (!folder) return tl::unexpected<Error>(folder.error());
  sweep.folder = std::move(*folder);
  auto missing = MissingIn(sweep.folder, count);
  if (!missing) return tl::unexpected<Error>(missing.error());
  sweep.missing = std::move(*missing);
  const int usual =
      sweep.devices.empty() ? base::ThreadCount(0) : static_cast<int>(sweep.devices.size());
  sweep.processes = std::min(options.processes > 0 ? options.processes : usual, options.shards);
  if (options.threads == 0) sweep.threads = std::max(1, base::ThreadCount(0) / sweep.processes);
  return sweep;
}

}  // namespace

Expected<std::optional<oracle::Shard>> ShardOf(const ValidateOptions& options) {
  if (!options.devices.empty() || options.processes != 0) {
    return Fail(ErrorKind::kUsage, "--devices and --processes go with --shards N only");
  }
  if (options.shard.empty()) return std::optional<oracle::Shard>();
  const auto shard = oracle::ShardFromText(options.shard);
  if (!shard) {
    return Fail(ErrorKind::kUsage, fmt::format("--shard: {}", shard.error().message));
  }
  if (auto divisible = CheckDivisible(options, "--shard"); !divisible) {
    return tl::unexpected<Error>(divisible.error());
  }
  if (options.json.empty()) {
    return Fail(ErrorKind::kUsage, "--shard: name the file of the shard with --json FILE");
  }
  if (!options.junit.empty() || !options.html.empty()) {
    return Fail(ErrorKind::kUsage,
                "--shard: a shard is no report yet; give --junit and --html to `assay merge`");
  }
  return *shard;
}

Expected<void> WriteShard(const ValidateOptions& options, const oracle::Report& report) {
  if (report.interrupted) return {};
  const std::string text = ToText(oracle::ShardFileOf(report));
  if (options.json != "-") return base::WriteFileAtomically(options.json, text);
  PrintRaw(text);  // CloseStdout tells where that fails
  return {};
}

oracle::Report AskedOf(const oracle::Report& report) {
  oracle::Report asked = report;
  std::erase_if(asked.results, [](const oracle::FunctionResult& result) {
    return result.part && !result.part->asked;
  });
  return asked;
}

int ShardsByThemselves(const ValidateOptions& options,
                       const std::vector<numerics::Operation>& operations) {
  const bool asks_otherwise = options.threads > 0 || !options.shard.empty() ||
                              !options.checkpoint.empty() || options.stop_after_failures > 0;
  if (options.device.library.empty() || asks_otherwise || options.level != "exhaustive" ||
      !CheckDivisible(options, "")) {
    return 0;
  }
  // What one process began it goes on with.
  if (options.resume && !base::Exists(ShardFolder(options.json))) return 0;
  const bool asks_all_floats = std::ranges::any_of(operations, [](const auto& operation) {
    const std::vector<numerics::ScalarType> arguments = operation.ArgumentTypes();
    return arguments.size() == 1 && numerics::SizeOf(arguments[0]) == sizeof(float);
  });
  const int processors = base::ThreadCount(0);
  return asks_all_floats && processors > 1 ? processors : 0;
}

namespace {

// `temporary`: as of SweepOf.
int RunShards(const ValidateOptions& options,
              const std::optional<base::TemporaryFolder>& temporary) {
  auto sweep = SweepOf(options, temporary);
  if (!sweep) return ReportError(sweep.error());
  const oracle::Origin origin =
      options.no_origin ? oracle::Origin{} : oracle::OriginOf(options.command);
  HandleInterrupts();
  Progress progress(options.progress);
  const std::uint64_t before = sweep->count - sweep->missing.size();
  progress.Begin(fmt::format("{} shards", sweep->count));
  sweep->progress = [&](std::uint64_t finished) {
    progress.Update(before + finished, sweep->count);
  };
  const auto ran = RunLocally(*sweep);
  progress.Clear();
  if (!ran) return ReportError(ran.error());
  if (!*ran && temporary) {
    std::fprintf(stderr, "assay: interrupted; a run with --json FILE can go on later\n");
    return kExitInterrupted;
  }
  if (!*ran) {
    std::fprintf(stderr, "assay: interrupted; '%s' holds what was measured, go on with --resume\n",
                 sweep->folder.c_str());
    return kExitInterrupted;
  }
  const MergedOutput output = {.json = options.json,
                               .junit = options.junit,
                               .html = options.html,
                               .full = options.full,
                               .no_origin = options.no_origin,
                               .verbose = options.verbose,
                               .wide = options.wide};
  return MergeFolder(output, sweep->folder, sweep->count, &origin);
}

}  // namespace

int ValidateInShards(const ValidateOptions& options) { return RunShards(options, std::nullopt); }

int ValidateInOwnShards(const ValidateOptions& options, int shards) {
  ValidateOptions divided = options;
  divided.shards = shards;
  std::optional<base::TemporaryFolder> temporary;
  if (!HasReportFile(options)) {
    auto made = base::TemporaryFolder::Make();
    if (!made) return ReportError(made.error());
    temporary.emplace(std::move(*made));
  }
  return RunShards(divided, temporary);
}

}  // namespace assay::tools
