// A captured launch, as the layer has written it (docs/judge-layer.md, "Files").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "base/macros.h"

namespace assay::tools {

struct CapturedMemory {
  std::string name;             // of the job's buffer or image
  std::string after;            // the file with its bytes after the launch
  bool shared = false;          // shared virtual memory
  bool written_before = false;  // could the application have given it a content before
};

struct Capture {
  std::string path;  // of the description
  std::uint64_t process = 0;
  std::uint64_t number = 0;  // of the process's captures, from 1
  std::string kernel;
  std::uint64_t launch = 0;                  // of the kernel's launches, from 1
  std::vector<std::uint64_t> global, local;  // no local size: the driver chose it
  std::string platform, device, device_version, driver_version, extensions;
  std::string profile;                                     // CL_DEVICE_PROFILE
  std::uint64_t single_fp_config = 0, half_fp_config = 0;  // CL_DEVICE_..._FP_CONFIG; 0: not known
  std::uint64_t address_bits = 64;
  base::MacroAnswers macros;  // what the device's compiler predefines of those that sources ask for
  std::string macros_missing;       // why it does not say; "": it does
  std::string missing;              // why there is no job; "": there is one
  std::vector<std::string> doubts;  // why the memory may not be what the launch saw or made
  std::string job;                  // its path
  std::vector<CapturedMemory> memory;
};

// Is it the name of a description?
bool IsCapture(std::string_view path);

// kUsage with the file and the member that is wrong or missing.
Expected<Capture> ReadCapture(const std::string& path);

// All captures of a folder, by process and number; kUsage where it cannot be read.
Expected<std::vector<Capture>> ReadCaptures(const std::string& folder);

}  // namespace assay::tools
