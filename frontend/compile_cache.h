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

// What others could have written is not used: the folder and its entries have to be the user's own,
// and nobody else may be allowed to write there.
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
  // Written beside and renamed into place, so that a reader sees all of it or nothing.  A cache
  // that cannot be written is none: it only costs time.  What was not used for the longest time
  // goes where the limit is reached.
  void Store(const std::string& key, const CacheEntry& entry) const;

 private:
  std::string folder_;
  std::uint64_t max_bytes_ = kMaxBytes;
};

}  // namespace assay::frontend
