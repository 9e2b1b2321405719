// Temporary folders, and those of programs that were killed.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/run_tool.h"

namespace assay::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "assay-";
constexpr std::size_t kNameLength = kPrefix.size() + 6;
constexpr char kLock[] = "lock";
// A folder has its lock a moment after it was made.
constexpr std::time_t kUnlockedSeconds = 60;

// The file that says by its lock that the folder is in use; -1 where it cannot be had.
int Lock(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  close(file);
  return -1;
}

// It has its name when it is locked: another program that saw it before would take the folder for
// an abandoned one.
int LockNew(const std::string& folder) {
  const std::string made = folder + "/new", named = folder + "/" + kLock;
  const int file = Lock(made, O_CREAT | O_EXCL);
  if (file < 0 || rename(made.c_str(), named.c_str()) == 0) return file;
  close(file);
  return -1;
}

bool IsAbandoned(const std::string& path) {
  struct stat facts = {};
  if (lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid()) {
    return false;
  }
  if (access((path + "/" + kLock).c_str(), F_OK) != 0) {
    return facts.st_mtime + kUnlockedSeconds < std::time(nullptr);
  }
  const int lock = Lock(path + "/" + kLock, 0);
  if (lock >= 0) close(lock);
  return lock >= 0;
}

void RemoveAbandoned(const std::string& base) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(base, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.size() != kNameLength || !name.starts_with(kPrefix)) continue;
    if (IsAbandoned(entry.path().string())) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

Expected<TemporaryFolder> TemporaryFolder::Make() {
  const char* given = std::getenv("TMPDIR");
  const std::string base = given == nullptr || *given == 0 ? "/tmp" : fs::absolute(given).string();
  static std::once_flag once;
  std::call_once(once, [&] { RemoveAbandoned(base); });
  std::string path = fmt::format("{}/{}XXXXXX", base, kPrefix);
  if (mkdtemp(path.data()) == nullptr) {
    return Fail(ErrorKind::kDevice,
                fmt::format("{}: no temporary folder can be made: {}; name another in TMPDIR", path,
                            std::generic_category().message(errno)));
  }
  const int lock = LockNew(path);
  return TemporaryFolder(std::move(path), lock);
}

TemporaryFolder::~TemporaryFolder() {
  // Children of a compiler that was ended write for a moment after it.
  constexpr int kTries = 200;
  for (int i = 0; i < kTries && !path_.empty(); ++i) {
    std::error_code error;
    fs::remove_all(path_, error);
    if (!error) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (lock_ >= 0) close(lock_);
}

}  // namespace assay::base
