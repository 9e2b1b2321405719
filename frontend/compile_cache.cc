#include "frontend/compile_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "frontend/digest.h"
#include "frontend/loader.h"

namespace assay::frontend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "assay-compile-cache/1\n";

// An entry is the format's name, the digest of the rest, and the rest: fields with their lengths.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> Field() {
    std::size_t length = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      if (digits == 12) return std::nullopt;
      length = length * 10 + static_cast<std::size_t>(rest_[digits] - '0');
    }
    if (digits == 0 || digits >= rest_.size() || rest_[digits] != ':') return std::nullopt;
    rest_.remove_prefix(digits + 1);
    if (length > rest_.size()) return std::nullopt;
    const std::string_view field = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return field;
  }
  bool AtEnd() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

void AppendField(std::string_view field, std::string* text) {
  *text += fmt::format("{}:", field.size());
  *text += field;
}

std::string DefaultFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/assay";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/assay";
  return "";
}

std::optional<CacheEntry> Parse(std::string_view text) {
  if (!text.starts_with(kFormat)) return std::nullopt;
  text.remove_prefix(kFormat.size());
  Reader outer(text);
  const auto digest = outer.Field();
  const auto content = outer.Field();
  if (!digest || !content || !outer.AtEnd() || Sha256(*content) != *digest) return std::nullopt;
  Reader reader(*content);
  CacheEntry entry;
  const auto messages = reader.Field();
  const auto module = reader.Field();
  if (!messages || !module) return std::nullopt;
  entry.messages = *messages;
  entry.module = *module;
  while (!reader.AtEnd()) {
    const auto path = reader.Field();
    const auto known = reader.Field();
    if (!path || !known) return std::nullopt;
    const auto bytes = ReadWholeFile(std::string(*path));
    if (!bytes || Sha256(*bytes) != *known) return std::nullopt;
    entry.included.emplace_back(*path);
  }
  return entry;
}

}  // namespace

CompileCache::CompileCache() : folder_(DefaultFolder()) {}

std::optional<CacheEntry> CompileCache::Find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const auto text = ReadWholeFile(folder_ + "/" + key);
  return text ? Parse(*text) : std::nullopt;
}

void CompileCache::Store(const std::string& key, const CacheEntry& entry) const {
  if (folder_.empty()) return;
  std::string content;
  AppendField(entry.messages, &content);
  AppendField(entry.module, &content);
  for (const std::string& path : entry.included) {
    const auto bytes = ReadWholeFile(path);
    if (!bytes) return;
    AppendField(path, &content);
    AppendField(Sha256(*bytes), &content);
  }
  std::string text(kFormat);
  AppendField(Sha256(content), &text);
  AppendField(content, &text);

  std::error_code failure;
  fs::create_directories(folder_, failure);
  std::string temporary = folder_ + "/.new-XXXXXX";
  const int file = mkstemp(temporary.data());
  if (file < 0) return;
  close(file);
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.flush()) failure = std::make_error_code(std::errc::io_error);
  }
  if (!failure) fs::rename(temporary, folder_ + "/" + key, failure);
  if (failure) fs::remove(temporary, failure);
}

}  // namespace assay::frontend
