#include "base/kept_threads.h"

#include <unistd.h>

#include <atomic>
#include <memory>

#include "base/thread_pool.h"
#include "base/threads.h"

namespace assay::base {
namespace {

struct Kept {
  std::atomic<bool> in_use{false};  // also asked by the thread that uses them: no mutex
  std::unique_ptr<ThreadPool> pool;
  pid_t owner = getpid();

  // A program may end, or unload this library, while a thread still works: its pool stays.
  ~Kept() {
    if (owner != getpid() || in_use.exchange(true)) static_cast<void>(pool.release());
  }
};

}  // namespace

void RunOnKeptThreads(int threads, const std::function<void(int thread)>& work) {
  if (threads <= 1) return work(0);
  static Kept kept;
  if (kept.owner != getpid() || kept.in_use.exchange(true)) return RunOnThreads(threads, work);
  const struct Release {
    ~Release() { in_use = false; }
    std::atomic<bool>& in_use;
  } release{kept.in_use};
  if (kept.pool == nullptr || kept.pool->threads() < threads) {
    kept.pool = std::make_unique<ThreadPool>(threads);
  }
  kept.pool->Run(work, threads);
}

}  // namespace assay::base
