// A job on an OpenCL driver, in a process of its own.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/expected.h"
#include "interp/job/job.h"

namespace assay::tools {

struct DriverAnswer {
  std::string device, driver;
  bool keeps_subnormal_floats = false, keeps_subnormal_halves = false, is_embedded = false;
  std::vector<std::vector<std::byte>> buffers;
  std::map<std::size_t, std::string> left_out;  // launches, and why
};

// kInternal where the process ends without an answer, kDevice where the time is up.
Expected<DriverAnswer> RunOnDriver(const interp::Job& job, const std::string& platform,
                                   double timeout);

}  // namespace assay::tools
