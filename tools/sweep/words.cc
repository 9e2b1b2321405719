#include "tools/sweep/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "oracle/shards/file.h"

namespace assay::tools {

std::vector<std::string> Without(const std::vector<std::string>& words,
                                 const std::vector<TakenOption>& options) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto taken = std::find_if(options.begin(), options.end(), [&](const TakenOption& option) {
      return words[i] == option.name || words[i].starts_with(std::string(option.name) + "=");
    });
    if (taken == options.end()) {
      kept.push_back(words[i]);
    } else if (taken->has_value && words[i] == taken->name) {
      ++i;
    }
  }
  return kept;
}

std::vector<std::string> ShardWords(const std::vector<std::string>& words) {
  return Without(words, {{"--shards"},
                         {"--processes"},
                         {"--devices"},
                         {"--json"},
                         {"--junit"},
                         {"--html"},
                         {"--checkpoint"},
                         {"--shard"},
                         {"--resume", false},
                         {"--progress", false}});
}

std::string ShardFolder(const std::string& report) { return report + ".shards"; }

std::string ShardPath(const std::string& folder, std::uint64_t index) {
  return fmt::format("{}/{}.json", folder, index);
}

Expected<std::string> OwnProgram() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return Fail(
        ErrorKind::kDevice,
        fmt::format("/proc/self/exe: {}; the program does not find its own file", error.message()));
  }
  return path.string();
}

Expected<std::vector<std::uint64_t>> MissingIn(const std::string& folder, std::uint64_t count) {
  std::vector<std::uint64_t> missing;
  for (std::uint64_t index = 1; index <= count; ++index) {
    const std::string path = ShardPath(folder, index);
    if (!base::Exists(path)) {
      missing.push_back(index);
      continue;
    }
    const auto file = oracle::ReadShardFile(path);
    if (!file) {
      // A file appears when it is complete: one that is damaged is no shard of this program.
      return Fail(ErrorKind::kUsage, fmt::format("{}; or remove it, and the shard is asked again",
                                                 file.error().message));
    }
    if (file->count != count || file->shards.size() != 1 || file->shards[0].index != index) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{} is no shard {}/{}: the folder has shards of another division; "
                              "remove it, or give the same number of shards",
                              path, index, count));
    }
  }
  return missing;
}

}  // namespace assay::tools
