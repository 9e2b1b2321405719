#include "driver/build/server_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "frontend/build/requests.h"

namespace assay::driver {
namespace {

std::string ErrnoText(int code) { return std::generic_category().message(code); }

tl::unexpected<Error> CannotStart(const std::string& program, int code) {
  return Fail(ErrorKind::kDevice,
              fmt::format("the build server {} cannot be started: {}", program, ErrnoText(code)));
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int Release() { return std::exchange(number_, -1); }

  // The application may have closed its standard streams: these numbers are then free, and its
  // output, or the server's, would go to the socket.
  bool MoveAboveStandard() {
    if (number_ > STDERR_FILENO) return true;
    const int moved = fcntl(number_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int code = errno;
    close(number_);
    number_ = moved;
    errno = code;
    return moved >= 0;
  }

 private:
  int number_;
};

// What the server and the compilers need.  Nothing else of the application's environment reaches
// them: libraries that are preloaded into it, its libraries' folders, locales, layers.
std::vector<std::string> ServerEnvironment() {
  std::vector<std::string> environment = {"LC_ALL=C"};
  for (const char* name : {"PATH", "HOME", "XDG_CACHE_HOME", "TMPDIR", "ASSAY_CACHE_SIZE",
                           "ASSAY_SANDBOX", "ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

std::vector<char*> Pointers(std::vector<std::string>* words) {
  std::vector<char*> pointers;
  for (std::string& word : *words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

class SpawnSetup {
 public:
  SpawnSetup() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  // Standard input is the socket; nothing is written to the application's streams.  0, or an errno.
  int Prepare(int socket) {
    int code = posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
    for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
      if (code != 0) return code;
      code = posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0);
    }
    // Descriptors that the application forgot to mark as its own would stay open in the server.
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    if (code != 0) return code;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    return posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

ServerProcess::ServerProcess(int socket) : socket_(socket), owner_(getpid()) {}

ServerProcess::~ServerProcess() { close(socket_); }

bool ServerProcess::IsOurs() const { return owner_ == getpid(); }

Expected<std::unique_ptr<ServerProcess>> ServerProcess::Start(const std::string& program) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return CannotStart(program, errno);
  }
  Descriptor ours(ends[0]), theirs(ends[1]);
  if (!ours.MoveAboveStandard() || !theirs.MoveAboveStandard()) return CannotStart(program, errno);
  SpawnSetup setup;
  if (const int code = setup.Prepare(theirs.get()); code != 0) return CannotStart(program, code);
  std::vector<std::string> words = {program, "build-server"};
  std::vector<std::string> environment = ServerEnvironment();
  const std::vector<char*> arguments = Pointers(&words);
  const std::vector<char*> variables = Pointers(&environment);
  pid_t pid = -1;
  const int code = posix_spawn(&pid, program.c_str(), &setup.actions, &setup.attributes,
                               arguments.data(), variables.data());
  if (code != 0) return CannotStart(program, code);
  // It forks the server and ends at once.  Where the application ignores SIGCHLD or waits for every
  // child it is reaped elsewhere, which is as good.
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return std::unique_ptr<ServerProcess>(new ServerProcess(ours.Release()));
}

Expected<std::string> ServerProcess::Ask(std::string_view request, double seconds) {
  if (auto sent = frontend::SendMessage(socket_, request, seconds); !sent) {
    return tl::unexpected(sent.error());
  }
  return frontend::ReceiveMessage(socket_, seconds);
}

}  // namespace assay::driver
