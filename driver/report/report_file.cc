#include "driver/report/report_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "driver/report/records.h"

namespace assay::driver {
namespace {

// The application may look at errno after a call of the API, and a file that becomes larger than
// its limit must not end it (SIGXFSZ).
class Unnoticed {
 public:
  Unnoticed() {
    sigemptyset(&blocked_);
    sigaddset(&blocked_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &blocked_, &before_);
  }
  ~Unnoticed() {
    if (sigismember(&before_, SIGXFSZ) == 0) {
      const timespec now{};
      sigset_t pending;
      if (sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1) {
        sigtimedwait(&blocked_, nullptr, &now);
      }
      pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    errno = errno_;
  }
  Unnoticed(const Unnoticed&) = delete;
  Unnoticed& operator=(const Unnoticed&) = delete;

 private:
  int errno_ = errno;
  sigset_t blocked_{};
  sigset_t before_{};
};

// How many bytes were written.
std::size_t WriteOnce(int file, std::string_view text) {
  ssize_t written = 0;
  do {
    written = write(file, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

}  // namespace

ReportFile::ReportFile(const std::string& folder, std::uint64_t start)
    : folder_(folder), path_(fmt::format("{}/{}-{}.jsonl", folder, getpid(), start)) {}

bool ReportFile::Append(std::string_view line) {
  const Unnoticed unnoticed;
  const int file =
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return false;
  // A line that was cut, on a full disk, must not take this one with it.
  const std::string whole = fmt::format("{}{}\n", is_cut_ ? "\n" : "", line);
  const std::size_t written = WriteOnce(file, whole);
  close(file);
  if (written != 0) is_cut_ = written != whole.size();
  return written == whole.size();
}

bool ReportFile::SaveSource(const std::string& digest, std::string_view text) const {
  const Unnoticed unnoticed;
  const std::string sources = fmt::format("{}/{}", folder_, kSourcesFolder);
  mkdir(sources.c_str(), 0755);
  const std::string path = fmt::format("{}/{}", sources, digest);
  if (access(path.c_str(), F_OK) == 0) return true;
  // Under its name when it is whole: another process may write the same.
  const std::string unfinished = fmt::format("{}.{}", path, getpid());
  const int file =
      open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return false;
  bool whole = true;
  while (whole && !text.empty()) {
    const std::size_t written = WriteOnce(file, text);
    whole = written != 0;
    text.remove_prefix(written);
  }
  close(file);
  if (whole && std::rename(unfinished.c_str(), path.c_str()) == 0) return true;
  unlink(unfinished.c_str());
  return false;
}

}  // namespace assay::driver
