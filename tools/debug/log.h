// The file of `set logging`: a copy of the debugger's output.
#pragma once

#include <memory>
#include <string>

#include "base/expected.h"
#include "base/file.h"

namespace assay::tools {

class DebugLog {
 public:
  // Ends the log; call End to learn whether it was written.
  ~DebugLog();
  DebugLog() = default;
  DebugLog(const DebugLog&) = delete;
  DebugLog& operator=(const DebugLog&) = delete;

  std::string path = "assay-debug.txt";
  bool overwrites = false;  // false: append to the file
  bool redirects = false;   // output is logged and not shown

  bool is_on() const { return file_ != nullptr; }
  // kUsage or kDevice where the file cannot be read or made.
  Expected<void> Begin();
  // Does nothing if the log is off.  End reports a full disk.
  void Add(const std::string& text);
  // The file has its name from here on.  kDevice where it is not whole.
  Expected<void> End();

 private:
  std::unique_ptr<base::FileWriter> file_;
  Expected<void> state_;  // the first error
};

}  // namespace assay::tools
