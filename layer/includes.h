// The files that a program's sources include from folders of the build options (-I DIR).  A capture
// has copies of them, because it may be judged on another machine.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "layer/records.h"

namespace assay::layer {

struct Includes {
  std::string options;  // without the folders
  // The names in the #include directives, and what the files had when the launch was captured.
  std::vector<std::pair<std::string, std::string>> files;
};

// A file that is not found, or whose name leaves the folder, is left out: the macros around its
// directive may not be defined.
Includes TakeIncludes(const Build& build);

}  // namespace assay::layer
