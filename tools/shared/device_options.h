// The options that select a device under test; all commands that need a device use them.
#pragma once

#include <memory>
#include <string>

#include "oracle/devices/device.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct DeviceOptions {
  std::string opencl, library, pipe, recorded, record;
  bool use_opencl = false;
  bool interpreter = false;

  // How many devices they name.
  int Count() const;
};

void AddDeviceOptions(CLI::App* command, DeviceOptions* options);

struct OpenedDevice {
  std::unique_ptr<oracle::Device> device;
  std::string option;  // selects it again
};

// `rounding`: as --rounding says it; "" is the device's own mode.
Expected<OpenedDevice> OpenDevice(const DeviceOptions& options, const std::string& rounding,
                                  const oracle::Patience& patience);

// --spec: the reading that judges.
void AddSpecOption(CLI::App* command, std::string* spec);
// As `spec` says it; "": by the language that the device compiles.
Expected<oracle::Reading> ReadingFor(const std::string& spec,
                                     const oracle::DeviceDescription& device);

// For a shell, in quotes where it needs them.
std::string Quoted(const std::string& text);

}  // namespace assay::tools
