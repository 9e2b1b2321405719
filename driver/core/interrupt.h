// Ctrl-C while a kernel runs.
//
// The application's signals are its own.  But a kernel that never ends would keep an application
// with a handler from seeing Ctrl-C (the interpreter of Python looks when the call has returned),
// and would take what was found with it where there is no handler.  So while a kernel runs, SIGINT
// and SIGTERM end it first: then what was found is told, and the signal does what it does there.
#pragma once

namespace assay::driver {

// While a command executes a kernel; one at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  // What the application has set holds again.  Where that is the default, a signal that came ends
  // the process now.
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // Whether a signal has come.
  static bool IsInterrupted();
};

}  // namespace assay::driver
