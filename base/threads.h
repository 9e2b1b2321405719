// Distributes work over threads, also on a machine where no thread can be started; and what a
// thread has cost.
#pragma once

#include <algorithm>
#include <ctime>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace assay::base {

// How many threads to use where `asked` were asked for: as many as there are cores for 0.
inline int ThreadCount(int asked) {
  return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// The processor's time of the calling thread so far.
inline double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Calls work(0) on this thread and work(1) to work(threads - 1) on new threads, and returns when
// all have returned.  If the system has no more threads (EAGAIN), fewer are started: `work` must
// take items from a common counter, so that the started threads do all the work.  The first
// exception of a thread is rethrown here.
template <typename Work>
void RunOnThreads(int threads, const Work& work) {
  std::exception_ptr thrown;
  std::mutex mutex;
  const auto guarded = [&](int thread) {
    try {
      work(thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (thrown == nullptr) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
    } catch (const std::system_error&) {  // fewer, then
    } catch (const std::bad_alloc&) {
    }
    guarded(0);
  }
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace assay::base
