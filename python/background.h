// Work without the global interpreter lock that Ctrl-C can end.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace assay::python {

// Runs `work` on another thread, while this one looks for signals as Python does.  After a signal
// whose handler raises (KeyboardInterrupt), `stop` is set, the work's end is awaited, and the
// exception goes on.  Called with the lock held.
template <typename Work>
void RunInBackground(std::atomic<bool>* stop, const Work& work) {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  std::exception_ptr thrown;
  bool is_interrupted = false;
  {
    const pybind11::gil_scoped_release released;
    std::thread worker([&] {
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      is_done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_done; })) {
      if (is_interrupted) continue;
      lock.unlock();
      {
        const pybind11::gil_scoped_acquire acquired;
        is_interrupted = PyErr_CheckSignals() != 0;
        if (is_interrupted) stop->store(true);
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (is_interrupted) throw pybind11::error_already_set();
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

}  // namespace assay::python
