// The file of `set logging`: a copy of the debugger's output.
#pragma once

#include <memory>
#include <string>

#include "base/expected.h"
#include "base/file.h"

namespace assay::tools {

class DebugLog {
 public:
  // What was not ended is ended; who must know whether it was written calls End.
  ~DebugLog();
  DebugLog() = default;
  DebugLog(const DebugLog&) = delete;
  DebugLog& operator=(const DebugLog&) = delete;

  std::string path = "assay-debug.txt";
  bool overwrites = false;  // else it goes on behind what the file has
  bool redirects = false;   // what is logged is not shown

  bool is_on() const { return file_ != nullptr; }
  // kUsage or kDevice where the file cannot be read or made.
  Expected<void> Begin();
  // Nothing where it is off.  That a disk is full is told by End.
  void Add(const std::string& text);
  // The file has its name from here on.  kDevice where it is not whole.
  Expected<void> End();

 private:
  std::unique_ptr<base::FileWriter> file_;
  Expected<void> state_;  // the first error
};

}  // namespace assay::tools
