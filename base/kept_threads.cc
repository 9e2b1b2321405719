#include "base/kept_threads.h"

#include <unistd.h>

#include <memory>
#include <mutex>

#include "base/thread_pool.h"
#include "base/threads.h"

namespace assay::base {
namespace {

struct Kept {
  std::mutex in_use;
  std::unique_ptr<ThreadPool> pool;
  pid_t owner = getpid();

  // A program may end, or unload this library, while a thread still works: its pool stays.
  ~Kept() {
    if (owner != getpid() || !in_use.try_lock()) {
      static_cast<void>(pool.release());
      return;
    }
    pool.reset();
    in_use.unlock();
  }
};

}  // namespace

void RunOnKeptThreads(int threads, const std::function<void(int thread)>& work) {
  if (threads <= 1) return work(0);
  static Kept kept;
  const std::unique_lock lock(kept.in_use, std::try_to_lock);
  if (!lock || kept.owner != getpid()) return RunOnThreads(threads, work);
  if (kept.pool == nullptr || kept.pool->threads() < threads) {
    kept.pool = std::make_unique<ThreadPool>(threads);
  }
  kept.pool->Run(work, threads);
}

}  // namespace assay::base
