// The list of OpenCL devices for `assay devices`. Drivers are queried in a child process: if one
// crashes or hangs, only its own platform is missing from the list.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/expected.h"
#include "oracle/devices/device.h"

namespace assay::oracle {

struct DeviceListing {
  std::string selector;  // the option to use: "--opencl 'Portable:0'"
  DeviceDescription description;
};

struct OpenClListing {
  std::vector<DeviceListing> devices;
  std::vector<Error> failures;  // of drivers, platforms and devices that could not be asked
  std::string note;             // why there is nothing: no loader, no driver
};

// `seconds`: how long a driver may stay silent.
Expected<OpenClListing> ListOpenClDevices(double seconds,
                                          const std::string& executable = "/proc/self/exe");

// The child's side, `assay devices --child FIRST`: reports the devices from platform `first` on.
Expected<void> TellOpenClDevices(std::size_t first, int out_fd);

}  // namespace assay::oracle
