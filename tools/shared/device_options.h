// The options that select a device under test; all commands that need a device use them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "oracle/devices/device.h"

namespace CLI {
class App;
}  // namespace CLI

namespace assay::tools {

struct DeviceOptions {
  std::string opencl, library, pipe, recorded, record;
  std::string program;               // source, spirv; "": as the OpenCL device takes them
  std::string prefix;                // of the library's names
  std::vector<std::string> symbols;  // FUNCTION:FORMAT=NAME
  bool use_opencl = false;
  bool interpreter = false;

  // How many devices they name.
  int Count() const;
};

// The names of a library's functions, as --prefix and --symbol say them.
Expected<oracle::SymbolNames> NamesOf(const std::string& prefix,
                                      const std::vector<std::string>& symbols);

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

}  // namespace assay::tools
