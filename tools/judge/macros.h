// The macros that decide which code of a source is compiled, and that a driver may define otherwise
// than assay does.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "base/macros.h"
#include "interp/job/job.h"
#include "tools/judge/capture.h"
#include "tools/run/options.h"

namespace assay::tools {

struct Macros {
  // The names of which it is not known that assay compiles with what the driver defines.
  std::set<std::string> open;
  // Build options that make assay's compiler define them as the driver does: "-U cl_khr_fp16 -D
  // WIDTH=4".
  std::string options;
};

// Where the driver was not asked.  `extensions` and `version` are CL_DEVICE_EXTENSIONS and
// CL_DEVICE_VERSION: they say of names of extensions how the device defines them.  What the sources
// define themselves is taken for known.
Macros MacrosByDevice(const base::AskedMacros& asked, std::string_view extensions,
                      std::string_view version);

// Where it was: what it answered, and what assay's compiler did.
Macros MacrosByAnswers(const base::MacroAnswers& driver, const base::MacroAnswers& own);

// Lets a captured job be compiled as its device has, and returns the macros that are open.
// `options` are those of the run.
std::set<std::string> TakeMacros(const Capture& capture, const RunOptions& options,
                                 interp::Job* job);

}  // namespace assay::tools
