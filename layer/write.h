// Writes a captured launch: ASSAY_CAPTURE_DIR/<process>-<number>-<kernel>.json, a job for `assay
// run --job`, and <...>.capture.json beside it (docs/judge-layer.md has the members of both).
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.h"
#include "layer/capture.h"
#include "layer/snapshot.h"

namespace assay::layer {

inline constexpr char kCaptureSchema[] = "assay-capture/1";

struct CaptureText {
  std::uint64_t capture = 0;  // of this process, from 1
  std::uint64_t launch = 0;   // of the kernel, from 1
  cl_device_id device = nullptr;
  std::string missing;              // why there is no job; "": there is one
  std::vector<std::string> doubts;  // why the memory may have changed beside the launch
  const Snapshot* snapshot = nullptr;
};

// kDevice with the path where a file cannot be written.
Expected<void> WriteCapture(const std::string& folder, const LaunchCall& call,
                            const KernelRecord& kernel, const CaptureText& text);

}  // namespace assay::layer
