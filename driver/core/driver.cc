#include "driver/core/driver.h"

#include <pthread.h>

#include "driver/report/log.h"

namespace assay::driver {

namespace {

thread_local int calls_of_thread = 0;

// A child of fork() has only the thread that called it, so the locks must be free in it.
void BeforeFork() {
  Driver::Get().mutex.lock();
  Driver::Get().changes_mutex.lock();
}
void AfterFork() {
  Driver::Get().changes_mutex.unlock();
  Driver::Get().mutex.unlock();
}
void AfterForkInChild() {
  Driver::Get().changes.clear();  // of threads that are gone
  Driver::Get().StartAgainAfterFork();
  AfterFork();
}

}  // namespace

bool Driver::IsInCall() { return calls_of_thread != 0; }
Driver::InCall::InCall() { ++calls_of_thread; }
Driver::InCall::~InCall() { --calls_of_thread; }

Driver& Driver::Get() {
  static Driver* const driver = new Driver;
  static std::once_flag started;
  // A thread that starts the driver asks for it again: it must not wait for itself.
  static thread_local bool is_starting = false;
  if (!is_starting) {
    std::call_once(started, [] {
      is_starting = true;
      // Its functions are registered first, and so take its locks last: after the driver's, as
      // calls do.
      (void)Log::Get();
      pthread_atfork(BeforeFork, AfterFork, AfterForkInChild);
      Start(driver);
      is_starting = false;
    });
  }
  return *driver;
}

}  // namespace assay::driver
