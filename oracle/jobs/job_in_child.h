// A job on an OpenCL device in a process of its own: what a driver does to it is the child's alone.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/expected.h"
#include "oracle/jobs/job_on_opencl.h"

namespace assay::oracle {

struct JobChild {
  double seconds = 60;
  std::string_view what = "a job on the driver";  // for messages
  // Nothing that the driver or its compiler prints is shown, and PoCL keeps nothing that it
  // compiles.
  bool is_quiet = false;
  const std::atomic<bool>* stop = nullptr;  // as InChild's
};

// As RunJobOnOpenCl, without times and `complete`.  An error of InChild where the process ends
// without an answer.
Expected<JobOutcome> RunJobInChild(const interp::Job& job, const std::string& platform,
                                   const JobChild& child);

}  // namespace assay::oracle
