#include "base/file_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "base/digest.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/random_number.h"

namespace assay::base {
namespace {

namespace fs = std::filesystem;

// An entry is the format's name, the digest of the rest, and the rest: fields with their lengths.
std::optional<std::string> Parse(std::string_view text, std::string_view format) {
  if (!text.starts_with(format)) return std::nullopt;
  text.remove_prefix(format.size());
  FieldReader fields(text);
  const auto digest = fields.Field();
  const auto content = fields.Field();
  if (!digest || !content || !fields.AtEnd() || Sha256(*content) != *digest) return std::nullopt;
  return std::string(*content);
}

class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

  // Whether the user owns it, and nobody else may write to it.
  bool IsOwn(mode_t type) const {
    struct stat facts = {};
    return file_ >= 0 && fstat(file_, &facts) == 0 && (facts.st_mode & S_IFMT) == type &&
           facts.st_uid == geteuid() && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }

 private:
  int file_;
};

int OpenFolder(const std::string& folder) {
  return folder.empty() ? -1 : open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

std::optional<std::string> ReadOpen(int file) {
  std::string text;
  char chunk[std::size_t{1} << 16];
  for (;;) {
    const ssize_t got = read(file, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || text.size() > kMaxFileBytes) return std::nullopt;
    if (got == 0) return text;
    text.append(chunk, static_cast<std::size_t>(got));
  }
}

bool WriteOpen(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

struct Stored {
  std::string name;
  std::uint64_t bytes = 0;
  timespec used = {};
};

constexpr std::string_view kNew = ".new-";
constexpr std::time_t kForgottenSeconds = 3600;  // a new entry whose writer was killed

// Removes the least recently used entries until nine tenths of the limit are left.
void Shrink(const std::string& folder, int descriptor, std::uint64_t max_bytes) {
  std::vector<Stored> entries;
  std::uint64_t total = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    struct stat facts = {};
    const std::string name = entry.path().filename().string();
    if (fstatat(descriptor, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (name.starts_with(kNew)) {
      const bool forgotten = facts.st_mtim.tv_sec + kForgottenSeconds < std::time(nullptr);
      if (forgotten) unlinkat(descriptor, name.c_str(), 0);
      continue;
    }
    entries.push_back({name, static_cast<std::uint64_t>(facts.st_size), facts.st_mtim});
    total += entries.back().bytes;
  }
  if (total <= max_bytes) return;
  std::sort(entries.begin(), entries.end(), [](const Stored& a, const Stored& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Stored& entry : entries) {
    if (total <= max_bytes / 10 * 9) return;
    if (unlinkat(descriptor, entry.name.c_str(), 0) == 0) total -= entry.bytes;
  }
}

// To look at every entry takes a while in a large cache; it may grow over its limit a little.
bool IsTimeToShrink(const std::string& key, std::uint64_t max_bytes) {
  return max_bytes < std::uint64_t{64} << 20 || key.starts_with('0') || key.starts_with('8');
}

}  // namespace

std::optional<std::string> FileCache::Find(const std::string& key) const {
  const OpenFile folder(OpenFolder(folder_));
  if (!folder.IsOwn(S_IFDIR)) return std::nullopt;
  const OpenFile file(
      openat(folder.get(), key.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.IsOwn(S_IFREG)) return std::nullopt;
  const auto text = ReadOpen(file.get());
  if (!text) return std::nullopt;
  futimens(file.get(), nullptr);  // used now
  return Parse(*text, format_);
}

void FileCache::Store(const std::string& key, std::string_view content) const {
  if (folder_.empty()) return;
  std::string text(format_);
  AppendField(Sha256(content), &text);
  AppendField(content, &text);
  if (text.size() > max_bytes_) return;

  std::error_code failure;
  fs::create_directories(fs::path(folder_).parent_path(), failure);
  mkdir(folder_.c_str(), 0700);
  const OpenFile folder(OpenFolder(folder_));
  if (!folder.IsOwn(S_IFDIR)) return;
  const std::string temporary = fmt::format("{}{:016x}", kNew, RandomNumber());
  bool good = false;
  {
    const OpenFile file(openat(folder.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file.get() < 0) return;
    good = WriteOpen(file.get(), text);
  }
  good = good && renameat(folder.get(), temporary.c_str(), folder.get(), key.c_str()) == 0;
  if (!good) unlinkat(folder.get(), temporary.c_str(), 0);
  if (IsTimeToShrink(key, max_bytes_)) Shrink(folder_, folder.get(), max_bytes_);
}

std::string CacheFolder(std::string_view name) {
  if (CacheSize(1) == 0) return "";
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fmt::format("{}/{}", cache, name);
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fmt::format("{}/.cache/{}", home, name);
  return "";
}

std::uint64_t CacheSize(std::uint64_t otherwise) {
  const char* text = std::getenv("ASSAY_CACHE_SIZE");
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  char* end = nullptr;
  const std::uint64_t number = std::strtoull(text, &end, 10);
  const std::string_view unit(end);
  const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  const bool good = (unit.empty() || shift != 0) && number < std::uint64_t{1} << 33;
  return good ? number << shift : otherwise;
}

}  // namespace assay::base
