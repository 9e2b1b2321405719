#include "driver/objects/scheduler.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include "driver/core/call.h"
#include "driver/core/driver.h"
#include "driver/objects/queue.h"

namespace assay::driver {

void Scheduler::Add(std::unique_ptr<Command> command, const std::vector<Event*>& listed,
                    const std::vector<Event*>& before) {
  Command* added = command.get();
  const auto wait_for = [&](Event* event, bool is_listed) {
    if (event->IsDone()) {
      added->has_failed_wait |= is_listed && event->status < 0;
      return;
    }
    ++added->waits;
    event->dependents.push_back({added, is_listed});
  };
  for (Event* event : listed) wait_for(event, true);
  for (Event* event : before) wait_for(event, false);
  if (added->waits == 0) {
    MakeReady(std::move(command));
  } else {
    waiting_.emplace(added, std::move(command));
  }
}

void Scheduler::MakeReady(std::unique_ptr<Command> command) {
  const bool is_flushed = command->is_flushed;
  if (is_flushed) ++flushed_;
  ready_.push_back(std::move(command));
  // Whoever executes a command now goes on with this one, or wakes the driver's thread.
  if (is_flushed && !is_executing_) Wake();
  if (!is_executing_) Driver::Get().changed.notify_all();
}

void Scheduler::Ended(Event* event) {
  const std::vector<Event::Dependent> dependents = std::move(event->dependents);
  event->dependents.clear();
  for (const auto& [command, is_listed] : dependents) {
    command->has_failed_wait |= is_listed && event->status < 0;
    if (--command->waits != 0) continue;
    const auto found = waiting_.find(command);
    std::unique_ptr<Command> owned = std::move(found->second);
    waiting_.erase(found);
    MakeReady(std::move(owned));
  }
}

void Scheduler::Flush(Queue* queue) {
  queue->flushed = queue->enqueued;
  for (Event* event : queue->pending) {
    if (event->status == CL_QUEUED) event->SetStatus(CL_SUBMITTED);
  }
  for (const auto& command : ready_) {
    if (command->queue.get() != queue || command->is_flushed) continue;
    command->is_flushed = true;
    ++flushed_;
  }
  for (const auto& [command, owned] : waiting_) {
    if (command->queue.get() == queue) command->is_flushed = true;
  }
}

void Scheduler::Wake() {
  if (flushed_ == 0 || has_ended_) return;
  if (!has_worker_) {
    has_worker_ = true;
    std::thread([this] { Work(); }).detach();
  }
  has_work_.notify_one();
}

void Scheduler::End(std::unique_ptr<Command> command, cl_int status) {
  const Ref<Event> event = command->event;
  if (command->queue) {
    auto& pending = command->queue->pending;
    const auto place = std::find(pending.begin(), pending.end(), event.get());
    if (place != pending.end()) pending.erase(place);
    if (command->queue->barrier == event) command->queue->barrier = nullptr;
  }
  event->times[3] = event->times[4] = Now();
  event->SetStatus(status);
  command.reset();
}

bool Scheduler::ExecuteNext(std::unique_lock<std::mutex>* lock) {
  if (is_executing_ || ready_.empty()) return false;
  std::unique_ptr<Command> command = std::move(ready_.front());
  ready_.pop_front();
  if (command->is_flushed) --flushed_;
  if (command->has_failed_wait) {
    End(std::move(command), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return true;
  }
  if (command->event->status == CL_QUEUED) command->event->SetStatus(CL_SUBMITTED);
  command->event->times[2] = Now();
  command->event->SetStatus(CL_RUNNING);
  // A function of the application is called, which knows by that what has ended.
  const cl_command_type type = command->event->type;
  if (type == CL_COMMAND_NATIVE_KERNEL || type == CL_COMMAND_SVM_FREE) command->event->Saw();
  cl_int status = CL_SUCCESS;
  if (command->work) {
    is_executing_ = true;
    executor_ = std::this_thread::get_id();
    lock->unlock();
    try {
      status = command->work();
    } catch (...) {
      status = CodeOfException("a command");  // no thread may end with it
    }
    lock->lock();
    executor_ = {};
    is_executing_ = false;
    // What was put off is done before anybody executes anything else.
    const std::vector<std::function<void()>> postponed = std::move(when_idle_);
    when_idle_.clear();
    for (const auto& work : postponed) work();
    Driver::Get().TellPostponed();
  }
  End(std::move(command), status == CL_SUCCESS ? CL_COMPLETE : status);
  Driver::Get().changed.notify_all();
  return true;
}

void Scheduler::RunUntil(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done) {
  while (!done()) {
    if (!ExecuteNext(lock)) Driver::Get().changed.wait(*lock);
  }
  if (!is_executing_) Wake();
}

void Scheduler::Work() {
  const Driver::InCall in_call;
  std::unique_lock lock(Driver::Get().mutex);
  while (!has_ended_) {
    has_work_.wait(lock, [this] { return has_ended_ || (flushed_ != 0 && !is_executing_); });
    if (has_ended_) return;
    is_worker_executing_ = true;
    ExecuteNext(&lock);
    is_worker_executing_ = false;
  }
}

void Scheduler::CallBack(std::function<void()> function) {
  callbacks_.push_back(std::move(function));
  if (!has_caller_) {
    has_caller_ = true;
    std::thread([this] { CallAll(); }).detach();
  }
  has_callback_.notify_one();
}

void Scheduler::CallAll() {
  std::unique_lock lock(Driver::Get().mutex);
  caller_ = std::this_thread::get_id();
  for (;;) {
    is_calling_ = false;
    if (callbacks_.empty() && has_ended_) Driver::Get().changed.notify_all();
    has_callback_.wait(lock, [this] { return !callbacks_.empty(); });
    is_calling_ = true;
    std::function<void()> function = std::move(callbacks_.front());
    callbacks_.pop_front();
    lock.unlock();
    function();
    lock.lock();
    function = nullptr;  // it may have had references
  }
}

void Scheduler::WhenIdle(std::function<void()> work) {
  if (is_executing_) {
    when_idle_.push_back(std::move(work));
  } else {
    work();
  }
}

void Scheduler::EndThread(std::unique_lock<std::mutex>* lock) {
  has_ended_ = true;
  // What is to be called is called before, but by a function that ends the process itself; and not
  // for long, because it may wait for this thread.
  if (has_caller_ && caller_ != std::this_thread::get_id()) {
    Driver::Get().changed.wait_for(*lock, std::chrono::seconds(1),
                                   [this] { return callbacks_.empty() && !is_calling_; });
  }
  // A function of the application that a command calls (a native kernel) may end the process
  // itself.
  if (executor_ == std::this_thread::get_id() || !is_worker_executing_) return;
  is_stopping_ = true;
  Driver::Get().changed.wait(*lock, [this] { return !is_executing_; });
  is_stopping_ = false;
}

void Scheduler::ForgetThreads() {
  // Threads that are gone still count as waiting: new ones, without ending the old.
  new (&Driver::Get().changed) std::condition_variable;
  new (&has_work_) std::condition_variable;
  new (&has_callback_) std::condition_variable;
  executor_ = {};
  caller_ = {};
  is_calling_ = false;
  is_worker_executing_ = false;
  has_worker_ = false;
  has_caller_ = false;
  is_executing_ = false;
}

}  // namespace assay::driver
