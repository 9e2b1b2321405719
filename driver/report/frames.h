// The calls in the application that led to a call of the API.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "driver/report/finding.h"

namespace assay::driver {

inline constexpr int kMaxFrames = 64;

// The return addresses of the calls that a thread is in, innermost first: what is taken of every
// launch, because it costs a microsecond; their names are looked up for those that find something.
struct CallStack {
  std::array<void*, kMaxFrames> addresses;
  int count = 0;
};
CallStack CaptureStack();
// Without the calls of the library that this code is in, and of ICD loaders (libOpenCL).
std::vector<HostFrame> FramesOf(const CallStack& stack);

// The calls that the calling thread is in, innermost first, at most kMaxFrames, by glibc's
// backtrace() and dladdr().  Without those of the library that this code is in, and of ICD loaders
// (libOpenCL): the first one is the application's call of the API.
std::vector<HostFrame> CaptureFrames();

}  // namespace assay::driver
