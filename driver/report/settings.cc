#include "driver/report/settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "base/byte_size.h"
#include "interp/rules/detector_list.h"

namespace assay::driver {
namespace {

tl::unexpected<Error> Wrong(const std::string& value, std::string_view what) {
  return Fail(ErrorKind::kUsage, fmt::format("'{}' is {}", value, what));
}

// A whole number of decimal digits in a range.
Expected<std::uint64_t> Number(const std::string& value, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < least || number > most) {
    return Wrong(value, most == UINT64_MAX
                            ? fmt::format("no whole number from {} on", least)
                            : fmt::format("no whole number from {} to {}", least, most));
  }
  return number;
}

Expected<std::string> WholePath(const std::string& value) {
  if (value.starts_with('/')) return value;
  return Wrong(value, "no whole path; it begins with a slash");
}

template <typename T>
Expected<void> Put(Expected<std::uint64_t> number, T* place) {
  if (!number) return tl::unexpected(number.error());
  *place = static_cast<T>(*number);
  return {};
}

Expected<void> Put(Expected<std::string> path, std::string* place) {
  if (!path) return tl::unexpected(path.error());
  *place = *path;
  return {};
}

Expected<void> ParseReportFolder(const std::string& value, Settings* settings) {
  return Put(WholePath(value), &settings->report_folder);
}

Expected<void> ParseChecks(const std::string& value, Settings* settings) {
  if (value != "on" && value != "off") return Wrong(value, "neither on nor off");
  settings->checks = value == "on";
  return {};
}

Expected<void> ParseDetect(const std::string& value, Settings* settings) {
  const auto detectors = interp::ParseDetectorList(value);
  if (!detectors && detectors.error().is_mixed) {
    return Wrong(value, "a list that both names and leaves out; write races,groups or -races");
  }
  if (!detectors) {
    std::string names;
    for (const interp::Detector detector : interp::AllDetectors()) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", interp::DetectorName(detector));
    }
    return Wrong(value, fmt::format("no list of detectors: '{}' is none; there are {}",
                                    detectors.error().unknown, names));
  }
  settings->detectors = *detectors;
  return {};
}

Expected<void> ParseSeed(const std::string& value, Settings* settings) {
  return Put(Number(value, 0, UINT64_MAX), &settings->seed);
}

Expected<void> ParseThreads(const std::string& value, Settings* settings) {
  return Put(Number(value, 0, 4096), &settings->threads);
}

Expected<void> ParseMaxInstructions(const std::string& value, Settings* settings) {
  return Put(Number(value, 0, UINT64_MAX), &settings->max_instructions);
}

Expected<void> ParseTimeout(const std::string& value, Settings* settings) {
  double seconds = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, seconds);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(seconds) || seconds < 0) {
    return Wrong(value, "no number from 0 on");
  }
  settings->timeout_seconds = seconds;
  return {};
}

Expected<void> ParseMaxMemory(const std::string& value, Settings* settings) {
  const auto bytes = base::ParseByteSize(value);
  if (!bytes) return tl::unexpected(bytes.error());
  settings->max_memory = *bytes;
  return {};
}

Expected<void> ParseSubgroupSize(const std::string& value, Settings* settings) {
  return Put(Number(value, 1, 128), &settings->subgroup_size);
}

Expected<void> ParseSaveJobs(const std::string& value, Settings* settings) {
  return Put(WholePath(value), &settings->save_jobs);
}

Expected<void> ParseDebug(const std::string& value, Settings* settings) {
  const std::size_t colon = value.find(':');
  DebugRequest request{.kernel = value.substr(0, colon)};
  if (request.kernel.empty()) return Wrong(value, "no KERNEL or KERNEL:N");
  if (colon != std::string::npos) {
    const auto number = Number(value.substr(colon + 1), 1, UINT64_MAX);
    if (!number) return Wrong(value, "no KERNEL:N, where N is the number of a launch, from 1");
    request.launch = *number;
  }
  settings->debug = request;
  return {};
}

Expected<void> ParseKeepFindings(const std::string& value, Settings* settings) {
  return Put(Number(value, 1, 1'000'000), &settings->keep_findings);
}

Expected<void> ParseDeviceType(const std::string& value, Settings* settings) {
  if (value == "cpu") {
    settings->device_type = DeviceType::kCpu;
  } else if (value == "gpu") {
    settings->device_type = DeviceType::kGpu;
  } else if (value == "accelerator") {
    settings->device_type = DeviceType::kAccelerator;
  } else {
    return Wrong(value, "no type: cpu, gpu or accelerator");
  }
  return {};
}

constexpr SettingRow kRows[] = {
    {"ASSAY_REPORT_DIR", "", "FOLDER",
     "Folder, by its whole path, to which each process writes what it finds; without it findings "
     "go to stderr",
     ParseReportFolder},
    {"ASSAY_CHECKS", "--checks", "on|off",
     "Look for misuse of the API and undefined behavior of kernels, or only execute (default: on)",
     ParseChecks},
    {"ASSAY_DETECT", "--detect", "LIST",
     "Detectors for kernels: all, none, a list (races,groups), or all but some (-races); default: "
     "all",
     ParseDetect},
    {"ASSAY_SEED", "--seed", "NUMBER", "Seed for scheduling and undefined values (default: 0)",
     ParseSeed},
    {"ASSAY_THREADS", "--threads", "NUMBER",
     "Threads that execute a kernel; 0: one per core (default: 0)", ParseThreads},
    {"ASSAY_MAX_INSTRUCTIONS", "--max-instructions", "NUMBER",
     "SPIR-V instructions of a launch over all work-items; 0: no limit (default: 0)",
     ParseMaxInstructions},
    {"ASSAY_TIMEOUT", "--timeout", "SECONDS", "Seconds for a launch; 0: none (default: 0)",
     ParseTimeout},
    {"ASSAY_MAX_MEMORY", "--max-memory", "BYTES",
     "Memory of the device in bytes: 512M, 8G; the default depends on the machine", ParseMaxMemory},
    {"ASSAY_SUB_GROUP_SIZE", "--sub-group-size", "NUMBER",
     "Work-items of a sub-group, 1 to 128 (default: what the kernel requires, or 32)",
     ParseSubgroupSize},
    {"ASSAY_SAVE_JOBS", "--save-jobs", "FOLDER",
     "Save launches as job files that `assay run` and `assay debug` take", ParseSaveJobs},
    {"ASSAY_DEBUG", "--debug", "KERNEL",
     "KERNEL or KERNEL:N: open the debugger at the first or N-th launch of this kernel",
     ParseDebug},
    {"ASSAY_KEEP_FINDINGS", "--keep-findings", "NUMBER",
     "Distinct findings that a process reports; others are only counted (default: 1000)",
     ParseKeepFindings},
    {"ASSAY_DEVICE_TYPE", "--device-type", "cpu|gpu|accelerator",
     "What the device says it is, for programs that take no other (default: cpu)", ParseDeviceType},
};

}  // namespace

std::span<const SettingRow> SettingRows() { return kRows; }

Settings ReadSettings(const Lookup& lookup, std::vector<Error>* errors) {
  Settings settings;
  for (const SettingRow& row : kRows) {
    const char* value = lookup(row.variable.data());
    if (value == nullptr || *value == '\0') continue;
    if (const auto parsed = row.parse(value, &settings); !parsed) {
      errors->push_back(
          {ErrorKind::kUsage, fmt::format("{}: {}", row.variable, parsed.error().message)});
    }
  }
  return settings;
}

}  // namespace assay::driver
