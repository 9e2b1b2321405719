#include "base/thread_pool.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

namespace assay::base {

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  for (std::condition_variable& wake : wake_) wake.notify_one();
  for (std::thread& thread : others_) thread.join();
}

void ThreadPool::Start() {
  started_ = true;
  const auto most = static_cast<std::size_t>(std::max(threads_ - 1, 0));
  for (std::size_t i = 0; i < most; ++i) wake_.emplace_back();
  rounds_.resize(most);
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
  const auto own = static_cast<std::size_t>(thread - 1);
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_[own].wait(lock, [&] { return ended_ || rounds_[own] != seen; });
    if (ended_) return;
    seen = rounds_[own];
    lock.unlock();
    Call(thread);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::Run(const std::function<void(int thread)>& work, int threads) {
  if (!started_) Start();
  const std::size_t wanted = threads > 0
                                 ? std::min(others_.size(), static_cast<std::size_t>(threads - 1))
                                 : others_.size();
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = wanted;
    for (std::size_t i = 0; i < wanted; ++i) ++rounds_[i];
  }
  for (std::size_t i = 0; i < wanted; ++i) wake_[i].notify_one();
  Call(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace assay::base
