#include "base/thread_pool.h"

#include <new>
#include <system_error>
#include <utility>

namespace assay::base {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : others_) thread.join();
}

void ThreadPool::Start() {
  started_ = true;
  try {
    for (int thread = 1; thread < threads_; ++thread) {
      others_.emplace_back([this, thread] { Loop(thread); });
    }
  } catch (const std::system_error&) {  // fewer, then
  } catch (const std::bad_alloc&) {
  }
}

void ThreadPool::Call(int thread) {
  try {
    (*work_)(thread);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (thrown_ == nullptr) thrown_ = std::current_exception();
  }
}

void ThreadPool::Loop(int thread) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ended_ || round_ != seen; });
    if (ended_) return;
    seen = round_;
    lock.unlock();
    Call(thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::Run(const std::function<void(int thread)>& work) {
  if (!started_) Start();
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = others_.size();
    ++round_;
  }
  wake_.notify_all();
  Call(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace assay::base
