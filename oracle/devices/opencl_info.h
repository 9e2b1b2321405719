// Platforms and devices of the OpenCL loader: finds one, and reads its declarations.
//
// A query that fails, or whose answer is impossible, is an error kDevice that names the query: the
// declarations of a device decide how it is judged, so nothing is guessed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/device.h"
#include "oracle/devices/opencl_loader.h"

namespace assay::oracle {

// A device that was found, with the facts that decide how to drive it.
struct OpenClDeviceInfo {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  std::string selector;  // "Portable:0"
  DeviceDescription description;
  int version = 0;  // CL_DEVICE_VERSION: 120, 300; 0 where it is no version
  cl_device_type type = 0;
  bool writes_3d_images = false;  // cl_khr_3d_image_writes, or a part of OpenCL 2.0 to 2.2
  bool unified_memory = false;
  bool has_64_bit_integers = true;
  // The newest -cl-std that the device compiles: 120, 200, 300.
  int c_standard = 120;
};

// Told while the platforms from `first` on are asked, in the loader's order.
struct OpenClVisitor {
  std::function<void(std::size_t platform)> begin;  // before its first query
  std::function<void(const OpenClDeviceInfo&)> device;
  std::function<void(const Error&)> failed;  // a platform or a device that cannot be described
  std::function<void(const std::string& why)> none;  // there is no driver
};
// kDevice where the loader fails.
Expected<void> VisitOpenClDevices(const OpenClApi& api, std::size_t first,
                                  const OpenClVisitor& visitor);

// "PLATFORM[:INDEX]" as in OpenOpenCl.  kUsage names the platforms and devices that there are.
Expected<OpenClDeviceInfo> SelectOpenClDevice(const OpenClApi& api, const std::string& selector);

}  // namespace assay::oracle
