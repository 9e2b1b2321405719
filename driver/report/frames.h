// The calls in the application that led to a call of the API.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "driver/report/finding.h"
#include "driver/report/python_frames.h"

namespace assay::driver {

inline constexpr int kMaxFrames = 64;

// The return addresses of the calls that a thread is in, innermost first: what is taken of every
// launch, because it costs a microsecond; their names are looked up for those that find something.
struct CallStack {
  std::array<void*, kMaxFrames> addresses;
  int count = 0;
  std::shared_ptr<const PythonFrames> python;  // null: none
};
CallStack CaptureStack();
// Without the calls of the library that this code is in, and of ICD loaders.  Calls of Python's
// functions stand in the place of those of its interpreter and of what started that.
std::vector<HostFrame> FramesOf(const CallStack& stack);

// The calls that the calling thread is in, innermost first, at most kMaxFrames, by glibc's
// backtrace() and dladdr(), as FramesOf has them: the first one is the application's call of the
// API.
std::vector<HostFrame> CaptureFrames();

// Whether the file of this path is an ICD loader: libOpenCL.so.1, or one that a package has
// brought, whose name has a digest (libOpenCL-1a2b3c4d.so.1.0.0).
bool IsLoader(std::string_view path);

}  // namespace assay::driver
