// What a launch configuration says, as the options of `assay run`.
#pragma once

#include <string>
#include <vector>

#include "numerics/expected.h"
#include "tools/assay/run_options.h"
#include "tools/dap/arguments.h"

namespace assay::tools::dap {

struct LaunchOptions {
  RunOptions run;
  std::string cwd;  // "" : as it is
  bool stop_on_entry = false;
  bool stop_at_end = false;
  bool no_debug = false;
  int shadow_bits = 0;                 // 0: no shadows
  std::uint64_t most_threads = 64;     // that are listed
  std::vector<std::string> not_known;  // attributes that mean nothing here
};

// Attributes are called as the options, in camel case: "buildOptions", "maxFindings".  `run` is
// filled in place, because what is parsed into it keeps pointers to it.
Expected<void> ReadLaunch(const Arguments& arguments, LaunchOptions* options);

}  // namespace assay::tools::dap
