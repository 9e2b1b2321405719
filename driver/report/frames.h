// The calls in the application that led to a call of the API.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/report/finding.h"

namespace assay::driver {

inline constexpr int kMaxFrames = 64;

// The calls that the calling thread is in, innermost first, at most kMaxFrames, by glibc's
// backtrace() and dladdr().  Without those of the library that this code is in, and of ICD loaders
// (libOpenCL): the first one is the application's call of the API.
std::vector<HostFrame> CaptureFrames();

}  // namespace assay::driver
