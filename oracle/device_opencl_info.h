// Platforms and devices of the OpenCL loader: finding one, and what it declares of itself.
#pragma once

#include <string>
#include <vector>

#include "numerics/expected.h"
#include "oracle/device.h"
#include "oracle/opencl_loader.h"

namespace assay::oracle {

// A device that was found, with the facts that decide how to drive it.
struct OpenClDeviceInfo {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string selector;  // "Portable:0"
  DeviceDescription description;
  cl_device_type type = 0;
  bool unified_memory = false;
  bool has_64_bit_integers = true;
  // The newest -cl-std that the device compiles: 120, 200, 300.
  int c_standard = 120;
};

// Every device of every platform, in the loader's order.  kDevice where no driver is installed.
Expected<std::vector<OpenClDeviceInfo>> AllOpenClDevices(const OpenClApi& api);

// "PLATFORM[:INDEX]" as in OpenOpenCl.  kUsage names the platforms and devices that there are.
Expected<OpenClDeviceInfo> SelectOpenClDevice(const OpenClApi& api, const std::string& selector);

}  // namespace assay::oracle
