// What the host gets of memory that nothing wrote.
#pragma once

#include <memory>
#include <string>

#include "driver/objects/memory.h"
#include "driver/objects/rectangle.h"
#include "driver/report/frames.h"

namespace assay::driver {

// A command that gives bytes of a memory object to the host.  Copies are of the same command.
class HostRead {
 public:
  // By the call that enqueues it.
  explicit HostRead(const char* call);
  // For the thread that executes the command: tells of elements in these rows, which begin at
  // Memory::bytes(), that no command has written, not even in part.
  void Tell(const Memory& from, const Rectangle& rows) const;

 private:
  const char* call_;
  std::shared_ptr<const CallStack> stack_;  // null: nobody asks
};

}  // namespace assay::driver
