// Semaphores (OpenCL API, 5.13; cl_khr_semaphore).
#pragma once

#include <CL/cl_ext.h>

#include <deque>
#include <vector>

#include "driver/objects/event.h"

namespace assay::driver {

// A binary semaphore.  A command that waits for it waits for the event of the command that signals
// it, in the order in which both are enqueued.
class Semaphore : public Object {
 public:
  static constexpr Kind kKind = Kind::kSemaphore;
  explicit Semaphore(Context* in) : Object(kKind), context(in) {}

  bool BelongsTo(const Device* device) const;

  Ref<Context> context;
  std::vector<Ref<Device>> devices;
  std::vector<cl_semaphore_properties_khr> properties;  // as given, with the terminating zero
  cl_semaphore_payload_khr payload = 0;                 // 1: signaled
  // Commands that signal it, for which no wait was enqueued yet.
  std::deque<Ref<Event>> signals;
  // User events of waits for which no signal was enqueued yet.
  std::deque<Ref<Event>> waits;
};

}  // namespace assay::driver
