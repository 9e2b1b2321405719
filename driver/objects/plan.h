// All that a launch needs.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "driver/objects/program.h"
#include "driver/report/frames.h"

namespace assay::driver {

// An argument with a reference to its object.
using BoundArgument = std::variant<std::vector<std::byte>, LocalSize, SvmPointer, Ref<Memory>,
                                   Ref<Sampler>, Ref<Queue>>;

// All that a launch needs, taken when it is enqueued: the kernel may get other arguments, and its
// program may be built again, before it runs.
struct Plan {
  std::shared_ptr<Executable> executable;
  std::shared_ptr<interp::Memory> memory;
  interp::LaunchRequest request;
  std::vector<BoundArgument> arguments;
  // Shared virtual memory of the context: any of it may be reached through pointers.
  std::vector<SvmAllocation> shared;
  Ref<Queue> default_queue;  // on the device
  std::vector<Ref<Queue>>
      queues;                // on the device, that it has as arguments, but for the default one
  std::uint64_t number = 0;  // in the process, from 1
  CallStack stack;           // of the call that enqueued it
  const char* call = "clEnqueueNDRangeKernel";  // its name
  std::vector<std::shared_ptr<Storage>> told;   // its arguments, and what else it was told of
};

// What one execution of a plan is compared with: a recorded kernel has several, which may overlap.
// The order is null where nothing is told of its accesses, and is not compared with others' where
// it is not known.
struct PlannedAccesses {
  std::shared_ptr<const Ordering> order;
  bool is_ordered = false;
  const Queue* on = nullptr;  // the event keeps it
  std::vector<std::pair<const Storage*, ActiveMapping>> mapped;
};

}  // namespace assay::driver
