// A folder of entries with keys, of a limited size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace assay::base {

// Files that others could have written are not used: the user must own the folder and its entries,
// and nobody else may have write permission.
class FileCache {
 public:
  // `format` is a line that begins each entry and names what it is; entries of another format are
  // not found.  "" for `folder`: there is no cache.
  FileCache(std::string folder, std::string format, std::uint64_t max_bytes)
      : folder_(std::move(folder)), format_(std::move(format)), max_bytes_(max_bytes) {}

  // Nothing for an unknown key, a damaged entry, or one that is not the user's own.
  std::optional<std::string> Find(const std::string& key) const;
  // The entry is written to a temporary file and renamed, so that a reader sees all of it or
  // nothing.  If the cache cannot be written, only time is lost.  At the size limit the least
  // recently used entries are removed.
  void Store(const std::string& key, std::string_view content) const;

 private:
  std::string folder_;
  std::string format_;
  std::uint64_t max_bytes_;
};

// $XDG_CACHE_HOME/NAME, or ~/.cache/NAME; "" without either, and where ASSAY_CACHE_SIZE is 0.
std::string CacheFolder(std::string_view name);
// ASSAY_CACHE_SIZE ("256M", "0"), or `otherwise`.
std::uint64_t CacheSize(std::uint64_t otherwise);

}  // namespace assay::base
