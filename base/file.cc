#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/random_number.h"

namespace assay::base {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

tl::unexpected<Error> Bad(const std::string& path, std::string_view what) {
  return Fail(ErrorKind::kUsage, fmt::format("{}: {}", path.empty() ? "''" : path, what));
}

std::string ErrnoText() { return std::generic_category().message(errno); }

// The descriptor that a path such as /dev/stdout or /dev/fd/63 means.
std::optional<int> DescriptorOf(const std::string& path) {
  constexpr std::pair<std::string_view, int> kNames[] = {
      {"/dev/stdin", STDIN_FILENO}, {"/dev/stdout", STDOUT_FILENO}, {"/dev/stderr", STDERR_FILENO}};
  for (const auto& [name, descriptor] : kNames) {
    if (path == name) return descriptor;
  }
  for (std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string digits = path.substr(folder.size());
    constexpr std::size_t kMostDigits = 9;
    if (digits.empty() || digits.size() > kMostDigits ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    return std::stoi(digits);
  }
  return std::nullopt;
}

// The kind of a file that is not regular.
std::string_view KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "no regular file";
}

bool IsNullDevice(const struct stat& facts) {
  struct stat null_device = {};
  return S_ISCHR(facts.st_mode) && stat("/dev/null", &null_device) == 0 &&
         facts.st_rdev == null_device.st_rdev;
}

// As read(2), repeated when a signal came.
ssize_t ReadSome(int file, char* to, std::size_t size) {
  ssize_t got = 0;
  do {
    got = read(file, to, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

std::string RandomName(const std::string& name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::size_t kLength = 16;
  constexpr std::size_t kMostOfName = 200;  // of the 255 bytes that file systems take
  std::string text = "." + name.substr(0, kMostOfName) + ".";
  for (std::size_t i = 0; i < kLength; ++i) text += kLetters[RandomNumber() % kLetters.size()];
  return text + ".tmp";
}

}  // namespace

OpenedFile::~OpenedFile() {
  if (descriptor >= 0) close(descriptor);
}

OpenedFile::OpenedFile(OpenedFile&& other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)), size(other.size) {}

bool Exists(const std::string& path) {
  struct stat ignored = {};
  return stat(path.c_str(), &ignored) == 0;
}

Expected<OpenedFile> OpenToRead(const std::string& path) {
  // Without O_NONBLOCK this would wait for a FIFO without writer.
  OpenedFile file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), 0);
  if (file.descriptor < 0) return Bad(path, ErrnoText());
  struct stat facts = {};
  if (fstat(file.descriptor, &facts) != 0) return Bad(path, ErrnoText());
  if (S_ISREG(facts.st_mode)) {
    file.size = static_cast<std::uint64_t>(facts.st_size);
    return file;
  }
  const bool handed_over = DescriptorOf(path) && !S_ISDIR(facts.st_mode) && !S_ISBLK(facts.st_mode);
  if (!handed_over && !IsNullDevice(facts)) {
    return Bad(path,
               fmt::format("{}, not a regular file; name a file, or /dev/stdin for what comes "
                           "through a pipe",
                           KindOf(facts.st_mode)));
  }
  const int flags = fcntl(file.descriptor, F_GETFL);
  if (flags < 0 || fcntl(file.descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return Bad(path, ErrnoText());
  }
  return file;
}

Expected<std::string> ReadWholeFile(const std::string& path, std::size_t limit) {
  const Expected<OpenedFile> file = OpenToRead(path);
  if (!file) return tl::unexpected<Error>(file.error());
  const auto too_large = [&] { return Bad(path, fmt::format("larger than {} MiB", limit >> 20)); };
  if (file->size > limit) return too_large();
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(file->size));
  std::array<char, kChunk> chunk;
  for (;;) {
    // To the end and not up to the size: a pipe has none, and a file may grow.
    const ssize_t got = ReadSome(file->descriptor, chunk.data(), chunk.size());
    if (got < 0) return Bad(path, ErrnoText());
    if (got == 0) return bytes;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
    if (bytes.size() > limit) return too_large();
  }
}

LineReader::LineReader(std::string path, OpenedFile file)
    : path_(std::move(path)), file_(std::move(file)), changed_(ChangeTime()) {}

Expected<std::unique_ptr<LineReader>> LineReader::Open(const std::string& path) {
  Expected<OpenedFile> file = OpenToRead(path);
  if (!file) return tl::unexpected<Error>(file.error());
  return std::unique_ptr<LineReader>(new LineReader(path, std::move(*file)));
}

std::int64_t LineReader::ChangeTime() const {
  struct stat facts = {};
  if (fstat(file_.descriptor, &facts) != 0) return -1;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return facts.st_mtim.tv_sec * kSecond + facts.st_mtim.tv_nsec;
}

bool LineReader::HasChanged() const { return ChangeTime() != changed_; }

// False at the end of the file.
Expected<bool> LineReader::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  const ssize_t got = ReadSome(file_.descriptor, buffer_.data() + before, kChunk);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) return Bad(path_, ErrnoText());
  return got > 0;
}

Expected<bool> LineReader::Next(std::string* line) {
  std::size_t looked = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', looked);
    if (end != std::string::npos) {
      line->assign(buffer_, begin_, end - begin_);
      offset_ += line->size() + 1;
      begin_ = end + 1;
      ended_ = true;
      return true;
    }
    const std::size_t partial = buffer_.size() - begin_;
    if (partial > kMaxLine) {
      return Bad(path_, fmt::format("a line is longer than {} bytes", kMaxLine));
    }
    const Expected<bool> more = Fill();
    if (!more) return more;
    looked = partial;
    if (*more) continue;
    line->assign(buffer_, begin_, partial);
    begin_ = buffer_.size();
    offset_ += partial;
    if (partial > 0) ended_ = false;
    return partial > 0;
  }
}

Expected<void> LineReader::Seek(std::uint64_t offset) {
  buffer_.clear();
  begin_ = 0;
  offset_ = offset;
  if (lseek(file_.descriptor, static_cast<off_t>(offset), SEEK_SET) >= 0) return {};
  return Bad(path_, ErrnoText());
}

bool IsWrittenInPlace(const std::string& path) {
  if (DescriptorOf(path)) return true;
  struct stat facts = {};
  // Links in /dev are the system's: /dev/log, /dev/core.
  const int flags = path.starts_with("/dev/") ? 0 : AT_SYMLINK_NOFOLLOW;
  if (fstatat(AT_FDCWD, path.c_str(), &facts, flags) != 0) return false;
  return !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode) && !S_ISLNK(facts.st_mode);
}

tl::unexpected<Error> FileWriter::Failed(std::string_view what) {
  const std::string reason = ErrnoText();
  const int error = errno;
  Discard();
  if (error != 0) file_ = -error;  // why nothing more can be written
  return Fail(ErrorKind::kDevice, fmt::format("cannot {} '{}': {}; free some space or name another "
                                              "file",
                                              what, path_, reason));
}

// An unnamed file is removed when it is closed.
void FileWriter::Discard() {
  const int error = errno;
  if (!temporary_.empty()) unlinkat(folder_, temporary_.c_str(), 0);
  if (file_ >= 0) close(file_);
  if (folder_ >= 0) close(folder_);
  temporary_.clear();
  file_ = folder_ = -EBADF;
  errno = error;
}

FileWriter::~FileWriter() { Discard(); }

Expected<std::unique_ptr<FileWriter>> FileWriter::Create(const std::string& path) {
  std::unique_ptr<FileWriter> writer(new FileWriter(path));
  const std::optional<int> descriptor = DescriptorOf(path);
  writer->in_place_ = IsWrittenInPlace(path);
  Expected<void> opened =
      writer->in_place_ ? writer->OpenInPlace(descriptor.value_or(-1)) : writer->OpenBeside();
  if (!opened) return tl::unexpected<Error>(opened.error());
  return writer;
}

Expected<void> FileWriter::OpenInPlace(int descriptor) {
  if (descriptor >= 0) {
    file_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (file_ < 0) return Failed("write");
    return {};
  }
  // A FIFO without a reader would be waited for; with O_NONBLOCK it is an error.
  file_ = open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat facts = {};
  if (file_ < 0 || fstat(file_, &facts) != 0) return Failed("write");
  if (S_ISBLK(facts.st_mode)) {
    Discard();
    return Fail(ErrorKind::kDevice,
                fmt::format("cannot write '{}': it is a block device; name a file", path_));
  }
  const int flags = fcntl(file_, F_GETFL);
  if (flags < 0 || fcntl(file_, F_SETFL, flags & ~O_NONBLOCK) != 0) return Failed("write");
  return {};
}

Expected<void> FileWriter::OpenBeside() {
  const std::size_t slash = path_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  name_ = slash == std::string::npos ? path_ : path_.substr(slash + 1);
  folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) return Failed("create");
  struct stat old = {};
  const bool is_there = fstatat(folder_, name_.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
  if (name_.empty() || (is_there && S_ISDIR(old.st_mode))) {
    errno = EISDIR;
    return Failed("create");
  }
  constexpr mode_t kNewMode = 0666;  // less the umask
  file_ = openat(folder_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewMode);
  if (file_ < 0) {  // not every file system has files without names
    temporary_ = RandomName(name_);
    file_ = openat(folder_, temporary_.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewMode);
    if (file_ < 0) {
      temporary_.clear();
      return Failed("create");
    }
  }
  constexpr mode_t kPermissions = 0777;
  if (is_there && S_ISREG(old.st_mode) && old.st_uid == geteuid()) {
    if (fchmod(file_, old.st_mode & kPermissions) != 0) return Failed("create");
  }
  return {};
}

Expected<void> FileWriter::Append(std::string_view text) {
  if (file_ < 0) {
    errno = -file_;
    return Failed("write");
  }
  while (!text.empty()) {
    const ssize_t written = write(file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("write");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Expected<void> FileWriter::GiveName() {
  if (temporary_.empty()) {
    // linkat cannot replace a file; rename can, but needs a name.
    const std::string name = RandomName(name_);
    const std::string file = fmt::format("/proc/self/fd/{}", file_);
    if (linkat(AT_FDCWD, file.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return Failed("create");
    }
    temporary_ = name;
  }
  if (renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0) return Failed("replace");
  temporary_.clear();
  // The name is safe only once the folder is; some file systems have no such call.
  if (fsync(folder_) != 0 && errno != EINVAL && errno != ENOTSUP) return Failed("keep");
  return {};
}

Expected<void> FileWriter::Commit() {
  if (file_ < 0) {
    errno = -file_;
    return Failed("write");
  }
  if (!in_place_) {
    if (fsync(file_) != 0) return Failed("write");
    if (auto named = GiveName(); !named) return named;
  }
  const int file = std::exchange(file_, -1);
  if (close(file) != 0) return Failed("write");
  Discard();
  return {};
}

Expected<void> WriteFileAtomically(const std::string& path, std::string_view content) {
  auto writer = FileWriter::Create(path);
  if (!writer) return tl::unexpected<Error>(writer.error());
  if (auto written = (*writer)->Append(content); !written) return written;
  return (*writer)->Commit();
}

}  // namespace assay::base
