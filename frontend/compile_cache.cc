#include "frontend/compile_cache.h"

#include <utility>

#include "base/fields.h"

namespace assay::frontend {
namespace {

constexpr const char* kFormat = "assay-compile-cache/2\n";

}  // namespace

CompileCache::CompileCache()
    : CompileCache(base::CacheFolder("assay"), base::CacheSize(kMaxBytes)) {}

CompileCache::CompileCache(std::string folder, std::uint64_t max_bytes)
    : files_(std::move(folder), kFormat, max_bytes) {}

std::optional<CacheEntry> CompileCache::Find(const std::string& key) const {
  const auto content = files_.Find(key);
  if (!content) return std::nullopt;
  base::FieldReader fields(*content);
  const auto messages = fields.Field();
  const auto module = fields.Field();
  if (!messages || !module || !fields.AtEnd()) return std::nullopt;
  return CacheEntry{.messages = std::string(*messages), .module = std::string(*module)};
}

void CompileCache::Store(const std::string& key, const CacheEntry& entry) const {
  std::string content;
  base::AppendField(entry.messages, &content);
  base::AppendField(entry.module, &content);
  files_.Store(key, content);
}

}  // namespace assay::frontend
