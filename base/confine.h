// Limits and a sandbox for a program that assay starts.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace assay::base {

// Limits for one program and all its child processes.  Time is wall-clock time.  Memory limits what
// each process allocates, and what all of them together have in use.
struct ResourceLimits {
  double seconds = 60;                                  // 0: no limit
  std::uint64_t memory_bytes = std::uint64_t{8} << 30;  // 0: no limit
  // If it is set, the program is ended as soon as it is true, for example after Ctrl-C.
  const std::atomic<bool>* stop = nullptr;
};

// A compiler takes so much for itself, whatever it compiles: it comes on top of a limit.
inline constexpr std::uint64_t kToolMemory = std::uint64_t{100} << 20;

// The files that a confined program sees beside those of the system and of its own installation.
struct FileView {
  std::vector<std::string> readable;  // files and folders; those that do not exist are none
  std::string writable;               // a folder; also where the program starts
};

enum class Wall : std::uint8_t {
  kNamespaces,  // bubblewrap: other files, processes and networks are not there
  kLandlock,    // the kernel refuses to open other files
  kLimits,      // only what setrlimit and the clock can do
};
// The best that this machine has, found out once by trying; ASSAY_SANDBOX (namespaces, landlock,
// limits) names one, for machines where it is in the way.
Wall BestWall();

// A command line made ready to be confined.  The object lives until the program was started.
class Confinement {
 public:
  Confinement(std::vector<std::string> argv, const FileView& view, Wall wall);
  ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  const std::vector<std::string>& argv() const { return argv_; }
  // Not the user's: a compiler asks many variables, and none of them is to change a module.
  const std::vector<std::string>& environment() const { return environment_; }
  const std::string& folder() const { return folder_; }
  // In the child, before exec; async-signal-safe.  False: it must not go on.
  bool Enter() const;

 private:
  std::vector<std::string> argv_;
  std::vector<std::string> environment_;
  std::string folder_;
  int ruleset_ = -1;  // Landlock's
};

// In the child, before exec: its limits, its own session, and its end with the thread that started
// it, whose process is `parent`.  Async-signal-safe.
bool LimitThisProcess(const ResourceLimits& limits, int parent);

// Bytes that a process and all its child processes have in use, without memory that is backed by
// files.
std::uint64_t MemoryInUse(int pid);

}  // namespace assay::base
