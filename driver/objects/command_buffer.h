// Command buffers (OpenCL API, 5.17; cl_khr_command_buffer) and their mutable commands
// (cl_khr_command_buffer_mutable_dispatch).
#pragma once

#include <CL/cl_ext.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "driver/objects/program.h"
#include "driver/objects/queue.h"

namespace assay::driver {

class CommandBuffer;

// What a kernel's command was recorded with, and updated to.
struct MutableState {
  KernelState kernel;
  std::array<std::size_t, 3> offset = {};
  std::array<std::size_t, 3> global = {};
  std::array<std::size_t, 3> local = {};  // zeros: none
};

// The handle of a recorded kernel; it ends with its command buffer.
class MutableCommand : public Object {
 public:
  static constexpr Kind kKind = Kind::kMutableCommand;
  explicit MutableCommand(CommandBuffer* in) : Object(kKind), buffer(in) { ForgetReference(); }

  CommandBuffer* buffer;
  std::size_t place = 0;  // in CommandBuffer::commands
  Ref<Kernel> kernel;
  cl_uint dimensions = 0;
  MutableState state;
  std::vector<cl_properties> properties;     // as given, with the terminating zero
  cl_bitfield fields = 0;                    // that may be updated
  std::optional<std::uint64_t> most_groups;  // that were promised
};

struct RecordedCommand {
  // Shared with the executions that were enqueued: an update makes another one.
  std::shared_ptr<const Submission> submission;
  bool is_complete = true;  // all arguments of its kernel are set
  Ref<MutableCommand> handle = {};
};

class CommandBuffer : public Object {
 public:
  static constexpr Kind kKind = Kind::kCommandBuffer;
  explicit CommandBuffer(Queue* on) : Object(kKind), queue(on) {}

  Ref<Queue> queue;
  std::vector<cl_properties> properties;  // as given, with the terminating zero
  cl_properties flags = 0;                // CL_COMMAND_BUFFER_FLAGS_KHR
  cl_bitfield asserts = 0;                // CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR
  bool is_final = false;
  bool IsComplete() const {
    for (const RecordedCommand& command : commands) {
      if (!command.is_complete) return false;
    }
    return true;
  }
  // In the order of their recording, in which they are executed: what a command waits for was
  // recorded before it.  A synchronization point is a place in it, from 1.
  std::vector<RecordedCommand> commands;
  std::shared_ptr<const Ordering> last;  // of its last execution
};

}  // namespace assay::driver
