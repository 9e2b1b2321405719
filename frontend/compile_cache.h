// A cache of compiled modules; the key is everything from which a module is made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file_cache.h"

namespace assay::frontend {

// A key names everything that an entry depends on.
struct CacheEntry {
  std::string messages;
  std::string module;  // SPIR-V's bytes
};

class CompileCache {
 public:
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

  // $XDG_CACHE_HOME/assay, or ~/.cache/assay; without either there is no cache.  ASSAY_CACHE_SIZE
  // ("256M", "0": no cache) is the limit in its place.
  CompileCache();
  explicit CompileCache(std::string folder, std::uint64_t max_bytes = kMaxBytes);

  std::optional<CacheEntry> Find(const std::string& key) const;
  void Store(const std::string& key, const CacheEntry& entry) const;

 private:
  base::FileCache files_;
};

}  // namespace assay::frontend
