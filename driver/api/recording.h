// What every function that records a command into a command buffer is given.
#pragma once

#include "driver/core/call.h"
#include "driver/objects/command_buffer.h"

namespace assay::driver::api {

struct Recorded {
  cl_command_buffer_khr buffer;
  cl_command_queue queue;
  const cl_properties* properties;
  cl_uint num_points;
  const cl_sync_point_khr* points;
  cl_sync_point_khr* point;
  void** mutable_handle;
};

// The command buffer; properties and the handle are not looked at.
CommandBuffer& FindRecording(Call* call, const Recorded& given);

// Two threads must not be in clFinalizeCommandBufferKHR and clUpdateMutableCommandsKHR for it.
void TellConcurrentChange(const char* call, const ObjectChange& change,
                          const CommandBuffer& buffer);

}  // namespace assay::driver::api
