#include "tools/sweep/local.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "tools/shared/exit_code.h"
#include "tools/shared/interrupt.h"
#include "tools/sweep/words.h"

namespace assay::tools {
namespace {

constexpr int kMostAttempts = 3;
constexpr int kPollMilliseconds = 50;

// In the child: ends with the parent, says nothing on stdout, and its messages go to a file.
[[noreturn]] void BecomeShard(std::vector<char*>& argv, const char* log, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kExitInterrupted);
  setpgid(0, 0);  // Ctrl-C is the parent's, which tells its children
  const int nothing = open("/dev/null", O_RDWR);
  const int messages = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(messages >= 0 ? messages : nothing, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(127);
}

class Runner {
 public:
  explicit Runner(const LocalSweep& sweep)
      : sweep_(sweep), waiting_(sweep.missing.begin(), sweep.missing.end()) {}
  ~Runner() { End(SIGKILL); }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  Expected<bool> Run();

 private:
  struct Running {
    std::uint64_t index = 0;
    std::size_t place = 0;  // which of the devices
  };

  std::string LogOf(std::uint64_t index) const { return ShardPath(sweep_.folder, index) + ".log"; }
  std::vector<std::string> WordsFor(std::uint64_t index, std::size_t place) const;
  Expected<void> Start(std::uint64_t index);
  Expected<void> Take(pid_t pid, int status);
  Expected<void> Failed(std::uint64_t index, const std::string& how) const;
  void End(int signal);

  const LocalSweep& sweep_;
  std::deque<std::uint64_t> waiting_;
  std::map<pid_t, Running> running_;
  std::map<std::uint64_t, int> attempts_;
  std::uint64_t finished_ = 0;
};

std::vector<std::string> Runner::WordsFor(std::uint64_t index, std::size_t place) const {
  std::vector<std::string> words = {sweep_.program};
  words.insert(words.end(), sweep_.words.begin(), sweep_.words.end());
  if (!sweep_.devices.empty()) words.push_back(sweep_.devices[place]);
  const std::string path = ShardPath(sweep_.folder, index);
  words.push_back(fmt::format("--shard={}/{}", index, sweep_.count));
  words.push_back("--json=" + path);
  if (sweep_.threads > 0) words.push_back(fmt::format("--threads={}", sweep_.threads));
  if (base::Exists(path + ".checkpoint")) words.emplace_back("--resume");
  return words;
}

Expected<void> Runner::Start(std::uint64_t index) {
  // Every device has one shard at a time, if there are as many processes as devices.
  std::size_t place = 0;
  if (!sweep_.devices.empty()) {
    std::vector<int> load(sweep_.devices.size());
    for (const auto& [pid, running] : running_) ++load[running.place];
    place = static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
  }
  std::vector<std::string> words = WordsFor(index, place);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = LogOf(index);
  ++attempts_[index];
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) BecomeShard(argv, log.c_str(), parent);
  if (child < 0) {
    return Fail(ErrorKind::kDevice, fmt::format("shard {}/{} cannot be started: {}; give fewer "
                                                "--processes",
                                                index, sweep_.count, std::strerror(errno)));
  }
  running_[child] = {index, place};
  return {};
}

Expected<void> Runner::Failed(std::uint64_t index, const std::string& how) const {
  const auto log = base::ReadWholeFile(LogOf(index));
  std::string words = log ? *log : "";
  while (!words.empty() && words.back() == '\n') words.pop_back();
  words = base::Printable(words);
  constexpr std::size_t kShown = 800;
  if (words.size() > kShown) words = "..." + words.substr(words.size() - kShown);
  return Fail(
      ErrorKind::kDevice,
      fmt::format("shard {}/{} {}{}{}; the finished shards are in '{}': --resume goes on "
                  "with the others",
                  index, sweep_.count, how, words.empty() ? "" : ": ", words, sweep_.folder));
}

// A shard has ended.
Expected<void> Runner::Take(pid_t pid, int status) {
  const auto found = running_.find(pid);
  if (found == running_.end()) return {};
  const std::uint64_t index = found->second.index;
  running_.erase(found);
  if (g_interrupted) return {};
  if (WIFSIGNALED(status)) {
    if (attempts_[index] < kMostAttempts) {
      waiting_.push_front(index);
      return {};
    }
    return Failed(index,
                  fmt::format("was killed {} times (signal {})", kMostAttempts, WTERMSIG(status)));
  }
  if (!base::Exists(ShardPath(sweep_.folder, index))) {
    return Failed(index, fmt::format("ended with code {} and no result", WEXITSTATUS(status)));
  }
  std::error_code ignored;
  std::filesystem::remove(LogOf(index), ignored);
  ++finished_;
  if (sweep_.progress) sweep_.progress(finished_);
  return {};
}

void Runner::End(int signal) {
  for (const auto& [pid, running] : running_) kill(pid, signal);
  while (!running_.empty()) {
    const pid_t pid = running_.begin()->first;
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    running_.erase(pid);
  }
}

Expected<bool> Runner::Run() {
  while (!waiting_.empty() || !running_.empty()) {
    if (g_interrupted) {
      End(SIGTERM);  // each finishes its batch, and keeps its checkpoint
      return false;
    }
    while (!waiting_.empty() && running_.size() < static_cast<std::size_t>(sweep_.processes)) {
      const std::uint64_t index = waiting_.front();
      waiting_.pop_front();
      if (auto started = Start(index); !started) return tl::unexpected<Error>(started.error());
    }
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid > 0) {
      if (auto taken = Take(pid, status); !taken) {
        End(SIGTERM);
        return tl::unexpected<Error>(taken.error());
      }
    } else if (poll(nullptr, 0, kPollMilliseconds) < 0 && errno != EINTR) {
      return Fail(ErrorKind::kDevice, fmt::format("poll: {}", std::strerror(errno)));
    }
  }
  return !g_interrupted;
}

}  // namespace

Expected<bool> RunLocally(const LocalSweep& sweep) { return Runner(sweep).Run(); }

}  // namespace assay::tools
