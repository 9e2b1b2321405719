// The declarations of a device under test.  Verdicts depend on them, and reports repeat them.
#pragma once

#include <string>
#include <vector>

#include "numerics/rounding.h"
#include "oracle/judge/limits.h"

namespace assay::oracle {

// A fact that distinguishes devices of the same name: the content of a library, a build.
struct IdentityPart {
  std::string what;   // "library", "driver", "program", "recording", "assay"
  std::string value;  // "/lib/libm.so.6, 907784 bytes, sha256 ..."
  bool operator==(const IdentityPart&) const = default;
};

// The declarations of a device; every field is printed in the report.
struct DeviceDescription {
  std::string kind;      // "opencl", "library", "pipe", "recorded", "faulty", ...
  std::string name;      // CL_DEVICE_NAME, the library's path, the command
  std::string platform;  // CL_PLATFORM_NAME
  std::string vendor;
  std::string device_version;  // CL_DEVICE_VERSION
  std::string driver_version;  // CL_DRIVER_VERSION
  std::string c_version;       // CL_DEVICE_OPENCL_C_VERSION
  // How an OpenCL device is given programs, if not as OpenCL C: "SPIR-V 1.5".
  std::string program;
  Profile profile = Profile::kFull;
  // Per numerics::Format: usable at all; subnormals supported (CL_FP_DENORM); the default rounding
  // mode (rtz only where CL_FP_ROUND_TO_NEAREST is absent).
  bool supports[4] = {false, false, true, false};
  bool denormals[4] = {true, true, true, true};
  numerics::Rounding rounding[4] = {};
  bool correctly_rounded_divide_sqrt = false;  // CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT (float)
  int compute_units = 0;
  std::vector<int> widths = {1, 2, 3, 4, 8, 16};  // vector widths that it can be asked in
  // The identity of the device, as far as it is known (oracle/devices/identity.h); empty in reports
  // of versions that did not keep it.
  std::vector<IdentityPart> identity{};
};

// How programs are given to the device, for messages: "OpenCL C" or "SPIR-V 1.5".
inline std::string ProgramText(const DeviceDescription& device) {
  return device.program.empty() ? "OpenCL C" : device.program;
}

}  // namespace assay::oracle
