#include "driver/core/driver.h"

#include <pthread.h>

namespace assay::driver {

namespace {

// A child of fork() has only the thread that called it, so the lock must be free in it.
void BeforeFork() { Driver::Get().mutex.lock(); }
void AfterForkInParent() { Driver::Get().mutex.unlock(); }
void AfterForkInChild() {
  Driver::Get().StartAgainAfterFork();
  Driver::Get().mutex.unlock();
}

}  // namespace

Driver& Driver::Get() {
  static Driver* const driver = new Driver;
  static std::once_flag started;
  // A thread that starts the driver asks for it again: it must not wait for itself.
  static thread_local bool is_starting = false;
  if (!is_starting) {
    std::call_once(started, [] {
      is_starting = true;
      pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);
      Start(driver);
      is_starting = false;
    });
  }
  return *driver;
}

}  // namespace assay::driver
