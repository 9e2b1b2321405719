// Compiled modules by what they were made from.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {

// An entry's key names source, options and compiler; the files that the source includes are known
// only after it was compiled, so the entry carries their digests and answers only while they hold.
struct CacheEntry {
  std::vector<std::string> included;  // paths
  std::string messages;
  std::string module;  // SPIR-V's bytes
};

class CompileCache {
 public:
  // $XDG_CACHE_HOME/assay, or ~/.cache/assay; without either there is no cache.
  CompileCache();
  explicit CompileCache(std::string folder) : folder_(std::move(folder)) {}

  // Empty for an unknown key, a damaged entry, or a changed included file.
  std::optional<CacheEntry> Find(const std::string& key) const;
  // Written beside and renamed into place, so that a reader sees all of it or nothing.  A cache
  // that cannot be written is none: it only costs time.
  void Store(const std::string& key, const CacheEntry& entry) const;

 private:
  std::string folder_;
};

}  // namespace assay::frontend
