// Runs a compiler: one program, without a shell, in a session that ends with the call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/confine.h"
#include "base/expected.h"
#include "base/leftovers.h"

namespace assay::base {

struct ToolResult {
  int exit_status = 0;  // 128 + the signal's number for a program that was killed
  std::string output;   // standard output and error, what is in the limit
};

inline constexpr std::size_t kMaxToolOutput = std::size_t{256} << 10;

struct ToolRequest {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH
  ResourceLimits limits;
  // The files that it can see, if it is confined because it reads untrusted input.
  std::optional<FileView> view;
  std::size_t max_output = kMaxToolOutput;  // so many bytes of it are kept
};

// Runs a program with no input.  kUsage where there is no such program; kDevice where it exceeds a
// limit and is ended, is interrupted, or cannot be started.
Expected<ToolResult> RunTool(const ToolRequest& request);
Expected<ToolResult> RunTool(const std::vector<std::string>& argv, double seconds,
                             std::size_t max_output = kMaxToolOutput);

// Whether a compiler says that an allocation failed, in the words of LLVM and of C++ programs.
bool SaysNoMemory(std::string_view output);

// Where PATH has the program; empty where it has not.
std::string FindProgram(const std::string& name);

// A folder under TMPDIR or /tmp that goes with its contents when the object does, and when a signal
// ends the program.  After SIGKILL the next program that makes one removes it.
class TemporaryFolder {
 public:
  static Expected<TemporaryFolder> Make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::move(other.path_)), lock_(other.lock_), leftover_(std::move(other.leftover_)) {
    other.path_.clear();
    other.lock_ = -1;
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryFolder(std::string path, int lock)
      : path_(std::move(path)), lock_(lock), leftover_(path_) {}
  std::string path_;
  int lock_;  // an open file in it that is locked while this program lives
  Leftover leftover_;
};

}  // namespace assay::base
