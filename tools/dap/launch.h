// Translates a launch configuration to the options of `assay run`.
#pragma once

#include <string>
#include <vector>

#include "base/expected.h"
#include "tools/dap/arguments.h"
#include "tools/run/options.h"

namespace assay::tools::dap {

// An attribute that means nothing here.
struct UnknownAttribute {
  std::string name;
  std::string near;  // one that may have been meant, or ""
};

struct LaunchOptions {
  RunOptions run;
  std::string cwd;  // "" : as it is
  bool stop_on_entry = false;
  bool stop_at_end = false;
  bool no_debug = false;
  int shadow_bits = 0;              // 0: no shadows
  std::uint64_t most_threads = 64;  // that are listed
  std::vector<UnknownAttribute> not_known;
};

// Attributes have the names of the options, in camel case: "buildOptions", "maxFindings". `run` is
// filled in place, because the parser keeps pointers to it.
Expected<void> ReadLaunch(const Arguments& arguments, LaunchOptions* options);

// A message that names options, such as --build-options or -g, with attributes instead; its first
// line only, behind which compilers speak.
std::string InAttributes(const std::string& message);

}  // namespace assay::tools::dap
