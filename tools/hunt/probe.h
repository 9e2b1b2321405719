// What an OpenCL device has of what random programs use.
#pragma once

#include <string>

#include "base/expected.h"
#include "tools/hunt/operations.h"

namespace assay::tools {

// What the device's compiler says that it has; kDevice where it builds nothing.
struct HuntProbe {
  HuntDevice device;
  std::string name, driver;
};
Expected<HuntProbe> ProbeDevice(const std::string& platform, double timeout);

}  // namespace assay::tools
