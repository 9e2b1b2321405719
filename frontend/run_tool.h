// Running a compiler: one program, no shell, in a process group of its own that ends with the call.
#pragma once

#include <string>
#include <vector>

#include "numerics/expected.h"

namespace assay::frontend {

struct ToolResult {
  int exit_status = 0;  // 128 + the signal's number for a program that was killed
  std::string output;   // standard output and error, what is in the limit
};

inline constexpr std::size_t kMaxToolOutput = std::size_t{256} << 10;

// Runs argv[0] (looked up in PATH) with no input.  kUsage where there is no such program; kDevice
// where it runs longer than `seconds` and is ended, or cannot be started.
// Of its output the first `max_output` bytes are kept.
Expected<ToolResult> RunTool(const std::vector<std::string>& argv, double seconds,
                             std::size_t max_output = kMaxToolOutput);

// Where PATH has the program; empty where it has not.
std::string FindProgram(const std::string& name);

// A folder under TMPDIR or /tmp that goes with its contents when the object does.
class TemporaryFolder {
 public:
  static Expected<TemporaryFolder> Make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace assay::frontend
