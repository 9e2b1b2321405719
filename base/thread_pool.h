// Threads that stay, for work that comes again and again: starting sixteen threads takes half a
// millisecond.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::base {

class ThreadPool {
 public:
  // `threads`: the calling one among them.  They are started when there is work for the first time.
  explicit ThreadPool(int threads) : threads_(threads) {}
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls work(0) on this thread and work(1) to work(threads - 1) on the others, and returns when
  // all have returned.  If the system has no more threads, fewer are started: `work` must take
  // items from a common counter.  The first exception of a thread is rethrown here.  To be called
  // by one thread at a time.  `threads`: of the pool's, as many as it takes; 0: all.
  void Run(const std::function<void(int thread)>& work, int threads = 0);
  int threads() const { return threads_; }

 private:
  void Start();
  void Loop(int thread);
  void Call(int thread);

  const int threads_;
  bool started_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  std::deque<std::condition_variable> wake_;  // one for each of others_
  const std::function<void(int)>* work_ = nullptr;
  std::vector<std::uint64_t> rounds_;  // of each of others_: how often it was woken
  std::size_t busy_ = 0;
  bool ended_ = false;
  std::exception_ptr thrown_;
  std::vector<std::thread> others_;
};

}  // namespace assay::base
