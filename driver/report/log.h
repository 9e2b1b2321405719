// Where the driver tells what it finds: one log in a process.
//
// With ASSAY_REPORT_DIR a process has one file of JSON lines there (records.h), which is written
// while things are found.  Each line is one write() to the end of a file that is opened for it: so
// a process that is killed loses nothing but counts, one that closes all descriptors or puts others
// in their places does no harm, and the log owns no descriptor of the application.  Without it, or
// where the file cannot be written, the first findings go to stderr as text.
//
// Equal findings (the same rule at the same place) are written once and counted.  Counts are
// written at the end of the process and at times before it that are twice as far apart each time.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "driver/report/finding.h"
#include "driver/report/settings.h"

namespace assay::driver {

// All functions may be called from any thread.  After a fork the child has a file of its own, from
// its first finding on.
class Log {
 public:
  // The process's own, with the settings of its environment; never destroyed.  The first call
  // writes the first line, which says that this process uses the driver.
  static Log& Get();

  // For tests: of a process there is one.
  explicit Log(Settings settings);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  const Settings& settings() const;
  // False where nobody will see a finding: looking for it and its frames may be left out.
  bool IsOn() const;

  void Tell(const ApiFinding& finding);
  // The findings, and that it did not complete.
  void Tell(const LaunchFindings& launch);
  // A function of an extension was looked up, and there is none of this name.  Once for a name.
  void TellMissing(std::string_view name);
  // The counts, and that the process ends in order.
  void TellEnd(const ProcessEnd& end);

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace assay::driver
