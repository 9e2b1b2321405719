// Command buffers (OpenCL API, 5.17; cl_khr_command_buffer).
#pragma once

#include <CL/cl_ext.h>

#include <memory>
#include <vector>

#include "driver/objects/queue.h"

namespace assay::driver {

class CommandBuffer : public Object {
 public:
  static constexpr Kind kKind = Kind::kCommandBuffer;
  explicit CommandBuffer(Queue* on) : Object(kKind), queue(on) {}

  Ref<Queue> queue;
  std::vector<cl_properties> properties;  // as given, with the terminating zero
  bool is_final = false;
  // In the order of their recording, in which they are executed: what a command waits for was
  // recorded before it.  A synchronization point is a place in it, from 1.
  std::vector<Submission> commands;
  std::shared_ptr<const Ordering> last;  // of its last execution
};

}  // namespace assay::driver
