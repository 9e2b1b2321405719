// The options of the driver, from the environment.
#pragma once

#include <CL/cl.h>

#include "interp/execute/launch_options.h"
#include "interp/lower/session_options.h"

namespace assay::driver {

// Of every launch: seed, threads, limits.
interp::LaunchOptions LaunchSettings();
// Of every program: detectors, sub-group size, memory.
interp::SessionOptions SessionSettings();
// CL_DEVICE_TYPE of the device.
cl_device_type DeviceTypeSetting();
// Whether kernels are told of undefined bits that they use.
bool WatchesDefinedness();

}  // namespace assay::driver
