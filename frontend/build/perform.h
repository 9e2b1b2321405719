// Answers the requests of the OpenCL driver: compile, link, check (requests.h).
#pragma once

#include <string>

#include "frontend/build/requests.h"

namespace assay::frontend {

struct PerformOptions {
  base::ResourceLimits limits;  // of one request
  bool use_cache = true;
};

// Never fails: an error is an answer with a log.
BuildAnswer Perform(const Request& request, const PerformOptions& options);

}  // namespace assay::frontend
