// A cache of compiled modules; the key is everything from which a module is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace assay::frontend {

// A key names everything that an entry depends on.
struct CacheEntry {
  std::string messages;
  std::string module;  // SPIR-V's bytes
};

// Files that others could have written are not used: the user must own the folder and its entries,
// and nobody else may have write permission.
class CompileCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  // $XDG_CACHE_HOME/assay, or ~/.cache/assay; without either there is no cache.  ASSAY_CACHE_SIZE
  // ("256M", "0": no cache) is the limit in its place.
  CompileCache();
  explicit CompileCache(std::string folder, std::uint64_t max_bytes = kMaxBytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}

  // Empty for an unknown key, a damaged entry, or one that is not the user's own.
  std::optional<CacheEntry> Find(const std::string& key) const;
  // The entry is written to a temporary file and renamed, so that a reader sees all of it or
  // nothing.  If the cache cannot be written, only time is lost.  At the size limit the least
  // recently used entries are removed.
  void Store(const std::string& key, const CacheEntry& entry) const;

 private:
  std::string folder_;
  std::uint64_t max_bytes_ = kMaxBytes;
};

}  // namespace assay::frontend
