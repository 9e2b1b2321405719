// Reading and writing whole files.
//
// Inputs are regular files.  A folder, a FIFO, a socket or a device is refused at once, without
// waiting.  /dev/null, and descriptors that a user passes as /dev/stdin and /dev/fd/N (`<(command)`
// in a shell), are read.
//
// An output file is complete or does not appear.  It is written to an unnamed file in the target's
// folder (or, if the file system has no unnamed files, to a file with a unique random name) and
// then renamed over the target.  If the target is a symbolic link, the link is replaced and not
// followed, so only the named file is written.  An existing file keeps its permissions; a new file
// has those of the umask.  Only FIFOs that have a reader, character devices (/dev/full) and
// descriptors (/dev/stdout, /dev/fd/N) are written in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/expected.h"

namespace assay::base {

inline constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

// A file that may be read from its start.
struct OpenedFile {
  OpenedFile(int descriptor_of_file, std::uint64_t bytes)
      : descriptor(descriptor_of_file), size(bytes) {}
  ~OpenedFile();
  OpenedFile(OpenedFile&& other) noexcept;
  OpenedFile& operator=(OpenedFile&& other) = delete;

  int descriptor;
  std::uint64_t size;  // 0 for what is no regular file
};

// Anything of this name; false where the system does not tell.
bool Exists(const std::string& path);

// kUsage with the path, the kind of file, and the reason.
Expected<OpenedFile> OpenToRead(const std::string& path);

// A whole file of at most `limit` bytes; kUsage with the path and the reason where it cannot be
// read.
Expected<std::string> ReadWholeFile(const std::string& path, std::size_t limit = kMaxFileBytes);

// The lines of a file of any size.
class LineReader {
 public:
  static Expected<std::unique_ptr<LineReader>> Open(const std::string& path);

  // The next line without its newline; false at the end.  kUsage for a line beyond kMaxLine bytes,
  // and where reading fails.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;
  Expected<bool> Next(std::string* line);
  // Of the next line, for Seek.
  std::uint64_t Offset() const { return offset_; }
  Expected<void> Seek(std::uint64_t offset);
  // Was the last line ended by a newline?
  bool EndedByNewline() const { return ended_; }
  // Has the file been written to since it was opened?
  bool HasChanged() const;

 private:
  LineReader(std::string path, OpenedFile file);
  Expected<bool> Fill();
  std::int64_t ChangeTime() const;

  std::string path_;
  OpenedFile file_;
  std::int64_t changed_;  // when it was written to, in nanoseconds
  std::string buffer_;
  std::size_t begin_ = 0;
  std::uint64_t offset_ = 0;
  bool ended_ = true;
};

// A file in the making.  kDevice with the reason and the path where the disk is full, the folder is
// missing or may not be written to; an old file of that name stays as it was until Commit.
class FileWriter {
 public:
  static Expected<std::unique_ptr<FileWriter>> Create(const std::string& path);
  // Without Commit nothing remains.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  Expected<void> Append(std::string_view text);
  // Makes the file safe on the disk and gives it its name.
  Expected<void> Commit();

 private:
  explicit FileWriter(std::string path) : path_(std::move(path)) {}
  Expected<void> OpenInPlace(int descriptor);
  Expected<void> OpenBeside();
  Expected<void> GiveName();
  tl::unexpected<Error> Failed(std::string_view what);
  void Discard();

  std::string path_;
  std::string name_;       // in the folder
  std::string temporary_;  // in the folder; empty: the file has no name yet
  int folder_ = -1;
  int file_ = -1;
  bool in_place_ = false;
};

// Writes content that is complete in memory.
Expected<void> WriteFileAtomically(const std::string& path, std::string_view content);

// Is this a path of a device or of a descriptor, which is written in place?
bool IsWrittenInPlace(const std::string& path);

}  // namespace assay::base
