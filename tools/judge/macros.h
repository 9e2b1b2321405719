// The macros that decide which code of a source is compiled, and that a driver may define otherwise
// than assay does.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "interp/job/job.h"
#include "tools/judge/capture.h"

namespace assay::tools {

struct Macros {
  // The names in #if, #ifdef, #ifndef and #elif of all sources that neither the sources nor the
  // build options define, and of which it is not known what the driver defines.
  std::set<std::string> open;
  // Build options that define and undefine the names of extensions among them as the device does:
  // "-U cl_khr_fp16 -D cl_vendor_thing=1".
  std::string options;
};

// `extensions` and `version` are CL_DEVICE_EXTENSIONS and CL_DEVICE_VERSION.
Macros MacrosOf(std::span<const std::string> sources, std::string_view build_options,
                std::string_view extensions, std::string_view version);

// Lets a captured job be compiled as its device has, and returns the macros that are open.
std::set<std::string> TakeMacros(const Capture& capture, interp::Job* job);

}  // namespace assay::tools
