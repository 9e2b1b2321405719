// Executes commands, one at a time.
//
// A kernel uses all cores by itself, so nothing is gained by executing two commands together.  A
// thread that waits executes commands itself, so that a program that enqueues and waits needs no
// other thread.  The driver's own thread executes commands that were flushed while nobody waits.
// Functions of the application (callbacks) are called by another thread, which may wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "driver/objects/event.h"

namespace assay::driver {

class Scheduler {
 public:
  // All with the driver's lock held.

  // Takes a command with the events of its list, and others that come before it.
  void Add(std::unique_ptr<Command> command, const std::vector<Event*>& listed,
           const std::vector<Event*>& before);
  // An event that commands wait for has ended.
  void Ended(Event* event);
  // What is in the queue may be executed by the driver's thread.
  void Flush(Queue* queue);
  // Lets the driver's thread execute what was flushed.
  void Wake();
  // Executes commands, or waits for others who do, until `done` is true.
  void RunUntil(std::unique_lock<std::mutex>* lock, const std::function<bool()>& done);
  // Calls a function of the application soon, without the lock.
  void CallBack(std::function<void()> function);
  // Does something to what kernels see when no command is executed: now, if none is.
  void WhenIdle(std::function<void()> work);
  // Whether the command that is executed is to end soon.
  bool IsStopping() const { return is_stopping_; }
  // The process ends: functions of the application that are due are called, and the driver's thread
  // ends what it executes, and executes nothing any more.
  // Threads of the application may still do so: the destructors of its objects make calls, too.
  void EndThread(std::unique_lock<std::mutex>* lock);
  // In a child of fork(): its threads are gone.
  void ForgetThreads();

 private:
  bool ExecuteNext(std::unique_lock<std::mutex>* lock);
  void End(std::unique_ptr<Command> command, cl_int status);
  void MakeReady(std::unique_ptr<Command> command);
  void Work();
  void CallAll();

  std::deque<std::unique_ptr<Command>> ready_;
  std::unordered_map<Command*, std::unique_ptr<Command>> waiting_;
  std::vector<std::function<void()>> when_idle_;
  std::condition_variable has_work_;      // for the driver's thread
  std::condition_variable has_callback_;  // for the one that calls the application
  std::deque<std::function<void()>> callbacks_;
  bool is_executing_ = false;
  std::thread::id executor_;   // the thread that executes a command
  std::uint64_t flushed_ = 0;  // commands that are ready and flushed
  std::atomic<bool> is_stopping_ = false;
  bool has_ended_ = false;  // the driver's thread, for good
  bool is_worker_executing_ = false;
  bool has_worker_ = false;
  bool has_caller_ = false;
  bool is_calling_ = false;
  std::thread::id caller_;  // that calls the application
};

}  // namespace assay::driver
