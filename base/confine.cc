#include "base/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/environment.h"
#include "base/file.h"
#include "base/run_tool.h"

namespace assay::base {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMaxFile = rlim_t{512} << 20;
constexpr rlim_t kMaxOpenFiles = 256;
constexpr int kMaxProcesses = 64;

// Files that programs of the system need to start.
constexpr const char* kSystem[] = {"/usr",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/libx32",
                                   "/bin",
                                   "/sbin",
                                   "/etc/alternatives",
                                   "/etc/ld.so.cache"};

// "a:b:c"; empty parts are left out.
std::vector<std::string> PartsOf(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end != 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

// The folders that a program outside of the system's was installed to.
std::vector<std::string> InstallationOf(const std::string& program) {
  std::vector<std::string> folders;
  std::error_code ignored;
  for (const fs::path& path : {fs::absolute(program, ignored), fs::canonical(program, ignored)}) {
    const fs::path folder = path.parent_path();
    if (path.empty() || folder.string().starts_with("/usr/")) continue;
    folders.push_back(folder.string());
    for (const char* sibling : {"lib", "lib64", "libexec", "share", "include"}) {
      folders.push_back((folder.parent_path() / sibling).string());
    }
  }
  return folders;
}

std::vector<std::string> NamespaceLine(const std::string& bwrap, const FileView& view) {
  std::vector<std::string> line = {
      bwrap,           "--unshare-user", "--unshare-pid",        "--unshare-net",
      "--unshare-ipc", "--unshare-uts",  "--unshare-cgroup-try", "--die-with-parent"};
  const auto bind = [&](const char* how, const std::string& path) {
    line.insert(line.end(), {how, path, path});
  };
  const bool everything =
      std::find(view.readable.begin(), view.readable.end(), "/") != view.readable.end();
  if (everything) {
    bind("--ro-bind", "/");
  } else {
    for (const char* path : kSystem) {
      std::error_code failure;
      const fs::path target = fs::read_symlink(path, failure);
      if (failure) {
        bind("--ro-bind-try", path);
      } else {
        line.insert(line.end(), {"--symlink", target.string(), path});
      }
    }
    line.insert(line.end(), {"--dev-bind", "/dev/null", "/dev/null"});
    for (const std::string& path : view.readable) {
      std::error_code failure;
      const fs::path real = fs::canonical(path, failure);
      if (failure || real.string().starts_with("/usr/")) continue;
      // Under both names: what leads there by a link, and what a link in there leads to.
      const fs::path normal = fs::absolute(path).lexically_normal();
      line.insert(line.end(), {"--ro-bind", real.string(), normal.string()});
      if (real != normal) bind("--ro-bind", real.string());
    }
  }
  if (!view.writable.empty()) {
    bind("--bind", view.writable);
    line.insert(line.end(), {"--chdir", view.writable});
  }
  // Counted within the user namespace, so that those of the user outside do not matter.
  static const std::string prlimit = FindProgram("prlimit");
  line.emplace_back("--");
  if (!prlimit.empty())
    line.insert(line.end(), {prlimit, fmt::format("--nproc={}", kMaxProcesses)});
  return line;
}

// glibc has no wrappers for Landlock.
long CreateRuleset(const landlock_ruleset_attr* attributes, std::size_t size, unsigned flags) {
  return syscall(SYS_landlock_create_ruleset, attributes, size, flags);
}

constexpr std::uint64_t kReads =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
// Everything that the kernel's first version knows of.
constexpr std::uint64_t kAll = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

void AddRule(int ruleset, const std::string& path, std::uint64_t access) {
  const int file = open(path.c_str(), O_PATH | O_CLOEXEC);
  struct stat facts = {};
  if (file >= 0 && fstat(file, &facts) == 0) {
    if (!S_ISDIR(facts.st_mode)) {
      access &=
          LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
    }
    landlock_path_beneath_attr rule = {};
    rule.allowed_access = access;
    rule.parent_fd = file;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  }
  if (file >= 0) close(file);
}

int MakeRuleset(const FileView& view) {
  landlock_ruleset_attr attributes = {};
  attributes.handled_access_fs = kAll;
  const int ruleset = static_cast<int>(CreateRuleset(&attributes, sizeof attributes, 0));
  if (ruleset < 0) return -1;
  for (const char* path : kSystem) AddRule(ruleset, path, kReads);
  for (const std::string& path : view.readable) AddRule(ruleset, path, kReads);
  AddRule(ruleset, "/dev/null", kReads | LANDLOCK_ACCESS_FS_WRITE_FILE);
  if (!view.writable.empty()) AddRule(ruleset, view.writable, kAll);
  return ruleset;
}

// Whether the kernel makes the namespaces, and bubblewrap is there to ask for them.
bool NamespacesWork() {
  const std::string bwrap = FindProgram("bwrap");
  if (bwrap.empty()) return false;
  std::vector<std::string> line = NamespaceLine(bwrap, {});
  line.emplace_back("/bin/true");
  std::vector<char*> arguments;
  for (std::string& word : line) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&quiet, output, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, arguments[0], &quiet, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (failure != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Wall FindWall() {
  const std::string asked = EnvironmentText("ASSAY_SANDBOX");
  if (asked == "limits") return Wall::kLimits;
  if (asked != "landlock" && NamespacesWork()) return Wall::kNamespaces;
  return CreateRuleset(nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0 ? Wall::kLandlock
                                                                        : Wall::kLimits;
}

void Limit(__rlimit_resource resource, rlim_t value) {
  rlimit limit = {};
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, value);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(resource, &limit);
}

// The kilobytes behind a name in /proc/PID/status.
std::uint64_t Kilobytes(const std::string& status, std::string_view name) {
  const std::size_t at = status.find(name);
  return at == std::string::npos ? 0
                                 : std::strtoull(status.c_str() + at + name.size(), nullptr, 10);
}

}  // namespace

Wall BestWall() {
  static const Wall wall = FindWall();
  return wall;
}

Confinement::Confinement(std::vector<std::string> argv, const FileView& view, Wall wall)
    : argv_(std::move(argv)), folder_(view.writable) {
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"}) {
    if (!EnvironmentText(name).empty()) {
      environment_.push_back(fmt::format("{}={}", name, EnvironmentText(name)));
    }
  }
  // A crashing compiler would fork to start a program that prints its stack.  That would double its
  // memory above the limit, for output that is not used.
  for (const char* fixed :
       {"LC_ALL=C", "CLANG_NO_DEFAULT_CONFIG=1", "LLVM_DISABLE_SYMBOLIZATION=1"}) {
    environment_.emplace_back(fixed);
  }
  if (!view.writable.empty()) environment_.push_back("TMPDIR=" + view.writable);
  FileView whole = view;
  const auto add = [&](std::vector<std::string> paths) {
    whole.readable.insert(whole.readable.end(), paths.begin(), paths.end());
  };
  add(InstallationOf(argv_[0]));
  add(PartsOf(EnvironmentText("LD_LIBRARY_PATH")));
  if (wall == Wall::kNamespaces) {
    std::vector<std::string> line = NamespaceLine(FindProgram("bwrap"), whole);
    argv_.insert(argv_.begin(), line.begin(), line.end());
    folder_.clear();
  } else if (wall == Wall::kLandlock) {
    ruleset_ = MakeRuleset(whole);
  }
}

Confinement::~Confinement() {
  if (ruleset_ >= 0) close(ruleset_);
}

bool Confinement::Enter() const {
  if (!folder_.empty() && chdir(folder_.c_str()) != 0) return false;
  if (ruleset_ < 0) return true;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0;
}

bool LimitThisProcess(const ResourceLimits& limits, int parent) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return false;  // it ended before it was watched
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, kMaxFile);
  Limit(RLIMIT_NOFILE, kMaxOpenFiles);
  if (limits.memory_bytes != 0) Limit(RLIMIT_DATA, limits.memory_bytes + kToolMemory);
  if (limits.seconds > 0 && limits.seconds < 1e9) {
    Limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds) + 2);
  }
  return true;
}

std::uint64_t MemoryInUse(int pid) {
  std::uint64_t kilobytes = 0;
  std::vector<int> processes = {pid};
  for (std::size_t i = 0; i < processes.size() && i < 4096; ++i) {
    const std::string folder = fmt::format("/proc/{}", processes[i]);
    // A process may end while it is looked at: what cannot be read is not there.
    const std::string status = ReadWholeFile(folder + "/status").value_or("");
    kilobytes += Kilobytes(status, "\nRssAnon:") + Kilobytes(status, "\nRssShmem:");
    std::ifstream children(fmt::format("{}/task/{}/children", folder, processes[i]));
    for (int child = 0; children >> child;) processes.push_back(child);
  }
  return kilobytes << 10;
}

}  // namespace assay::base
