#include "base/leftovers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>

namespace assay::base {
namespace {

// A signal may come at any time: fixed places, each taken and given back by one atomic store.
struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> ready{false};
  pid_t owner = 0;  // a fork must not clean up for the process that it was copied from
  pid_t group = 0;
  char folder[1024] = {};
};

constexpr int kSlots = 256;
std::array<Slot, kSlots> g_slots;

// Where getdents64 puts an entry's length and name.
constexpr long kLengthOffset = 16;
constexpr long kNameOffset = 19;

// opendir allocates, so the kernel is asked directly.  Programs that write there make folders at
// most a few levels deep.
void Empty(int folder, int depth) noexcept {
  alignas(std::uint64_t) char buffer[2048];
  for (int tries = 0; tries < 10000; ++tries) {
    // Start again, because a removal shifts the other entries.
    lseek(folder, 0, SEEK_SET);
    const long size = syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    bool removed = false;
    for (long at = 0; at < size;) {
      const char* name = buffer + at + kNameOffset;
      unsigned short length = 0;
      std::memcpy(&length, buffer + at + kLengthOffset, sizeof length);
      at += length;
      if (std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0) continue;
      if (unlinkat(folder, name, 0) == 0) {
        removed = true;
        continue;
      }
      if ((errno != EISDIR && errno != EPERM) || depth == 0) continue;
      const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (inner < 0) continue;
      Empty(inner, depth - 1);
      close(inner);
      removed = unlinkat(folder, name, AT_REMOVEDIR) == 0 || removed;
    }
    if (!removed) return;
  }
}

void RemoveFolder(const char* path) noexcept {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  Empty(folder, 3);
  close(folder);
  rmdir(path);
}

void OnSignal(int number) {
  RemoveLeftovers();
  signal(number, SIG_DFL);
  raise(number);
}

// Only for signals that have no handler and are not ignored.
void HandleSignals() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now = {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours = {};
    ours.sa_handler = OnSignal;
    sigfillset(&ours.sa_mask);
    sigaction(number, &ours, nullptr);
  }
}

int Take(const std::string& folder, pid_t group) {
  HandleSignals();
  for (int i = 0; i < kSlots; ++i) {
    Slot& slot = g_slots[static_cast<std::size_t>(i)];
    if (folder.size() >= sizeof slot.folder) return -1;
    if (slot.taken.exchange(true)) continue;
    slot.owner = getpid();
    slot.group = group;
    std::memcpy(slot.folder, folder.c_str(), folder.size() + 1);
    slot.ready.store(true);
    return i;
  }
  return -1;
}

}  // namespace

Leftover::Leftover(const std::string& folder) : slot_(Take(folder, 0)) {}
Leftover::Leftover(pid_t group) : slot_(Take("", group)) {}

Leftover::~Leftover() {
  if (slot_ < 0) return;
  Slot& slot = g_slots[static_cast<std::size_t>(slot_)];
  slot.ready.store(false);
  slot.taken.store(false);
}

void RemoveLeftovers() noexcept {
  const pid_t self = getpid();
  // The programs first: they may still write into the folders.
  for (const Slot& slot : g_slots) {
    if (slot.ready.load() && slot.owner == self && slot.group > 0) kill(-slot.group, SIGKILL);
  }
  for (const Slot& slot : g_slots) {
    if (slot.ready.load() && slot.owner == self && slot.folder[0] != '\0') {
      RemoveFolder(slot.folder);
    }
  }
}

}  // namespace assay::base
