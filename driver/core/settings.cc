#include "driver/core/settings.h"

#include "driver/report/log.h"

namespace assay::driver {

interp::LaunchOptions LaunchSettings() {
  const Settings& settings = Log::Get().settings();
  interp::LaunchOptions options;
  options.seed = settings.seed;
  options.threads = settings.threads;
  options.max_instructions = settings.max_instructions;
  options.timeout_seconds = settings.timeout_seconds;
  // An application goes on after any number of findings.
  options.max_findings = std::size_t{1} << 20;
  return options;
}

interp::SessionOptions SessionSettings() {
  const Settings& settings = Log::Get().settings();
  interp::SessionOptions options;
  if (settings.checks) options.detectors = settings.detectors;
  options.placement_seed = settings.seed;
  options.subgroup_size = settings.subgroup_size;
  if (settings.max_memory != 0) options.max_memory = settings.max_memory;
  return options;
}

cl_device_type DeviceTypeSetting() {
  switch (Log::Get().settings().device_type) {
    case DeviceType::kCpu:
      return CL_DEVICE_TYPE_CPU;
    case DeviceType::kGpu:
      return CL_DEVICE_TYPE_GPU;
    case DeviceType::kAccelerator:
      return CL_DEVICE_TYPE_ACCELERATOR;
  }
  return CL_DEVICE_TYPE_CPU;
}

bool WatchesDefinedness() {
  const Settings& settings = Log::Get().settings();
  return settings.checks && settings.detectors.Has(interp::Detector::kDefinedness);
}

}  // namespace assay::driver
