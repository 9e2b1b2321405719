#include "base/limits.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace assay::base {
namespace {

using Clock = Budget::Clock;

// A sanitizer's shadow memory is no use of ours.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCountsMemory = false;
#else
constexpr bool kCountsMemory = true;
#endif

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(seconds, 1e9)));
}

// Pages come in at up to some GB/s for each of a few threads: the next look is due before the
// distance to a limit can be gone.
Clock::duration NextLook(std::uint64_t left) {
  constexpr double kBytesPerSecond = 8e9;
  return Seconds(std::clamp(static_cast<double>(left) / kBytesPerSecond, 0.005, 0.25));
}

std::string TimeSentence(const RunLimits& limits, const std::string& doing) {
  return fmt::format("the time limit of {:g} s (--timeout) was reached{}{}", limits.seconds,
                     doing.empty() ? "" : " while ", doing);
}

std::string MemorySentence(const RunLimits& limits, const std::string& doing) {
  return fmt::format("the memory limit of {} (--max-memory) was reached{}{}",
                     FormatBytes(limits.memory_bytes), doing.empty() ? "" : " while ", doing);
}

}  // namespace

std::uint64_t DefaultMemoryLimit(std::uint64_t most) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return most;
  return std::min(most,
                  static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4 * 3);
}

std::uint64_t ResidentBytes(int process) {
  char path[32] = "/proc/self/statm";
  if (process != 0) fmt::format_to(path, "/proc/{}/statm{}", process, '\0');
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128] = {};
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (got <= 0) return 0;
  char* end = nullptr;
  (void)std::strtoull(text, &end, 10);  // the size of the address space
  return std::strtoull(end, nullptr, 10) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string FormatBytes(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"GiB", "MiB", "KiB"};
  for (int i = 0; i < 3; ++i) {
    const int shift = 30 - 10 * i;
    if (bytes >> shift != 0 && bytes % (std::uint64_t{1} << shift) == 0) {
      return fmt::format("{} {}", bytes >> shift, kUnits[i]);
    }
  }
  return fmt::format("{} bytes", bytes);
}

struct Budget::Watch {
  Watch(const RunLimits& limits, std::optional<Clock::time_point> deadline, Overrun overrun)
      : limits(limits), overrun(std::move(overrun)), deadline(deadline) {
    if (kCountsMemory && limits.memory_bytes != 0) {
      soft = limits.memory_bytes + kProgramBytes;
      hard = limits.memory_bytes + limits.memory_bytes / 10 + 2 * kProgramBytes;
    }
    if (soft == 0 && (!deadline || !this->overrun)) return;
    try {
      thread = std::thread([this] { Run(); });
    } catch (const std::system_error&) {
      // No thread can be had: the limits hold where work asks for them.
    }
  }
  ~Watch() {
    // A forked copy of the process has no such thread, and must not wait for its lock.
    if (IsForeign()) {
      if (thread.joinable()) thread.detach();
      (void)lock_.release();
      return;
    }
    {
      const std::lock_guard lock(mutex());
      ended = true;
    }
    lock_->wake.notify_all();
    if (thread.joinable()) thread.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  struct Lock {
    std::mutex mutex;
    std::condition_variable wake;
  };
  // In a forked copy of the process that watches.
  bool IsForeign() const { return process != getpid(); }
  std::mutex& mutex() { return lock_->mutex; }

  void Run();
  // The message, if a limit is far exceeded.
  std::string FarBeyond(std::uint64_t resident) const {
    if (hard != 0 && resident > hard) return MemorySentence(limits, doing);
    if (deadline && Clock::now() > *deadline + Seconds(kOverrunSeconds)) {
      return TimeSentence(limits, doing);
    }
    return "";
  }

  const RunLimits limits;
  const Overrun overrun;
  std::uint64_t soft = 0, hard = 0;  // resident bytes; 0: no limit
  std::atomic<bool> memory_exceeded = false;
  const pid_t process = getpid();
  std::unique_ptr<Lock> lock_ = std::make_unique<Lock>();  // of what follows
  bool ended = false;
  std::optional<Clock::time_point> deadline;
  std::string doing;
  std::thread thread;
};

void Budget::Watch::Run() {
  std::unique_lock lock(mutex());
  while (!ended) {
    const std::uint64_t resident = soft == 0 ? 0 : ResidentBytes();
    const bool exceeded = soft != 0 && resident > soft;
    memory_exceeded = exceeded;
    if (overrun) {
      if (const std::string message = FarBeyond(resident); !message.empty()) {
        lock.unlock();
        overrun(message);
        return;
      }
    }
    Clock::time_point next = Clock::now() + Seconds(3600);
    if (soft != 0) {
      next = Clock::now() + NextLook(exceeded ? 0 : soft - resident);
    }
    if (deadline) next = std::min(next, *deadline + Seconds(kOverrunSeconds));
    lock_->wake.wait_until(lock, next);
  }
}

Budget Budget::Start(const RunLimits& limits, Overrun overrun) {
  Budget budget;
  budget.limits_ = limits;
  if (limits.seconds > 0) budget.deadline_ = Clock::now() + Seconds(limits.seconds);
  budget.watch_ = std::make_shared<Watch>(limits, budget.deadline_, std::move(overrun));
  return budget;
}

Budget Budget::Renewed() const {
  Budget budget = WithoutTime();
  budget.limits_ = limits_;
  if (limits_.seconds > 0) budget.deadline_ = Clock::now() + Seconds(limits_.seconds);
  return budget;
}

Budget Budget::WithoutTime() const {
  Budget budget = *this;
  budget.limits_.seconds = 0;
  budget.deadline_.reset();
  if (watch_ && !watch_->IsForeign()) {
    const std::lock_guard lock(watch_->mutex());
    watch_->deadline.reset();
  }
  return budget;
}

bool Budget::IsMemoryExceeded() const {
  return watch_ && watch_->memory_exceeded.load(std::memory_order_relaxed);
}

std::string Budget::WhatIsDone() const {
  if (!watch_ || watch_->IsForeign()) return "";
  const std::lock_guard lock(watch_->mutex());
  return watch_->doing;
}

tl::unexpected<Error> Budget::Reached() const {
  if (IsMemoryExceeded()) return MemoryReached();
  return Fail(ErrorKind::kDevice, TimeSentence(limits_, WhatIsDone()));
}

tl::unexpected<Error> Budget::MemoryReached() const {
  return Fail(ErrorKind::kDevice, MemorySentence(limits_, WhatIsDone()));
}

Expected<void> Budget::Fits(std::uint64_t bytes, std::string_view what) const {
  if (limits_.memory_bytes == 0) return {};
  const std::uint64_t resident = kCountsMemory ? ResidentBytes() : 0;
  const std::uint64_t used = resident - std::min(resident, kProgramBytes);
  if (bytes <= limits_.memory_bytes && used <= limits_.memory_bytes - bytes) return {};
  return Fail(ErrorKind::kDevice,
              fmt::format("{} needs {} bytes; with the {} in use that is more than the limit of {} "
                          "(--max-memory)",
                          what, bytes, used, FormatBytes(limits_.memory_bytes)));
}

RunLimits Budget::Left() const {
  RunLimits left = limits_;
  if (deadline_) {
    left.seconds =
        std::max(0.001, std::chrono::duration<double>(*deadline_ - Clock::now()).count());
  }
  if (left.memory_bytes != 0 && kCountsMemory) {
    const std::uint64_t used = ResidentBytes();
    left.memory_bytes += kProgramBytes;
    left.memory_bytes -= std::min(left.memory_bytes - (std::uint64_t{1} << 20), used);
  }
  return left;
}

Doing::Doing(const Budget& budget, std::string what) : watch_(budget.watch_) {
  if (!watch_ || watch_->IsForeign()) return;
  const std::lock_guard lock(watch_->mutex());
  before_ = std::exchange(watch_->doing, std::move(what));
}

Doing::~Doing() {
  if (!watch_ || watch_->IsForeign()) return;
  const std::lock_guard lock(watch_->mutex());
  watch_->doing = std::move(before_);
}

}  // namespace assay::base
