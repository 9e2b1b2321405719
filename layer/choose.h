// Which launches are captured.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/expected.h"

namespace assay::layer {

// Environment variables, which `assay exec --judge` sets.  Without the folder nothing is captured.
struct Settings {
  std::string folder;                // ASSAY_CAPTURE_DIR
  std::vector<std::string> kernels;  // ASSAY_CAPTURE_KERNEL: names with commas; empty: all
  std::uint64_t every = 0;           // ASSAY_CAPTURE_EVERY: each N-th launch of a kernel
  std::uint64_t first = 0;           // ASSAY_CAPTURE_FIRST: the first N launches of a kernel
  double budget_seconds = 0;         // ASSAY_CAPTURE_BUDGET: for all captures; 0: no limit
  std::uint64_t max_bytes = std::uint64_t{256} << 20;  // ASSAY_CAPTURE_BYTES: of one launch
  cl_device_type device_type = 0;  // ASSAY_DEVICE_TYPE: what all devices say they are; 0: the truth
  double wait_seconds = 2;  // ASSAY_CAPTURE_WAIT: how long a capture waits for other commands
};

// kUsage with the variable, its value and what it may be.
Expected<Settings> ReadSettings();

struct LaunchCounter {
  std::atomic<std::uint64_t> launches = 0;
};

// Is launch `number` (from 1) of a kernel to be captured?  With neither `every` nor `first`: the
// launches 1, 10, 100, ...
bool IsChosen(const Settings& settings, std::uint64_t number);
bool IsKernelChosen(const Settings& settings, const std::string& kernel);

// The counters of kernels, by program and name: an application that makes the same kernel again
// continues to count.
class LaunchCounters {
 public:
  std::shared_ptr<LaunchCounter> Of(const std::string& digest, const std::string& kernel);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<LaunchCounter>> counters_;
};

}  // namespace assay::layer
