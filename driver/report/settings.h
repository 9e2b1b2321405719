// The settings of the driver: environment variables, which `assay exec` has as options.
//
// docs/driver.md lists them from this table.  Both sides parse with it, so that a value that the
// command accepts is one that the driver understands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "interp/rules/detector.h"

namespace assay::driver {

// `assay exec --debug KERNEL[:N]`: the N-th launch of the kernel in a process, from 1.
struct DebugRequest {
  std::string kernel;
  std::uint64_t launch = 1;
  bool operator==(const DebugRequest&) const = default;
};

// What the device says it is: programs ask for devices of a type.
enum class DeviceType : std::uint8_t { kCpu, kGpu, kAccelerator };

struct Settings {
  std::string report_folder;  // an existing folder, by its whole path; "": findings go to stderr
  bool checks = true;
  interp::DetectorSet detectors = interp::DetectorSet::All();
  std::uint64_t seed = 0;
  int threads = 0;                     // 0: one a core
  std::uint64_t max_instructions = 0;  // of a launch; 0: no limit
  double timeout_seconds = 0;          // of a launch; 0: none
  std::uint64_t max_memory = 0;        // bytes of all contexts; 0: the driver's default
  std::uint32_t subgroup_size = 0;     // 0: the driver's default
  std::string save_jobs;               // a folder, by its whole path; "": none are saved
  std::optional<DebugRequest> debug;
  std::size_t keep_findings = 1000;  // distinct findings of a process; of others only the number
  DeviceType device_type = DeviceType::kCpu;
};

struct SettingRow {
  std::string_view variable;  // "ASSAY_SEED"
  std::string_view option;    // of `assay exec`: "--seed"; "": it has none
  std::string_view type;      // of the value, for help: "NUMBER"
  std::string_view help;
  // Puts the value in place; a message that names what is accepted, and no variable or option.
  Expected<void> (*parse)(const std::string& value, Settings* settings);
};
std::span<const SettingRow> SettingRows();

// The settings in an environment.  `lookup` gives a variable's value or null.  A variable with a
// wrong value is left at its default, and `errors` gets a message (kUsage) that names it; an empty
// value is none.
using Lookup = std::function<const char*(const char* variable)>;
Settings ReadSettings(const Lookup& lookup, std::vector<Error>* errors);

}  // namespace assay::driver
