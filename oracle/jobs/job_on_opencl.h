// Runs a job (interp/job/job.h) on an OpenCL device, and returns the content of its buffers and
// images.
//
// The interpreter's tests compare with recorded results of drivers, and the benchmarks with their
// time; neither needs more of a host program than this one function.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"

namespace assay::oracle {

struct JobRunOptions {
  // How often the whole job runs, each time from its own initial buffers.  The outcome is the last
  // run's: some drivers compile at a kernel's first launch, and a second run has no part of that.
  int runs = 1;
};

// A launch that did not happen, because the device does not support the format of an image that it
// needs, or because it uses what such a launch would have made.
struct LeftOutLaunch {
  std::size_t launch = 0;  // place in Job::launches
  std::string kernel;
  std::string why;  // "CL_RG CL_HALF_FLOAT: not supported for images that kernels read"
};

struct JobOutcome {
  std::string device;                   // CL_DEVICE_NAME
  std::string driver;                   // CL_DRIVER_VERSION
  bool is_embedded = false;             // CL_DEVICE_PROFILE
  bool keeps_subnormal_floats = false;  // CL_FP_DENORM
  bool keeps_subnormal_halfs = false;
  std::vector<std::vector<std::byte>> buffers;  // as Job::buffers, after the last launch
  std::vector<LeftOutLaunch> left_out;          // of the last run, in the job's order
  // As Job::buffers: false where a launch that uses it was left out, so that its bytes are not what
  // the job gives.
  std::vector<bool> complete;
  double cpu_seconds = 0;  // of this process, all threads, from the first enqueue to the clFinish
  double seconds = 0;      // of the wall clock, in the same interval
};

// `platform` is "PLATFORM[:INDEX]" as in OpenOpenCl.  The job's one file is OpenCL C (.cl) or
// SPIR-V, binary or text, which is assembled here.  kUnsupported where the device takes no SPIR-V
// and where all launches are left out.
// kDevice, with the build log, where the device cannot.  A kernel's printf goes to this process's
// standard output, because drivers write it there.
Expected<JobOutcome> RunJobOnOpenCl(const interp::Job& job, const std::string& platform,
                                    const JobRunOptions& options = {});

}  // namespace assay::oracle
